// What the watch over an iteration sees, look by look, in values that the test sends and answers itself.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "watched.hpp"

namespace koppla::coupling::monitor_test {
namespace {

using namespace koppla::coupling::scripted;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Behaviours, AreNamedByK) {
  const std::vector<std::pair<double, std::string>> rows{{-1e300, "alternating-divergent"},
                                                         {-1.0, "alternating-divergent"},
                                                         {-0.999, "alternating-convergent"},
                                                         {-1e-300, "alternating-convergent"},
                                                         {0.0, "monotone-convergent"},
                                                         {0.999, "monotone-convergent"},
                                                         {1.0, "monotone-growing"},
                                                         {1e300, "monotone-growing"},
                                                         {kNan, ""},
                                                         {HUGE_VAL, ""},
                                                         {-HUGE_VAL, ""}};
  for (const auto& [k, name] : rows) EXPECT_EQ(word(behaviourOf(k)), name) << k;
}

/// The norms of a step, by what was sent (rms, nicolai) or by what was answered.
TEST(Monitor, WeighsDifferencesByTheNormOfTheSettings) {
  const Reals sent{1.0, 2.0, -4.0};
  const Reals answered{1.5, 2.0, -3.0};
  const Reals difference{0.5, 0.0, 1.0};
  for (const Norm norm : {Norm::rms, Norm::nicolai, Norm::max, Norm::fieldRms, Norm::fieldMax})
    for (const bool divided : {false, true}) {
      const core::Tolerance tolerance{0.125, 0.25};
      AlgorithmSettings settings;
      settings.rtol = tolerance.rtol;
      settings.atol = tolerance.atol;
      settings.norm = norm;
      if (divided)
        settings.convergence = {group("x", {{0, 1}}, tolerance, norm), group("y", {{1, 1}}, tolerance, norm)};
      Watched watched(settings);
      watched.look(sent, answered);
      const Reals& reference = norm == Norm::rms || norm == Norm::nicolai ? sent : answered;
      const std::span<const double> d(difference);
      const std::span<const double> r(reference);
      if (!divided) {
        EXPECT_DOUBLE_EQ(watched.monitor->norm(), core::weightedNorm(norm, tolerance, d, r));
        EXPECT_EQ(watched.monitor->groups(), std::vector<std::string>{"all"});
        continue;
      }
      const double ofX = core::weightedNorm(norm, tolerance, d.first(2), r.first(2));
      const double ofY = core::weightedNorm(norm, tolerance, d.last(1), r.last(1));
      ASSERT_EQ(watched.monitor->norms().size(), 2U);
      EXPECT_DOUBLE_EQ(watched.monitor->norms()[0], ofX);
      EXPECT_DOUBLE_EQ(watched.monitor->norms()[1], ofY);
      EXPECT_DOUBLE_EQ(watched.monitor->norm(), std::max(ofX, ofY));
    }
}

TEST(Monitor, TestsTheGroupsThatTheCycleExchanges) {
  const core::Tolerance one{0.0, 1.0};
  Watched watched(
      tested({group("nothing", {{0, 2}}, one), group("y", {{1, 1}}, {0.0, 0.5}), group("x", {{0, 1}}, one)}));
  EXPECT_EQ(watched.monitor->groups(), (std::vector<std::string>{"y", "x"})) << "z is not exchanged";
  watched.look({0.0, 0.0, 0.0}, {3.0, -4.0, 1.0});
  EXPECT_EQ(Reals(watched.monitor->norms().begin(), watched.monitor->norms().end()), (Reals{2.0, 4.0}));
  EXPECT_EQ(watched.monitor->norm(), 4.0);
  watched.look({0.0, 0.0, 0.0}, {0.0, 0.0, 5.0});
  EXPECT_EQ(watched.monitor->norm(), 10.0) << "of the first group";
  Watched all(tested({group("nothing", {{0, 2}}, one)}));
  EXPECT_EQ(all.monitor->groups(), std::vector<std::string>{"all"}) << "nothing is left to test";
}

TEST(Monitor, AGroupOfOneOutputDoesNotSeeTheOthers) {
  Watched watched(tested({group("y", {{1, 1}}, {0.0, 0.5})}));
  watched.look({0.0, 0.0, 0.0}, {3.0, -4.0, 1.0});
  EXPECT_EQ(watched.monitor->norm(), 2.0);
  EXPECT_TRUE(watched.monitor->untested(*watched.problem).empty()) << "in sequence y alone flows back";
  Watched other(tested({group("x", {{0, 1}}, {0.0, 0.5})}));
  EXPECT_EQ(other.monitor->untested(*other.problem), Places{3});
}

TEST(Monitor, TellsTheTightestToleranceOfValues) {
  Watched watched(tested({group("x", {{0, 1}}, {1e-3, 1e-6}), group("both", {{0, 1}, {1, 1}}, {1e-4, 1e-5})}));
  const auto of = [&](const Places& values) {
    const core::Tolerance tolerance = watched.monitor->toleranceOf(values);
    return std::pair(tolerance.rtol, *tolerance.atol);
  };
  EXPECT_EQ(of({0}), std::pair(1e-4, 1e-6)) << "each of both where it is tighter";
  EXPECT_EQ(of({3}), std::pair(1e-4, 1e-5));
  EXPECT_EQ(of({3, 1}), std::pair(1e-4, 1e-6));
  EXPECT_EQ(of({2}), std::pair(0.0, 0.0)) << "nobody tests it";
  EXPECT_EQ(of({}), std::pair(0.0, 0.0));
}

TEST(Monitor, KnowsKOfTheLastThreeAnswers) {
  for (const unsigned innocent : {1U, 2U}) {
    Watched watched({}, innocent);
    std::vector<Reals> answers;
    for (int i = 0; i < 9; ++i) answers.push_back({std::pow(-0.5, i), std::pow(0.75, i) + i, 3.0 + std::sin(2.0 * i)});
    for (std::size_t i = 0; i < answers.size(); ++i) {
      watched.look({0.0, 0.0, 0.0}, answers[i]);
      if (i < 2) {
        EXPECT_TRUE(std::isnan(watched.monitor->k()));
        continue;
      }
      double product = 0.0;
      double square = 0.0;
      for (std::size_t v = 0; v < 3; ++v) {
        const double newer = answers[i][v] - answers[i - 1][v];
        const double older = answers[i - 1][v] - answers[i - 2][v];
        product += newer * older;
        square += older * older;
      }
      EXPECT_DOUBLE_EQ(watched.monitor->k(), product / square) << i;
    }
  }
}

TEST(Monitor, HasNoKWhereAnswersStay) {
  Watched watched({});
  for (int i = 0; i < 3; ++i) watched.look({0.0, 0.0, 0.0}, {1.0, 2.0, 3.0});
  EXPECT_TRUE(std::isnan(watched.monitor->k()));
  watched.look({0.0, 0.0, 0.0}, {2.0, 2.0, 3.0});
  EXPECT_TRUE(std::isnan(watched.monitor->k())) << "nothing had moved before";
  watched.monitor->begin();
  watched.look({0.0, 0.0, 0.0}, {3.0, 2.0, 3.0});
  watched.look({0.0, 0.0, 0.0}, {4.0, 2.0, 3.0});
  EXPECT_TRUE(std::isnan(watched.monitor->k())) << "a new step";
}

AlgorithmSettings growth(double factor) {
  AlgorithmSettings settings;
  settings.explosionGrowth = factor;
  return settings;
}

/// So many times as large as the innocent evaluations, or as accepted steps and the start were.
TEST(Monitor, SeesAFieldThatIsFarBeyondAllItWas) {
  for (const double value : {2000.0, -2000.0, 2001.0, -2001.0}) {
    Watched watched(growth(1000.0), 2);
    watched.look({0.0, 0.0, 0.0}, {1.0, 0.5, 0.0});
    watched.look({0.0, 0.0, 0.0}, {0.0, -2.0, 0.0});
    EXPECT_FALSE(watched.monitor->exploded());
    watched.look({0.0, 0.0, 0.0}, {value, 0.0, 0.0});
    EXPECT_EQ(watched.monitor->exploded(), std::fabs(value) > 2000.0 ? std::optional<std::size_t>(0) : std::nullopt);
    watched.look({0.0, 0.0, 0.0}, {0.0, 3000.0, 0.0});
    EXPECT_EQ(watched.monitor->exploded(), std::optional<std::size_t>(1));
    watched.look({0.0, 0.0, 0.0}, {1.0, 3.0, 0.0});
    EXPECT_FALSE(watched.monitor->exploded()) << "it is over";
  }
}

TEST(Monitor, TheFirstEvaluationsAreInnocent) {
  Watched watched(growth(10.0), 2, 0, {1.0, 1.0, 1.0});
  watched.look({0.0, 0.0, 0.0}, {1e8, 1.0, 1.0});
  EXPECT_FALSE(watched.monitor->exploded());
  watched.look({0.0, 0.0, 0.0}, {1.0, 1.0, 1e8});
  EXPECT_FALSE(watched.monitor->exploded());
  watched.look({0.0, 0.0, 0.0}, {1.0, 1.0, 1.1e9});
  EXPECT_EQ(watched.monitor->exploded(), std::optional<std::size_t>(3));
}

TEST(Monitor, ValuesBelowOneAreNoMeasureOfSize) {
  Watched watched(growth(1000.0));
  watched.look({0.0, 0.0, 0.0}, {1e-9, 0.0, 1e-9});
  watched.look({0.0, 0.0, 0.0}, {999.0, 0.0, 0.0});
  EXPECT_FALSE(watched.monitor->exploded());
  watched.look({0.0, 0.0, 0.0}, {0.0, 0.0, 1001.0});
  EXPECT_EQ(watched.monitor->exploded(), std::optional<std::size_t>(3));
}

TEST(Monitor, AFieldThatWasZeroAlwaysHasNoMeasure) {
  Watched watched(growth(1000.0));
  watched.look({0.0, 0.0, 0.0}, {1.0, 0.0, 0.0});
  watched.look({0.0, 0.0, 0.0}, {0.0, 0.0, 1e9});
  EXPECT_FALSE(watched.monitor->exploded());
}

TEST(Monitor, WithoutGrowthNothingExplodes) {
  Watched watched(growth(0.0));
  for (const double value : {1.0, 1e99, 1e99}) watched.look({0.0, 0.0, 0.0}, {value, value, value});
  EXPECT_FALSE(watched.monitor->exploded());
}

TEST(Monitor, AcceptedStepsAndTheStartAreMeasures) {
  Watched watched(growth(10.0), 1, 0, {0.0, -50.0, 0.0});
  watched.look({0.0, 0.0, 0.0}, {1.0, 1.0, 1.0});
  watched.look({0.0, 0.0, 0.0}, {499.0, 1.0, 1.0});
  EXPECT_FALSE(watched.monitor->exploded()) << "ten times the start";
  watched.look({0.0, 0.0, 0.0}, {501.0, 1.0, 1.0});
  EXPECT_EQ(watched.monitor->exploded(), std::optional<std::size_t>(0));
  watched.look({0.0, 0.0, 0.0}, {-200.0, 1.0, 1.0});
  watched.monitor->accept();
  watched.put({1e9, 1e9, 1e9});  // predictions
  watched.monitor->begin();
  EXPECT_FALSE(watched.monitor->exploded());
  watched.look({0.0, 0.0, 0.0}, {1.0, 1.0, 1.0});
  watched.look({0.0, 0.0, 0.0}, {1999.0, 1.0, 1.0});
  EXPECT_FALSE(watched.monitor->exploded());
  watched.look({0.0, 0.0, 0.0}, {2001.0, 1.0, 1.0});
  EXPECT_TRUE(watched.monitor->exploded());
}

TEST(Monitor, MayOnlyWatchForExplosions) {
  Watched watched(growth(10.0), 1);
  for (const double value : {1.0, 10.0, 10.5}) {
    watched.evaluate({0.0, 0.0, 0.0}, {1.0, 1.0, value});
    watched.monitor->watch(*watched.problem);
    EXPECT_EQ(watched.monitor->exploded().has_value(), value > 10.0);
  }
  EXPECT_EQ(watched.monitor->norm(), 0.0);
}

/// By the absolute tolerance errors of x may be 1e-6: 1 % of 1e-4.
TEST(Monitor, SaysWhichValuesTheAbsoluteToleranceHides) {
  const auto hidden = [](const Reals& answered, core::Tolerance ofX) {
    Watched watched(tested({group("x", {{0, 1}}, ofX), group("y", {{1, 1}}, {1e-5, 1e-6})}));
    watched.look({0.0, 0.0, 0.0}, answered);
    watched.monitor->accept();
    Places outputs;
    for (const ConvergenceMonitor::Tested& port : watched.monitor->tested())
      if (port.isHidden()) outputs.push_back(port.output);
    return outputs;
  };
  EXPECT_EQ(hidden({1e-9, -0.9e-4, 1.0}, {1e-5, 1e-6}), Places{0}) << "the largest value of a port counts";
  EXPECT_EQ(hidden({1e-9, -1.1e-4, 0.9e-4}, {1e-5, 1e-6}), Places{3});
  EXPECT_EQ(hidden({0.0, 0.0, 0.0}, {1e-5, 1e-6}), Places{}) << "zero is exact";
  EXPECT_EQ(hidden({1e-9, 1e-9, 1.0}, {1e-6, 0.0}), Places{});
  EXPECT_EQ(hidden({1e-9, 1e-9, 1.0}, {1e-6}), Places{}) << "by their own size";
  EXPECT_EQ(hidden({1e-9, -0.9e-4, 1.0}, {1e-2, 1e-6}), Places{}) << "rtol allows as much";
  Watched untested(tested({group("y", {{1, 1}}, {0.0, 1e-6})}));
  untested.look({0.0, 0.0, 0.0}, {1e-9, 1e-9, 1.0});
  untested.monitor->accept();
  EXPECT_EQ(untested.monitor->tested().size(), 1U) << "nobody tests x";
}

/// Half a unit of the third digit of 12.3 is 0.05, of 0.00123 5e-6.
TEST(Monitor, SeesThatDigitsAreTooFewForTheTolerance) {
  struct Case {
    double x0, x1, atol;
    std::optional<std::size_t> coarse;
  };
  for (const Case& c : {Case{12.3, 0.0, 0.04, 0}, Case{12.3, 0.0, 0.06, {}}, Case{0.0, -12.3, 0.04, 1},
                        Case{0.00123, 0.0, 4e-6, 0}, Case{0.00123, 0.0, 6e-6, {}}, Case{0.00123, 12.3, 0.04, 1},
                        Case{99.9, 0.0, 0.04, 0}, Case{100.0, 0.0, 0.4, 0}, Case{100.0, 0.0, 0.6, {}}}) {
    Watched watched(tested({group("x", {{0, 1}}, {0.0, c.atol})}), 1, 3);
    watched.look({0.0, 0.0, 0.0}, {c.x0, c.x1, 0.0});
    EXPECT_EQ(watched.monitor->coarse(), c.coarse) << c.x0 << ' ' << c.x1 << ' ' << c.atol;
  }
  Watched exact(tested({group("x", {{0, 1}}, {0.0, 1e-30})}));
  exact.look({0.0, 0.0, 0.0}, {12.3, 0.0, 0.0});
  EXPECT_FALSE(exact.monitor->coarse());
  Watched other(tested({group("y", {{1, 1}}, {0.0, 1e-30})}), 1, 3);
  other.look({0.0, 0.0, 0.0}, {12.3, 0.0, 12.3});
  EXPECT_FALSE(other.monitor->coarse()) << "nobody tests what is read from text";
}

TEST(Monitor, OfPrintedAndExactValuesThePrintedOnesAreCoarse) {
  Watched mixed(tested({group("both", {{0, 1}, {1, 1}}, {0.0, 6e-6})}), 1, 3);
  mixed.look({0.0, 0.0, 0.0}, {0.00123, 0.0, 12.3});
  EXPECT_FALSE(mixed.monitor->coarse());
  mixed.look({0.0, 0.0, 0.0}, {0.0123, 0.0, 12.3});
  EXPECT_EQ(mixed.monitor->coarse(), std::optional<std::size_t>(0));
  Watched one(tested({group("x", {{0, 1}}, {0.0, 4.0})}), 1, 1);
  one.look({0.0, 0.0, 0.0}, {0.0, 12.3, 0.0});
  EXPECT_EQ(one.monitor->coarse(), std::optional<std::size_t>(1)) << "five of one digit";
}

TEST(Monitor, StagnatesAtOnceWhereTheLastDigitIsReached) {
  Watched watched(tested({group("x", {{0, 1}}, {0.0, 0.01})}), 1, 3);
  watched.look({12.4, 0.0, 0.0}, {12.3, 0.0, 0.0});
  EXPECT_TRUE(watched.monitor->coarse());
  EXPECT_FALSE(watched.monitor->stagnates()) << "ten tolerances, and half a digit is five";
  watched.look({12.34, 0.0, 0.0}, {12.3, 0.0, 0.0});
  EXPECT_TRUE(watched.monitor->stagnates());
  watched.look({0.0, 0.0, 0.0}, {0.0, 0.0, 0.0});
  EXPECT_FALSE(watched.monitor->coarse()) << "zero is exact";
  EXPECT_FALSE(watched.monitor->stagnates());
}

/// Looks at residuals of y = 1 in units of the tolerance, from the first one on; true where the last one stagnates.
bool stagnates(const Reals& residuals, double unit, unsigned digits = 0) {
  AlgorithmSettings settings = tested({group("y", {{1, 1}}, {0.0, unit})});
  if (digits > 0) settings = tested({group("y", {{1, 1}}, {0.0, unit}), group("x", {{0, 1}}, {0.0, 1e3})});
  Watched watched(settings, 1, digits);
  for (const double residual : residuals) watched.look({0.0, 0.0, 1.0 - residual * unit}, {0.0, 0.0, 1.0});
  return watched.monitor->stagnates();
}

Reals followed(Reals begin, std::size_t times, double value) {
  begin.insert(begin.end(), times, value);
  return begin;
}

TEST(Monitor, StagnatesTwentyEvaluationsAfterTheResidualFellForTheLastTime) {
  EXPECT_FALSE(stagnates(followed({1e6, 10.0}, 19, 10.0), 1e-9));
  EXPECT_TRUE(stagnates(followed({1e6, 10.0}, 20, 10.0), 1e-9));
  // A fall by a tenth counts, however many iterations it took, a smaller one does not.
  Reals creeping = followed({1e6, 10.0}, 10, 9.5);
  EXPECT_TRUE(stagnates(followed(creeping, 10, 9.1), 1e-9));
  EXPECT_FALSE(stagnates(followed(creeping, 10, 8.9), 1e-9));
}

TEST(Monitor, StagnatesOnlyWhereTheResidualHasFallenFar) {
  EXPECT_TRUE(stagnates(followed({1e4, 9.0}, 20, 9.0), 1e-9));
  EXPECT_FALSE(stagnates(followed({1e4, 11.0}, 20, 11.0), 1e-9)) << "to a thousandth";
  // The largest residual need not be the first one.
  EXPECT_TRUE(stagnates(followed({10.0, 1e6, 9.0, 8.0}, 20, 8.5), 1e-9));
}

TEST(Monitor, StagnatesOnlyWhereTheResidualIsSmallBesideTheValues) {
  EXPECT_TRUE(stagnates(followed({1e6, 0.9}, 20, 0.9), 1e-6));
  EXPECT_FALSE(stagnates(followed({1e6, 1.1}, 20, 1.1), 1e-6));
  // Differences of printed values have fewer digits.
  EXPECT_TRUE(stagnates(followed({1e6, 0.9}, 20, 0.9), 1e-4, 5));
  EXPECT_FALSE(stagnates(followed({1e6, 1.1}, 20, 1.1), 1e-4, 5));
}

TEST(Monitor, ANewStepBeginsItsPatienceAnew) {
  Watched watched(tested({group("y", {{1, 1}}, {0.0, 1e-9})}));
  for (int step = 0; step < 2; ++step) {
    for (const double residual : followed({1e6, 10.0}, 19, 10.0))
      watched.look({0.0, 0.0, 1.0 - residual * 1e-9}, {0.0, 0.0, 1.0});
    EXPECT_FALSE(watched.monitor->stagnates());
    watched.monitor->begin();
  }
}

TEST(Monitor, LooksAtAllPointsOfAWaveform) {
  AlgorithmSettings settings = growth(10.0);
  settings.norm = Norm::max;
  settings.rtol = 0.0;
  settings.atol = 1.0;
  for (const bool divided : {false, true}) {
    if (divided) settings.convergence = {group("y", {{1, 1}}, {0.0, 0.5})};
    System system;
    std::array<Reals, 3> answers;  // by point
    const auto member = [&](std::size_t place) {
      Script script;
      script.ports = {in("u"), out("y")};
      script.advance = [&answers, place](const Step& step, Trajectory, std::span<double> y, Binding&) {
        y[0] = answers[static_cast<std::size_t>(std::lround(step.t1 * 3.0)) - 1][place];
        return StepResult{Status::ok, step.t1};
      };
      return script;
    };
    add(system, "a", member(0));
    add(system, "b", member(1));
    connect(system, {{"a.y", "b.u"}, {"b.y", "a.u"}});
    Network network(system, std::vector<Cycle>{{{0, 1}, true}}, 1e100);
    Waveform waveform(2, 3, 1, {});
    InterfaceProblem problem(network, {0, 2}, Form::parallel, waveform);
    ConvergenceMonitor monitor(network, problem, settings, 1);
    monitor.begin();
    const auto look = [&](const std::array<Reals, 3>& sent, const std::array<Reals, 3>& answered) {
      Reals samples;
      for (const Reals& point : sent) samples.insert(samples.end(), point.begin(), point.end());
      answers = answered;
      waveform.begin(network.outputs());
      ASSERT_FALSE(problem.begin({0.0, 1.0, false}, {}));
      problem.send({0, 1}, samples);
      ASSERT_FALSE(problem.evaluate());
      monitor.look(problem);
    };
    look({Reals{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}}, {Reals{1.0, 2.0}, {3.0, 4.5}, {2.0, 6.0}});
    EXPECT_EQ(monitor.norm(), divided ? 1.0 : 3.0);
    look({Reals{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}}, {Reals{1.0, 2.0}, {3.0, 4.0}, {5.0, -7.0}});
    EXPECT_EQ(monitor.norm(), divided ? 26.0 : 13.0);
    // The largest answers of the first look were 3 and 6, at different points.
    look({Reals{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}}, {Reals{1.0, 2.0}, {-29.0, 4.0}, {5.0, 59.0}});
    EXPECT_FALSE(monitor.exploded());
    look({Reals{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}}, {Reals{1.0, 2.0}, {-31.0, 4.0}, {5.0, 59.0}});
    EXPECT_EQ(monitor.exploded(), std::optional<std::size_t>(0));
    look({Reals{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}}, {Reals{1.0, 2.0}, {3.0, 4.0}, {5.0, 61.0}});
    EXPECT_EQ(monitor.exploded(), std::optional<std::size_t>(1));
  }
}

}  // namespace
}  // namespace koppla::coupling::monitor_test
