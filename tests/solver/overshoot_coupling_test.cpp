// Schmoll, fig. 2.23 (notes, 11.3): Jacobi coupling of the two-mass oscillator by force and displacement, both solvers
// on a micro grid of their own that they cannot leave, with exact past samples.

#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "koppla/solver/attach.hpp"
#include "koppla/subsystem/overshoot.hpp"

#include "two_mass_reference.hpp"

namespace koppla::solver::test {
namespace {

constexpr double kMicroStep = 1e-5;  // s, both solvers

Rig firstMass(unsigned degree) {
  auto solver = integrate(equations(oscillator({1.0, 1e4, 2.0, 1.0, 0.0})), with(Kind::ode5));
  return Rig(subsystem::overshoot(std::move(solver), kMicroStep, degree,
                                  [](double t, std::span<double> y) {
                                    const std::array<double, 3> exact = exactOutputs(t);
                                    y[0] = exact[0];
                                    y[1] = exact[1];
                                  }),
             false, {1e6});
}

Rig secondMass(unsigned degree) {
  auto model = attach(equations(oscillator({1.0, 1e5, 6.3246, 2.0, 0.0})), {"mass", 1, 2, 0}, Side::second,
                      std::make_shared<subsystem::SpringDamper>(1e6, 14.1421), "coupling");
  return Rig(subsystem::overshoot(integrate(std::move(model), with(Kind::ode5)), kMicroStep, degree,
                                  [](double t, std::span<double> y) {
                                    const std::array<double, 4> z = exactState(t);
                                    y[0] = z[1];
                                    y[1] = z[3];
                                    y[2] = exactOutputs(t)[2];
                                  }),
             false, {0.0, 1.0, 0.0});
}

/// Samples of one coupling variable at T_n, T_n-1, ... and the polynomial through them.
class Extrapolation {
 public:
  Extrapolation(unsigned degree, std::size_t variable, double H) : values_(degree + 1) {
    for (unsigned i = 0; i <= degree; ++i) values_[i] = exactOutputs(-H * i)[variable];
  }
  void add(double value) {
    std::rotate(values_.begin(), values_.end() - 1, values_.end());
    values_[0] = value;
  }
  /// Coefficients of s^k through values_[i] at s = -i: Newton's backward differences, multiplied out.
  [[nodiscard]] std::vector<double> coefficients() const {
    const std::size_t n = values_.size();
    std::vector<double> difference = values_, product{1.0}, result(n, 0.0);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k <= j; ++k) result[k] += difference[0] * product[k];
      for (std::size_t i = 0; i + j + 1 < n; ++i) difference[i] -= difference[i + 1];
      const auto node = static_cast<double>(j);  // product := product (s + j) / (j + 1)
      product.push_back(0.0);
      for (std::size_t k = j + 1; k > 0; --k) product[k] = (product[k - 1] + node * product[k]) / (node + 1.0);
      product[0] *= node / (node + 1.0);
    }
    return result;
  }

 private:
  std::vector<double> values_;
};

double coupledError(double H, unsigned degree) {
  Rig first = firstMass(degree), second = secondMass(degree);
  Extrapolation position(degree, 0, H), velocity(degree, 1, H), force(degree, 2, H);
  ErrorMeter meter(H);
  const auto steps = static_cast<int>(std::lround(1.0 / H));
  std::vector<double> motion(3 * (degree + 1), 0.0);  // inputs of the second mass: force (nothing), position, velocity
  for (int n = 0; n < steps; ++n) {
    const std::vector<double> x = position.coefficients(), v = velocity.coefficients();
    for (std::size_t k = 0; k <= degree; ++k) {
      motion[3 * k + 1] = x[k];
      motion[3 * k + 2] = v[k];
    }
    first.step(n * H, (n + 1) * H, force.coefficients());
    second.step(n * H, (n + 1) * H, motion);
    position.add(first.y[0]);
    velocity.add(first.y[1]);
    force.add(second.y[2]);
    meter.add(std::array{first.y[0], first.y[1], second.y[2]});
  }
  return meter.nrmse();
}

struct Entry {
  double H;  ///< s, in words of the table: 1.78e-5, 1.00e-5, 5.62e-6, 3.16e-6
  unsigned degree;
  double error;
};

class OvershootCoupling : public testing::TestWithParam<Entry> {};

TEST_P(OvershootCoupling, HasTheErrorOfTheNotes) {
  const Entry& entry = GetParam();
  EXPECT_NEAR(coupledError(entry.H, entry.degree), entry.error, 0.2 * entry.error);
}

const double kQuarterDecade = std::pow(10.0, 0.25);
INSTANTIATE_TEST_SUITE_P(Table, OvershootCoupling,
                         testing::Values(Entry{1e-5 * kQuarterDecade, 1, 1.8e-2},
                                         Entry{1e-5 * kQuarterDecade, 3, 1.2e-5}, Entry{1e-5, 2, 5.4e-5},
                                         Entry{1e-5, 4, 1.0e-8}, Entry{1e-5 / kQuarterDecade, 2, 3.3e-5},
                                         Entry{1e-5 / kQuarterDecade, 3, 6.2e-8},
                                         Entry{std::pow(10.0, -5.5), 1, 4.2e-3},
                                         Entry{std::pow(10.0, -5.5), 3, 1.1e-6}));

TEST(OvershootCoupling, DegreeFiveIsUnstableWhereTheNotesSaySo) {
  const double error = coupledError(1e-5 / kQuarterDecade, 5);
  EXPECT_FALSE(error < 1.0);  // grown beyond all bounds, or no number any more
}

}  // namespace
}  // namespace koppla::solver::test
