// examples/circuit-heating. A circuit by ngspice and the heat of its board by octave agree with closed forms of both:
// the law of the diode, and Green's function of a strip that conducts heat.

#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "example_run.hpp"
#include "support/extremes.hpp"
#include "with_solvers.hpp"

namespace koppla::solvers::circuit_heating_test {
namespace {

using test::ExampleRun;

/// Of diode and heater.
using Pair = std::array<double, 2>;

// As in the projects.
constexpr double kLength = 0.1;          // m
constexpr double kConduction = 1.44e-3;  // W m/K
constexpr double kStorage = 96.0;        // J/(m K)
constexpr double kExchange = 0.948;      // W/(m K)
constexpr double kAir = 20.0;            // degC
constexpr Pair kPlaces{0.03, 0.07};      // m
constexpr Pair kJunction{5.0, 0.0};      // K/W
constexpr double kStep = 20.0;           // s
constexpr double kSupply = 12.0;         // V
constexpr double kInner = 0.2;           // Ohm
constexpr double kIdeality = 1.5;
constexpr double kNominal = 300.15;  // K

/// The root of a falling function, by bisection.
double rootOf(const std::function<double(double)>& falling, double low, double high) {
  for (int i = 0; i < 200; ++i) (falling(0.5 * (low + high)) > 0.0 ? low : high) = 0.5 * (low + high);
  return low;
}

/// What diode and heater take up at these temperatures, degC.
Pair powers(const Pair& T) {
  const double kelvin = T[0] + 273.15;
  const double thermalVoltage = 1.38064852e-23 * kelvin / 1.6021766208e-19;
  const double ratio = kelvin / kNominal;
  const double saturation =
      1e-9 * std::exp((ratio - 1.0) * 1.11 / (kIdeality * thermalVoltage)) * std::pow(ratio, 3.0 / kIdeality);
  const double heater = 4.0 * std::pow(1.01, 1.5 * (T[1] - 27.0));
  const auto overDiode = [&](double current) { return kIdeality * thermalVoltage * std::log1p(current / saturation); };
  const double current = rootOf([&](double I) { return kSupply - (kInner + heater) * I - overDiode(I); }, 0.0,
                                kSupply / (kInner + heater));
  return {current * overDiode(current), current * current * heater};
}

/// The rise at x of a strip with insulated ends by 1 W at `source`, where each metre gives off `exchange` W/K.
double greenFunction(double x, double source, double exchange) {
  const double m = std::sqrt(exchange / kConduction);
  return std::cosh(m * std::fmin(x, source)) * std::cosh(m * (kLength - std::fmax(x, source))) /
         (kConduction * m * std::sinh(m * kLength));
}

/// Temperatures of diode and heater by their powers, above what there would be without these.
Pair temperatures(const Pair& without, const Pair& P, double exchange) {
  Pair T = without;
  for (std::size_t i = 0; i < 2; ++i) {
    T[i] += kJunction[i] * P[i];
    for (std::size_t j = 0; j < 2; ++j) T[i] += greenFunction(kPlaces[i], kPlaces[j], exchange) * P[j];
  }
  return T;
}

/// Where temperatures give the powers that give the temperatures.
Pair agreement(const Pair& without, double exchange) {
  Pair T{kAir, kAir};
  double change = 1.0;
  for (int i = 0; i < 2000 && change > 1e-11; ++i) {
    const Pair next = temperatures(without, powers(T), exchange);
    change = std::fmax(std::fabs(next[0] - T[0]), std::fabs(next[1] - T[1]));
    for (std::size_t k = 0; k < 2; ++k) T[k] += 0.1 * (next[k] - T[k]);
  }
  EXPECT_LE(change, 1e-11);
  return T;
}

Pair operatingPoint() {
  return agreement({kAir, kAir}, kExchange);
}

/// The board in time, by implicit Euler steps whose solutions in space are exact: what comes from the present powers by
/// Green's function, what comes from the last step by its cosines.
class Board {
 public:
  /// The next step's temperatures.
  Pair advance() {
    Pair without{kAir, kAir};
    for (std::size_t n = 0; n < kModes; ++n)
      for (std::size_t i = 0; i < 2; ++i) without[i] += kStorage / kStep * modes_[n] / resistance(n) * shape(n, i);
    const Pair T = agreement(without, kExchange + kStorage / kStep);
    const Pair P = powers(T);
    for (std::size_t n = 0; n < kModes; ++n) {
      const double source = (n == 0 ? 1.0 : 2.0) / kLength * (P[0] * shape(n, 0) + P[1] * shape(n, 1));
      modes_[n] = (kStorage / kStep * modes_[n] + source) / resistance(n);
    }
    return T;
  }

