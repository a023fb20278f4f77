// The exhaust tract, 600 complex moments of the rotors relaxed from zero: counts of the notes, sec. 4.6 and 9.5. An
// iteration counts until the sum of errors of all rotations, relative to the sum of their sizes, stays below.

#include "support/exhaust.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "loops.hpp"
#include "support/figure.hpp"

namespace koppla::test {
namespace {

/// How complex numbers become reals that can be relaxed.
struct Writing {
  std::function<std::vector<double>(const Exhaust::Field& answered, std::span<const double> before)> write;
  std::function<Exhaust::Field(std::span<const double>)> read;
};

Writing realAndImaginaryParts() {
  return {[](const Exhaust::Field& field, auto) { return realAndImaginary(field); },
          [](auto values) { return fromRealAndImaginary(values); }};
}

/// Every phase on the branch that is nearest to the one before.
Writing amplitudesAndPhases(bool unwrapped) {
  return {[unwrapped](const Exhaust::Field& field, std::span<const double> before) {
            constexpr double kTurn = 2.0 * std::numbers::pi;
            std::vector<double> values = amplitudeAndPhase(field);
            if (unwrapped)
              for (std::size_t i = 1; i < values.size(); i += 2)
                values[i] += kTurn * std::round((before[i] - values[i]) / kTurn);
            return values;
          },
          [](auto values) { return fromAmplitudeAndPhase(values); }};
}

const Exhaust& model() {
  static const Exhaust exhaust;
  return exhaust;
}

double errorOf(const Exhaust::Field& rotations) {
  static const Exhaust::Field exact = model().coupledRotations();
  double error = 0.0;
  double size = 0.0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    error += std::abs(rotations[k] - exact[k]);
    size += std::abs(exact[k]);
  }
  return error / size;
}

/// Errors by iteration.
std::vector<double> errors(coupling::Accelerator& accelerator, const Writing& writing) {
  constexpr int kIterations = 150;
  std::vector<double> sent(2 * Exhaust::kValues, 0.0);
  std::vector<double> answered = sent;
  std::vector<double> result;
  accelerator.begin();
  for (int i = 0; i < kIterations; ++i) {
    const Exhaust::Field rotations = model().structure(writing.read(sent));
    result.push_back(errorOf(rotations));
    if (!std::isfinite(result.back())) break;
    answered = writing.write(model().rotor(rotations), answered);
    accelerator.learn(sent, answered);
    accelerator.propose(sent);
  }
  return result;
}

double iterationsTo(double tolerance, const std::vector<double>& all) {
  const auto above = std::ranges::find_if(all.rbegin(), all.rend(), [=](double e) { return !(e < tolerance); });
  return static_cast<double>(all.rend() - above + 1);
}

TEST(ExhaustTract, RelaxedFromZeroInAmplitudeAndPhase) {
  const auto accelerator = makeRelaxation(adaptive("L/NL(1,a)"), 2 * Exhaust::kValues);
  const std::vector<double> all = errors(*accelerator, amplitudesAndPhases(true));
  showAtMost({"jung 24", "exhaust", "amplitude and phase, unwrapped, to 1e-3 in at most 13 iterations"},
             iterationsTo(1e-3, all), 13.0);
  EXPECT_EQ(iterationsTo(1e-3, all), 11.0);
  EXPECT_EQ(iterationsTo(1e-6, all), 32.0);
}

TEST(ExhaustTract, WithoutUnwrappingThePhaseOfAZeroMisleads) {
  const auto accelerator = makeRelaxation(adaptive("L/NL(1,a)"), 2 * Exhaust::kValues);
  EXPECT_GT(iterationsTo(1e-3, errors(*accelerator, amplitudesAndPhases(false))), 100.0);
}

TEST(ExhaustTract, RelaxedInRealAndImaginaryParts) {
  const auto accelerator = makeRelaxation(adaptive("L/NL(1,a)"), 2 * Exhaust::kValues);
  const std::vector<double> all = errors(*accelerator, realAndImaginaryParts());
  EXPECT_EQ(iterationsTo(1e-2, all), 7.0);
  EXPECT_EQ(iterationsTo(1e-3, all), 12.0);
  EXPECT_EQ(iterationsTo(1e-4, all), 16.0);
  EXPECT_EQ(iterationsTo(1e-6, all), 25.0);
  EXPECT_EQ(iterationsTo(1e-8, all), 37.0);
}

TEST(ExhaustTract, AitkensFactorInRealAndImaginaryParts) {
  const auto accelerator = makeRelaxation(aitken(), 2 * Exhaust::kValues);
  const std::vector<double> all = errors(*accelerator, realAndImaginaryParts());
  EXPECT_EQ(iterationsTo(1e-3, all), 10.0);
  EXPECT_EQ(iterationsTo(1e-6, all), 24.0);
}

TEST(ExhaustTract, TheDefaultIsNoSlowerThanUnrelaxedIteration) {
  const auto accelerator = coupling::automaticAcceleration({.size = 2 * Exhaust::kValues});
  const std::vector<double> all = errors(*accelerator, realAndImaginaryParts());
  const double coarse = iterationsTo(1e-3, all);
  const double fine = iterationsTo(1e-6, all);
  showFigure({"jung 24", "exhaust-default", "at most 19 iterations to 1e-3 and 62 to 1e-6, as without acceleration"},
             fmt::format("{} and {}", coarse, fine), coarse <= 19.0 && fine <= 62.0);
}

}  // namespace
}  // namespace koppla::test
