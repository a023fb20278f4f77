#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "models.hpp"

namespace koppla::solver::test {

using Rows = std::vector<std::vector<double>>;  ///< of a matrix

/// Where equations were asked for their derivatives. Two programs that do the same ask the same, in the same order.
struct Question {
  double t;
  std::vector<double> x;
};

/// x' of a model of which the outputs are the states.
using Derivatives = std::function<std::vector<double>(double t, const std::vector<double>& x)>;

/// Equations without inputs that write down what they are asked.
inline Model asking(const Derivatives& f, std::vector<double> x0, std::vector<Question>& questions) {
  Model model;
  for (std::size_t i = 0; i < x0.size(); ++i) model.outputs.push_back("x" + std::to_string(i));
  model.x0 = std::move(x0);
  model.f = [f, &questions](double t, auto x, auto, auto dx) {
    questions.push_back({t, {x.begin(), x.end()}});
    std::ranges::copy(f(t, questions.back().x), dx.begin());
  };
  model.g = [](double, auto x, auto, auto y) { std::ranges::copy(x, y.begin()); };
  return model;
}

/// Each state within `tolerance` of its size, or of 1 where it is smaller. Stops at the first difference.
inline void expectSame(const std::vector<Question>& asked, const std::vector<Question>& expected, double tolerance) {
  for (std::size_t k = 0; k < std::min(asked.size(), expected.size()); ++k) {
    const Question& one = asked[k];
    const Question& other = expected[k];
    ASSERT_NEAR(one.t, other.t, tolerance * std::fmax(1.0, std::fabs(other.t))) << "question " << k;
    ASSERT_EQ(one.x.size(), other.x.size());
    for (std::size_t i = 0; i < one.x.size(); ++i)
      ASSERT_NEAR(one.x[i], other.x[i], tolerance * std::fmax(1.0, std::fabs(other.x[i])))
          << "question " << k << ", state " << i << ", t = " << other.t;
  }
  EXPECT_EQ(asked.size(), expected.size());
}

}  // namespace koppla::solver::test