 private:
  static constexpr std::size_t kModes = 2000;

  static double waveNumber(std::size_t n) { return static_cast<double>(n) * std::numbers::pi / kLength; }
  static double shape(std::size_t n, std::size_t place) { return std::cos(waveNumber(n) * kPlaces[place]); }
  /// Of a cosine to a source of its shape, W/(m K).
  static double resistance(std::size_t n) {
    return kStorage / kStep + kExchange + kConduction * waveNumber(n) * waveNumber(n);
  }

  std::vector<double> modes_ = std::vector<double>(kModes, 0.0);
};

class CircuitHeating : public WithSolvers {
 protected:
  CircuitHeating() : WithSolvers({"ngspice", "octave-cli"}) {}
};

/// The larger of both differences from the closed form.
double error(const ExampleRun& run, const Pair& exact) {
  return test::largestOf(std::fabs(run.of("board.T[1]").back() - exact[0]),
                         std::fabs(run.of("board.T[2]").back() - exact[1]));
}

TEST_F(CircuitHeating, TheOperatingPointIsThatOfTheClosedForms) {
  const Pair exact = operatingPoint();
  const ExampleRun run = test::runExample("circuit-heating/operating-point");
  ASSERT_EQ(run.command.exitCode, 0) << run.command.errors;
  EXPECT_LE(error(run, exact), 1e-3);
  const Pair P = powers(exact);
  EXPECT_NEAR(run.of("circuit.P_diode").back(), P[0], 1e-5);
  EXPECT_NEAR(run.of("circuit.P_heater").back(), P[1], 1e-4);
  // Linear elements: a quarter of the error with twice as many.
  const ExampleRun finer = test::runExample("circuit-heating/operating-point", {"--set", "board.elements=400"});
  EXPECT_NEAR(error(run, exact) / error(finer, exact), 4.0, 0.2);
}

TEST_F(CircuitHeating, PlainIterationCannotConvergeAndSaysSo) {
  // The heater alone: its temperature as it follows from its temperature.
  const Pair exact = operatingPoint();
  const auto slope = [&] {
    const double change = 1e-4;
    const Pair warmer = temperatures({kAir, kAir}, powers({exact[0], exact[1] + change}), kExchange);
    return (warmer[1] - exact[1]) / change;
  }();
  ASSERT_LT(slope, -1.0);
  const ExampleRun run = test::runExample("circuit-heating/operating-point",
                                          {"--set", "acceleration.kind=none", "--set", "algorithm.max_iterations=30"});
  EXPECT_EQ(run.command.exitCode, 4) << run.command.errors;
}

TEST_F(CircuitHeating, OctaveGivesTheSameOneCallAtATime) {
  const ExampleRun service = test::runExample("circuit-heating/operating-point");
  const ExampleRun calls =
      test::runExample("circuit-heating/operating-point",
                       {"--set", "board.service=false", "--set",
                        R"(board.program=octave-cli --quiet --path "$KOPPLA_PROJECT/board" --eval heat)"});
  ASSERT_EQ(calls.command.exitCode, 0) << calls.command.errors;
  EXPECT_EQ(calls.evaluations(), service.evaluations());
  EXPECT_EQ(calls.of("board.T[2]").back(), service.of("board.T[2]").back());
}

TEST_F(CircuitHeating, TheBoardWarmsUpAsImplicitStepsSay) {
  const ExampleRun run = test::runExample("circuit-heating/switch-on");
  ASSERT_EQ(run.command.exitCode, 0) << run.command.errors;
  const std::vector<double>& diode = run.of("board.T[1]");
  const std::vector<double>& heater = run.of("board.T[2]");
  ASSERT_EQ(heater.size(), 31U);
  Board board;
  for (std::size_t step = 1; step < heater.size(); ++step) {
    const Pair exact = board.advance();
    EXPECT_NEAR(diode[step], exact[0], 0.003) << "step " << step;
    EXPECT_NEAR(heater[step], exact[1], 0.003) << "step " << step;
  }
  EXPECT_NEAR(heater.back(), operatingPoint()[1], 0.02);
}

}  // namespace
}  // namespace koppla::solvers::circuit_heating_test
