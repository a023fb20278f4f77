#include "oscillator.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/coupling/interface_problem.hpp"
#include "koppla/run/run.hpp"

#include "support/extremes.hpp"
#include "support/figure.hpp"

/// The partitioned oscillator of the public benchmarks (P2): order in time. All numbers are those of the note.
namespace koppla::test {
namespace {

using coupling::AlgorithmKind;

constexpr std::array<double, 4> kSteps{0.04, 0.02, 0.01, 0.005};  // s, macro steps
constexpr unsigned kMicroSteps = 4;

struct Measured {
  test::Largest error;      ///< m, largest one of mass 1 over all micro steps
  double iterations = 0.0;  ///< per macro step
};

double norm(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

/// Gauss-Seidel, mass 1 first, from constants, until both waveforms change by less than 1e-10 of their 2-norms.
Measured iterate(double H, solver::Kind integrator, unsigned degree) {
  constexpr double kTolerance = 1e-10;
  coupling::System system = partitionedOscillator({.kind = integrator});
  coupling::Network network(system, coupling::findCycles(system), 1e100);
  for (std::size_t position = 0; position < network.size(); ++position) {
    network.subsystem(position).enterInitialisation({0.0, 1.0, {}});
    EXPECT_FALSE(network.evaluate(position, 0.0));
    network.subsystem(position).leaveInitialisation();
  }
  coupling::Waveform waveform(network.outputs().size(), kMicroSteps, degree, {});
  coupling::InterfaceProblem problem(network, {0, 2}, coupling::Form::sequence, waveform);
  const std::vector<std::size_t> sides = problem.coupled();
  EXPECT_EQ(sides.size(), 2U);
  EXPECT_EQ(problem.points(), kMicroSteps);

  Measured measured;
  const auto steps = static_cast<unsigned>(std::lround(1.0 / H));
  for (unsigned n = 0; n < steps; ++n) {
    waveform.begin(network.outputs());
    EXPECT_FALSE(problem.begin({n * H, (n + 1) * H, false}, {}));
    for (bool converged = false; !converged;) {
      EXPECT_FALSE(problem.evaluate());
      ++measured.iterations;
      converged = true;
      for (const std::size_t side : sides) {
        std::array<double, kMicroSteps> sent{};
        std::array<double, kMicroSteps> change{};
        problem.readSent({side}, sent);
        problem.readAnswered({side}, change);
        const double size = norm(change);
        for (std::size_t i = 0; i < change.size(); ++i) change[i] -= sent[i];
        converged = converged && norm(change) <= kTolerance * size;
      }
    }
    for (unsigned j = 1; j <= kMicroSteps; ++j)
      measured.error.see(std::fabs(waveform.at(j)[sides[0]] - exactPosition((n + j / double{kMicroSteps}) * H)));
  }
  measured.iterations /= steps;
  return measured;
}

/// A coupled run from 0 to 1 s, observed at communication points.
struct Observed {
  test::Largest error;            ///< m, largest one of mass 1
  std::uint64_t evaluations = 0;  ///< sweeps over the cycle
  run::OutcomeKind kind = run::OutcomeKind::ok;
};

Observed observe(coupling::System system, double H, const coupling::AlgorithmSettings& algorithm) {
  run::Settings settings;
  settings.step = H;
  settings.algorithm = algorithm;
  core::Log log;
  run::Run run(std::move(system), settings, log);
  EXPECT_TRUE(run.initialise().ok());
  Observed observed;
  while (!run.finished()) {
    const run::Outcome outcome = run.step();
    observed.kind = outcome.kind;
    if (!outcome.ok()) break;
    observed.error.see(std::fabs(std::get<double>(run.value("m1.x")) - exactPosition(run.time())));
  }
  observed.evaluations = run.statistics().cycles.at(0).evaluations;
  return observed;
}

coupling::AlgorithmSettings tight(AlgorithmKind kind, unsigned waveform, unsigned degree) {
  return {.kind = kind, .degree = degree, .waveform = waveform, .maxIterations = 50, .rtol = 1e-10, .atol = 1e-11};
}

/// The note prints four digits.
double lastDigit(double printed) {
  return 0.5 * std::pow(10.0, std::floor(std::log10(printed)) - 3.0);
}

TEST(PartitionedOscillator, CubicSplinesKeepTheOrderOfRungeKutta) {
  const std::array<double, 4> errors{3.017e-5, 1.875e-6, 1.168e-7, 7.292e-9};
  const std::array<double, 4> iterations{4.0, 4.0, 3.4, 3.0};
  std::array<Measured, 4> measured{};
  for (std::size_t i = 0; i < kSteps.size(); ++i) {
    measured[i] = iterate(kSteps[i], solver::Kind::ode4, 3);
    showAtMost({"public P2", fmt::format("spline-{}", kSteps[i]), fmt::format("error at most {:.3e} m", errors[i])},
               measured[i].error, errors[i] + lastDigit(errors[i]));
    showAtMost({"public P2", fmt::format("iterations-{}", kSteps[i]),
                fmt::format("at most {:.1f} iterations per step, to one digit", iterations[i])},
               measured[i].iterations, iterations[i] + 0.05);
  }
  showWithin({"public P2", "order", "order 4 +-0.1"}, std::log2(measured[2].error / measured[3].error), 4.0, 0.1);
}

TEST(PartitionedOscillator, PiecewiseLinearWaveformsAreOfSecondOrder) {
  const std::array<double, 4> errors{6.220e-3, 1.557e-3, 3.889e-4, 9.721e-5};
  for (std::size_t i = 0; i < kSteps.size(); ++i)
    showWithin({"public P2", fmt::format("linear-{}", kSteps[i]), fmt::format("error {:.3e} m", errors[i])},
               iterate(kSteps[i], solver::Kind::ode4, 1).error, errors[i], lastDigit(errors[i]));
}

TEST(PartitionedOscillator, NewmarkHasItsOwnOrderEitherWay) {
  const std::array<double, 4> errors{2.598e-2, 6.514e-3, 1.630e-3, 4.075e-4};
  for (const unsigned degree : {1U, 3U})
    for (std::size_t i = 0; i < kSteps.size(); ++i)
      showWithin(
          {"public P2", fmt::format("newmark-{}-{}", degree, kSteps[i]), fmt::format("error {:.3e} m", errors[i])},
          iterate(kSteps[i], solver::Kind::newmark, degree).error, errors[i], lastDigit(errors[i]));
}

TEST(PartitionedOscillator, OneSampleAStepCostsSixteenTimesTheErrorOfFour) {
  // Linear over the whole macro step; the note prints three digits.
  const std::array<double, 4> errors{9.75e-2, 2.48e-2, 6.21e-3, 1.56e-3};
  for (std::size_t i = 0; i < kSteps.size(); ++i) {
    const solver::IntegratorSettings integrator{.kind = solver::Kind::ode4, .microStep = kSteps[i] / kMicroSteps};
    const Observed observed =
        observe(partitionedOscillator(integrator), kSteps[i], tight(AlgorithmKind::iteratedGaussSeidel, 1, 1));
    showAtMost({"public P2", fmt::format("whole-step-{}", kSteps[i]), fmt::format("error at most {:.2e} m", errors[i])},
               observed.error, errors[i] + 10.0 * lastDigit(errors[i]));
  }
}

TEST(PartitionedOscillator, ARunIteratesWaveformsUntilTheyStay) {
  std::array<double, 2> errors{};
  for (std::size_t i = 0; i < errors.size(); ++i)
    errors[i] = observe(partitionedOscillator({.kind = solver::Kind::ode4}), kSteps[i],
                        tight(AlgorithmKind::iteratedGaussSeidel, 4, 3))
                    .error;
  showWithin({"overview S4", "waveform", "order 4 +-0.1 by waveforms that are iterated until they stay"},
             std::log2(errors[0] / errors[1]), 4.0, 0.1);
  coupling::AlgorithmSettings impatient = tight(AlgorithmKind::iteratedGaussSeidel, 4, 3);
  impatient.maxIterations = 2;
  EXPECT_EQ(observe(partitionedOscillator({.kind = solver::Kind::ode4}), kSteps[0], impatient).kind,
            run::OutcomeKind::notConverged);
}

TEST(PartitionedOscillator, JacobiMeetsTheSolutionOfGaussSeidel) {
  const auto errorBy = [](AlgorithmKind kind) {
    return observe(partitionedOscillator({.kind = solver::Kind::ode4}), 0.02, tight(kind, 4, 3)).error;
  };
  EXPECT_NEAR(errorBy(AlgorithmKind::iteratedJacobi), errorBy(AlgorithmKind::iteratedGaussSeidel), 1e-9);
}

TEST(PartitionedOscillator, AForceLawIsEvaluatedAtEverySample) {
  for (const AlgorithmKind kind : {AlgorithmKind::iteratedGaussSeidel, AlgorithmKind::iteratedJacobi}) {
    std::array<double, 2> errors{};
    for (std::size_t i = 0; i < errors.size(); ++i)
      errors[i] = observe(oscillatorWithSpring({.kind = solver::Kind::ode4}), kSteps[i + 1], tight(kind, 4, 3)).error;
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), 4.0, 0.15);
    EXPECT_LT(errors[1], 1e-6);
  }
}

TEST(PartitionedOscillator, BetterPredictionSavesEvaluations) {
  std::array<std::uint64_t, 5> evaluations{};
  for (unsigned degree = 0; degree < evaluations.size(); ++degree) {
    coupling::AlgorithmSettings settings = tight(AlgorithmKind::iteratedGaussSeidel, 4, 3);
    settings.predictor = degree;
    evaluations[degree] = observe(partitionedOscillator({.kind = solver::Kind::ode4}), 0.005, settings).evaluations;
    EXPECT_LE(evaluations[degree], evaluations[degree > 0 ? degree - 1 : 0]) << degree;
  }
  EXPECT_LT(evaluations[4], evaluations[0]);
}

}  // namespace
}  // namespace koppla::test
