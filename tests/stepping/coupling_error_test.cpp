#include "koppla/stepping/coupling_error.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace koppla::stepping::coupling_error_test {
namespace {

/// The largest of all values, each in its own tolerance, rtol |y| + atol.
TEST(CouplingError, IsTheLargestOfTheValuesInTheirTolerances) {
  const std::vector<double> predicted{1.0, 99.0}, computed{1.1, 100.0}, sizes{1.0, 100.0}, none{0.0, 0.0};
  const std::vector<Course> courses(2, Course::extrapolated);
  const Promise promise{predicted, computed, sizes, none, courses, 0.125};
  EXPECT_DOUBLE_EQ(couplingError(promise, {0.0, 0.05}), 1.0 / 0.05);
  EXPECT_DOUBLE_EQ(couplingError(promise, {0.1, 0.0}), (1.1 - 1.0) / 0.11);
  EXPECT_DOUBLE_EQ(couplingError(promise, {0.1}), (1.1 - 1.0) / (0.11 + 0.01)) << "by size: 0.1 rtol of it";
}

/// Interpolated inputs are wrong by less than the promise was; what is taken as it is, by nothing.
TEST(CouplingError, CountsWhatInputsFollow) {
  const std::vector<double> predicted{0.0}, computed{1.0}, sizes{1.0}, none{0.0};
  const auto error = [&](Course course) {
    const std::vector<Course> courses{course};
    return couplingError({predicted, computed, sizes, none, courses, 0.125}, {0.0, 0.5});
  };
  EXPECT_EQ(error(Course::extrapolated), 2.0);
  EXPECT_EQ(error(Course::interpolated), 0.25);
  EXPECT_EQ(error(Course::exact), 0.0);
}

/// An allowance counts as part of the value: rtol (|y| + allowance) + atol.
TEST(CouplingError, AllowancesCountAsPartOfTheValue) {
  const std::vector<double> predicted{0.0}, computed{-1.0}, sizes{1.0}, allowance{3.0};
  const std::vector<Course> courses{Course::extrapolated};
  EXPECT_DOUBLE_EQ(couplingError({predicted, computed, sizes, allowance, courses, 1.0}, {0.1, 0.1}), 1.0 / 0.5);
  EXPECT_DOUBLE_EQ(richardsonError({predicted, computed, sizes, allowance, 1}, {0.1, 0.1}), 1.0 / 0.5);
}

TEST(CouplingError, OfAValueThatIsNoneIsInfinite) {
  const std::vector<double> predicted{0.0}, computed{std::nan("")}, sizes{1.0}, none{0.0};
  const std::vector<Course> courses{Course::interpolated};
  EXPECT_EQ(couplingError({predicted, computed, sizes, none, courses, 0.125}, {1e-3}), HUGE_VAL);
}

/// A step with the error c h^k for a state (k = order + 1, two halves have two such errors) or an output with
/// feed-through (k = order, of the last half): the difference of both ways gives the error of the halves.
TEST(CouplingError, RichardsonFindsTheErrorOfTheHalves) {
  constexpr double kExact = 5.0, c = 0.3, h = 0.4;
  for (const unsigned order : {1U, 2U, 3U}) {
    const std::vector<double> sizes{0.0, 0.0};
    const double state = 2.0 * c * std::pow(h / 2.0, order + 1.0), output = c * std::pow(h / 2.0, order);
    const std::vector<double> full{kExact + c * std::pow(h, order + 1.0), kExact}, halves{kExact + state, kExact};
    EXPECT_NEAR(richardsonError({full, halves, sizes, sizes, order}, {0.0, 1e-3}), state / 1e-3, 1e-9) << order;
    const std::vector<double> fullOutput{kExact, kExact + c * std::pow(h, order)},
        halvesOutput{kExact, kExact + output};
    EXPECT_NEAR(richardsonError({fullOutput, halvesOutput, sizes, sizes, order}, {0.0, 1e-3}), output / 1e-3, 1e-9)
        << order;
  }
}

}  // namespace
}  // namespace koppla::stepping::coupling_error_test
