// Algebraic loops at the start: how near the first row is to their solution, and what a user is told of it.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fmu_system.hpp"
#include "support/extremes.hpp"

namespace koppla::run::start_distance_test {
namespace {

using coupling::AlgorithmKind;
using test::Formula;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kSolution = 2.0;

Settings settingsOf(AlgorithmKind kind) {
  Settings settings;
  settings.step = settings.end = 1.0;
  settings.algorithm.kind = kind;
  settings.algorithm.norm = coupling::Norm::max;
  return settings;
}

struct Started {
  Outcome outcome;
  std::vector<double> values;
  std::string warnings;
};

/// Whether the loop goes through another process, so that it is iterated at the start.
enum class By : std::uint8_t { newton, iteration };

/// A loop of a formula of y and what passes its values on, both starting at these values, initialised.
Started start(Formula a, By by, const std::vector<double>& values, const Settings& settings) {
  a.capabilities.ownProcess = by == By::iteration;
  const Formula pass{
      .inputs = a.inputs, .outputs = a.outputs, .states = {}, .output = [](const auto&, double, const auto& u) {
        return std::vector<double>(u.begin(), u.end());
      }};
  std::vector<test::Link> links;
  for (std::size_t i = 0; i < a.inputs.size(); ++i) {
    links.push_back({"a." + a.outputs[i], "pass." + a.inputs[i]});
    links.push_back({"pass." + a.outputs[i], "a." + a.inputs[i]});
  }
  const std::vector<std::string> outputs = a.outputs;
  coupling::System system = test::makeSystem({{"a", a}, {"pass", pass}}, links);
  for (coupling::Member& member : system.members)
    for (std::size_t i = 0; i < values.size(); ++i)
      member.startValues.push_back({*member.subsystem->describe().find(a.inputs[i]), {values[i]}});
  Started started;
  core::Log log;
  log.addSink(
      [&](core::Severity, std::string_view, std::string_view text) { started.warnings += std::string(text) + "\n"; },
      core::Severity::warning);
  Run run(std::move(system), settings, log);
  started.outcome = run.initialise();
  if (started.outcome.ok())
    for (const std::string& output : outputs) started.values.push_back(std::get<double>(run.value("pass." + output)));
  return started;
}

Formula scalar(std::function<double(double)> f) {
  return {.inputs = {"u"}, .outputs = {"y"}, .states = {}, .output = [f](const auto&, double, const auto& u) {
            return std::vector<double>{f(u[0])};
          }};
}

const Settings kExplicit = settingsOf(AlgorithmKind::gaussSeidel);

/// In tolerances.
double errorOf(double value, const Settings& settings) {
  return std::fabs(value - kSolution) / core::Tolerance{settings.algorithm.rtol}.allowed(kSolution, 0.0);
}

TEST(StartDistance, OfOneValueIsWithinTheTolerances) {
  for (const AlgorithmKind kind :
       {AlgorithmKind::gaussSeidel, AlgorithmKind::iteratedGaussSeidel, AlgorithmKind::newton})
    for (const By by : {By::newton, By::iteration})
      for (const double g : {0.9, 0.999, 0.99999, -5.0})
        for (const double from : {0.0, 1.9, 2.0 + 1e-4}) {
          const Settings settings = settingsOf(kind);
          const Started started =
              start(scalar([g](double u) { return g * u + (1.0 - g) * kSolution; }), by, {from}, settings);
          ASSERT_TRUE(started.outcome.ok()) << g << " from " << from << ": " << started.outcome.message;
          EXPECT_LE(errorOf(started.values[0], settings), 3.0) << g << " from " << from;
        }
}

/// y = s + J (u - s), J with the eigenvalues g and 0.1 in directions that all values share.
TEST(StartDistance, OfSeveralValuesIsWithinTheTolerances) {
  for (const By by : {By::newton, By::iteration})
    for (const double g : {0.9, 0.999, 0.9999, -5.0}) {
      const Formula two{
          .inputs = {"u0", "u1"},
          .outputs = {"y0", "y1"},
          .states = {},
          .output = [g](const auto&, double, const auto& u) {
            const double sum = 0.5 * (u[0] + u[1]) - kSolution;
            const double difference = 0.5 * (u[0] - u[1]);
            return std::vector<double>{kSolution + g * sum + 0.1 * difference, kSolution + g * sum - 0.1 * difference};
          }};
      const Settings settings = settingsOf(AlgorithmKind::gaussSeidel);
      const Started started = start(two, by, {1.0, 0.0}, settings);
      ASSERT_TRUE(started.outcome.ok()) << g << ": " << started.outcome.message;
      for (const double value : started.values) EXPECT_LE(errorOf(value, settings), 3.0) << g;
    }
}

/// Of no digits there are none to agree in.
TEST(StartDistance, OfASolutionAtZeroIsMeasuredByTheStart) {
  for (const By by : {By::newton, By::iteration})
    for (const double factor : {0.5, -5.0}) {
      const Started started = start(scalar([factor](double u) { return factor * std::tanh(u); }), by, {0.2}, kExplicit);
      ASSERT_TRUE(started.outcome.ok()) << factor << ": " << started.outcome.message;
      EXPECT_NEAR(started.values[0], 0.0, 1e-6);
    }
}

TEST(StartDistance, OfTheTestByResidualIsNotBounded) {
  Settings settings = settingsOf(AlgorithmKind::gaussSeidel);
  settings.algorithm.test = coupling::ConvergenceTest::residual;
  const Started started =
      start(scalar([](double u) { return 0.99999 * u + 0.00001 * kSolution; }), By::iteration, {1.9}, settings);
  ASSERT_TRUE(started.outcome.ok());
  EXPECT_GT(errorOf(started.values[0], settings), 1000.0);
}

// u = u^2 + 0.2 has the solutions (1 -+ sqrt(0.2)) / 2, of slopes 1 -+ sqrt(0.2).
double square(double u) {
  return u * u + 0.2;
}
const double kRoot = std::sqrt(0.2);

TEST(RepellingSolution, AtTheStartIsWarnedOf) {
  const Started repelled = start(scalar(square), By::newton, {0.72}, kExplicit);
  ASSERT_TRUE(repelled.outcome.ok()) << repelled.outcome.message;
  ASSERT_NEAR(repelled.values[0], 0.5 * (1.0 + kRoot), 1e-4);
  EXPECT_THAT(repelled.warnings, AllOf(HasSubstr("answers move away from what is sent"), HasSubstr("a.y"),
                                       HasSubstr("= 0.723607"), HasSubstr("slope 1.447")));
}

/// u = 3 sin(u) from 0, where inputs begin that nobody sets: Newton's method goes no way on which slopes could differ.
TEST(RepellingSolution, WhereTheStartLiesAlreadyIsWarnedOf) {
  const Started atZero = start(scalar([](double u) { return 3.0 * std::sin(u); }), By::newton, {0.0}, kExplicit);
  ASSERT_TRUE(atZero.outcome.ok()) << atZero.outcome.message;
  EXPECT_THAT(atZero.warnings,
              AllOf(HasSubstr("move away from what is sent"), HasSubstr("a.y = 0"), HasSubstr("slope 3")));
  const Started given = start(scalar(square), By::newton, {0.5 * (1.0 + kRoot)}, kExplicit);
  ASSERT_TRUE(given.outcome.ok()) << given.outcome.message;
  EXPECT_THAT(given.warnings, AllOf(HasSubstr("= 0.723607"), HasSubstr("slope 1.447")));
}

/// The default acceleration, from the same start values or others, may find the other solution.
TEST(RepellingSolution, IsNoneWherePlainIterationWouldCome) {
  for (const By by : {By::newton, By::iteration}) {
    const Started meant = start(scalar(square), by, {0.3}, kExplicit);
    ASSERT_TRUE(meant.outcome.ok()) << meant.outcome.message;
    ASSERT_NEAR(meant.values[0], 0.5 * (1.0 - kRoot), 1e-4);
    EXPECT_THAT(meant.warnings, testing::Not(HasSubstr("move away")));
  }
}

/// There is one solution only, whatever the slope, and where values turn round it none beside it is needed.
TEST(RepellingSolution, IsNoneOfALinearLoopNorOfOneThatTurnsRound) {
  for (const By by : {By::newton, By::iteration}) {
    for (const double g : {3.0, -3.0})
      EXPECT_THAT(start(scalar([g](double u) { return g * u + 0.2; }), by, {0.5}, kExplicit).warnings,
                  testing::Not(HasSubstr("move away")))
          << g;
    const Started turning = start(scalar([](double u) { return 1.0 - 5.0 * std::sinh(u); }), by, {0.5}, kExplicit);
    ASSERT_TRUE(turning.outcome.ok()) << turning.outcome.message;
    EXPECT_THAT(turning.warnings, testing::Not(HasSubstr("move away")));
  }
}

/// So many digits as a file might have.
double printed(double value, int digits) {
  return std::stod(fmt::format("{:.{}e}", value, digits - 1));
}

Formula printing(double g, int digits) {
  Formula formula = scalar([=](double u) { return printed(g * u + (1.0 - g) * kSolution, digits); });
  formula.digits = static_cast<unsigned>(digits);
  return formula;
}

/// Of a run of one step through a program that prints four digits.
std::string warningsOfDigits(double g, coupling::Initialisation when) {
  Settings settings = settingsOf(AlgorithmKind::iteratedGaussSeidel);
  settings.algorithm.rtol = 1e-3;
  settings.algorithm.initialisation = when;
  core::Log log;
  std::string text;
  log.addSink([&](core::Severity, std::string_view, std::string_view line) { text += std::string(line) + "\n"; },
              core::Severity::warning);
  Formula program = printing(g, 4);
  program.capabilities.ownProcess = true;
  Run run(test::makeSystem({{"program", program}, {"pass", test::gain(1.0)}},
                           {{"program.y", "pass.u"}, {"pass.y", "program.u"}}),
          settings, log);
  const Outcome started = run.initialise();
  EXPECT_TRUE(started.ok()) << started.message;
  const Outcome ended = run.simulate();
  EXPECT_TRUE(ended.ok()) << ended.message;
  return text;
}

/// Four digits of about 2 leave 5e-4 open, with g = 0.999 a thousand times as much.
TEST(PrintedDigits, AreWarnedOfWhereSlopesAmplifyThem) {
  for (const coupling::Initialisation when : {coupling::Initialisation::solve, coupling::Initialisation::startValues}) {
    EXPECT_THAT(warningsOfDigits(0.5, when), IsEmpty());
    for (const double g : {0.999, 0.9999})
      EXPECT_THAT(warningsOfDigits(g, when),
                  AllOf(HasSubstr("program"), HasSubstr("has 4 digits"), HasSubstr("times the tolerance")));
  }
}

}  // namespace
}  // namespace koppla::run::start_distance_test
