// Signals and tables are functions of time, so nobody has to wait for them: held inputs take them at the beginning of
// the step, as FMI's convention is, whatever the order of evaluation.

#include <gtest/gtest.h>

#include "fmu_system.hpp"

namespace koppla::run::prescribed_test {
namespace {

using coupling::AlgorithmKind;
using test::Formula;

constexpr double kStep = 0.125;  // so that sums of steps are exact
constexpr unsigned kSteps = 8;

Formula fixed(Formula formula) {
  formula.capabilities.isStatic = true;
  return formula;
}

/// As native models without states are: known at any time, but taking steps like others.
Formula known(Formula formula) {
  formula.capabilities.evaluatesBetweenSteps = true;
  formula.capabilities.states = true;
  return formula;
}

Settings settingsOf(AlgorithmKind kind, unsigned degree = 0) {
  Settings settings;
  settings.step = kStep;
  settings.end = kSteps * kStep;
  settings.algorithm.kind = kind;
  settings.algorithm.degree = degree;
  return settings;
}

/// The signal t, an integral of it, its double, and an integral of that.
struct Chain {
  core::Log log;
  Run run;

  explicit Chain(const Settings& settings)
      : run(test::makeSystem({{"signal", fixed(test::clockSignal())},
                              {"integral", test::integrator()},
                              {"double", fixed(test::gain(2.0))},
                              {"behind", test::integrator()}},
                             {{"signal.y", "integral.u"}, {"signal.y", "double.u"}, {"double.y", "behind.u"}}),
            settings, log) {
    EXPECT_TRUE(run.initialise().ok());
    for (unsigned step = 0; step < kSteps; ++step) EXPECT_TRUE(run.step().ok());
  }
  [[nodiscard]] double value(const std::string& name) { return std::get<double>(run.value(name)); }
};

constexpr double kSquare = kStep * kStep;
constexpr double kOfBegins = kSquare * kSteps * (kSteps - 1) / 2.0;  // h (0 + h + 2 h + ... )
constexpr double kOfEnds = kSquare * kSteps * (kSteps + 1) / 2.0;

TEST(Prescribed, ValuesOfModelsWithoutStatesAreAlsoThoseOfTheBeginning) {
  for (const AlgorithmKind kind : {AlgorithmKind::gaussSeidel, AlgorithmKind::jacobi}) {
    core::Log log;
    run::Run run(test::makeSystem({{"signal", known(test::clockSignal())}, {"integral", test::integrator()}},
                                  {{"signal.y", "integral.u"}}),
                 settingsOf(kind), log);
    ASSERT_TRUE(run.initialise().ok());
    for (unsigned step = 0; step < kSteps; ++step) ASSERT_TRUE(run.step().ok());
    EXPECT_EQ(std::get<double>(run.value("integral.y")), kOfBegins);
    EXPECT_EQ(std::get<double>(run.value("signal.y")), kSteps * kStep) << "its own is that of the end";
  }
}

TEST(Prescribed, ValuesIntoHeldInputsAreThoseOfTheBeginning) {
  for (const AlgorithmKind kind : {AlgorithmKind::gaussSeidel, AlgorithmKind::jacobi}) {
    Chain chain(settingsOf(kind));
    EXPECT_EQ(chain.value("integral.y"), kOfBegins);
    EXPECT_EQ(chain.value("signal.y"), kSteps * kStep) << "its own is that of the end";
    EXPECT_EQ(chain.value("double.y"), 2.0 * kSteps * kStep) << "what is no step has the present value";
  }
  EXPECT_EQ(Chain(settingsOf(AlgorithmKind::gaussSeidel)).value("behind.y"), 2.0 * kOfEnds)
      << "other outputs as they have just been delivered";
}

TEST(Prescribed, ValuesAreInterpolatedWhereInputsFollowThem) {
  EXPECT_DOUBLE_EQ(Chain(settingsOf(AlgorithmKind::gaussSeidel, 1)).value("integral.y"), 0.5) << "of t up to 1";
}

/// Their inputs are those of the end, all of them.
TEST(Prescribed, ValuesOfIteratingAlgorithmsAreThoseOfTheEnd) {
  EXPECT_EQ(Chain(settingsOf(AlgorithmKind::iteratedGaussSeidel)).value("integral.y"), kOfEnds);
}

TEST(Prescribed, ValuesHaveTheErrorOfWhatIsHeld) {
  Chain chain(settingsOf(AlgorithmKind::gaussSeidel));
  for (const ConnectionStatistics& connection : chain.run.statistics().connections)
    if (connection.to == "integral.u") {
      EXPECT_FALSE(connection.interpolated);
      EXPECT_DOUBLE_EQ(connection.largest, kStep);
    }
}

}  // namespace
}  // namespace koppla::run::prescribed_test
