// Derivatives of the equations by forward differences: Schmoll (4.7), Delta = sqrt(eps) max(1, |x|).

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "rig.hpp"

namespace koppla::solver::test::differences_test {
namespace {

/// Two masses at rest in their places, 0.25 m and -300 m, that are nonlinear only by not saying otherwise; keeps the
/// states that it was asked about.
Model atRest(std::vector<std::vector<double>>& asked) {
  Model model;
  model.outputs = {"x"};
  model.x0 = {0.25, -300.0, 0.0, 0.0};
  model.secondOrder = true;
  model.f = [&asked](double, auto x, auto, auto dx) {
    asked.emplace_back(x.begin(), x.end());
    dx[0] = x[2];
    dx[1] = x[3];
    dx[2] = 0.25 - x[0];
    dx[3] = -300.0 - x[1];
  };
  model.g = [](double, auto x, auto, auto y) { y[0] = x[0]; };
  return model;
}

TEST(ForwardDifferences, HaveTheLengthOfTheNote) {
  const double root = std::sqrt(std::numeric_limits<double>::epsilon());
  for (const Kind kind : {Kind::radau, Kind::radauFixed, Kind::newmark}) {
    std::vector<std::vector<double>> asked;
    Rig rig(equations(atRest(asked)), with(kind, 0.1));
    ASSERT_EQ(rig.step(0.0, 0.1).status, subsystem::Status::ok);
    for (std::size_t i = 0; i < 4; ++i) {
      std::vector<double> moved{0.25, -300.0, 0.0, 0.0};
      moved[i] += root * std::max(1.0, std::fabs(moved[i]));
      EXPECT_NE(std::ranges::find(asked, moved), asked.end()) << word(kind) << ", state " << i;
    }
  }
}

}  // namespace
}  // namespace koppla::solver::test::differences_test
