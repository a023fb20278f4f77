// examples/model-coupling: one word chooses between one integrator, two with a communication step, and two with one
// that goes ahead. Obtained must be the order of the polynomials where values are extrapolated, and no such error
// elsewhere.

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "example_run.hpp"
#include "support/figure.hpp"

namespace koppla::test::model_coupling_test {
namespace {

TEST(ModelCouplingExamples, OneWordChoosesTheWayOfCoupling) {
  const ExampleStudy study = runStudy("model-coupling/three-ways");
  EXPECT_EQ(study.command.exitCode, 0) << study.command.errors;
  EXPECT_EQ(study.command.errors, "") << "no way needs another line";
  const auto error = [&](const char* kind, const char* step) {
    return study.errorOf(fmt::format("\"{}\",{},\"ok\",", kind, step));
  };
  const double joint = error("model-coupling", "1e-04");
  EXPECT_NEAR(error("model-coupling", "2e-05") / joint, 1.0, 0.01) << "rows are all that the step decides";
  EXPECT_NEAR(error("master-slave", "2e-05") / error("master-slave", "1e-04"), 1.0, 0.01) << "the master decides";
  const double order = std::log(error("jacobi", "1e-04") / error("jacobi", "2e-05")) / std::log(5.0);
  showFigure(
      {"overview S1", "errors",
       "model coupling: the solver's error only (< 1e-9); co-simulation: order 3 with degree 2; embedded: error of "
       "the master's step, within a factor of 3 of Jacobi at that step"},
      fmt::format("{:.1e}; {:.2f}; {:.1e} beside {:.1e}", joint, order, error("master-slave", "1e-04"),
                  error("jacobi", "2e-05")),
      joint < 1e-9 && std::fabs(order - 3.0) < 0.2 &&
          std::fabs(std::log(error("master-slave", "1e-04") / error("jacobi", "2e-05"))) < std::log(3.0));
}

}  // namespace
}  // namespace koppla::test::model_coupling_test
