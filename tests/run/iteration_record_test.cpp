// The history of iterations, against an iteration that is written down in the test.

#include <array>
#include <cmath>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "field_member.hpp"
#include "fmu_system.hpp"

namespace koppla::run::iteration_record_test {
namespace {

using coupling::AlgorithmKind;
using test_support::FieldMember;
using ::testing::Contains;
using ::testing::ElementsAre;

/// Rows by the names of their columns.
class Rows final : public results::Recorder {
 public:
  void begin(const std::vector<results::Column>& columns) override { columns_ = columns; }
  void row(double time, const core::Values& values) override {
    times.push_back(time);
    std::size_t reals = 0, integers = 0, strings = 0;
    for (const results::Column& column : columns_) {
      if (column.type == core::Type::real) numbers[column.name].push_back(values.reals.at(reals++));
      if (column.type == core::Type::integer) numbers[column.name].push_back(values.integers.at(integers++));
      if (column.type == core::Type::string) words[column.name].push_back(values.strings.at(strings++));
    }
    EXPECT_EQ(reals, values.reals.size());
    EXPECT_EQ(integers, values.integers.size());
    EXPECT_EQ(strings, values.strings.size());
  }
  void complete() override { ++completed; }
  void abandon() override { ++abandoned; }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const results::Column& column : columns_) result.push_back(column.name);
    return result;
  }
  [[nodiscard]] std::string unitOf(const std::string& name) const {
    for (const results::Column& column : columns_)
      if (column.name == name) return column.unit;
    return "no such column";
  }

  std::vector<double> times;
  std::map<std::string, std::vector<double>> numbers;
  std::map<std::string, std::vector<std::string>> words;
  int completed = 0;
  int abandoned = 0;

 private:
  std::vector<results::Column> columns_;
};

constexpr std::array<double, 2> kSlopes{-0.5, 0.25};
constexpr std::array<double, 2> kOffsets{3.0, -2.0};

/// a.y = slopes * a.u + offsets (1 + t) and b.y = a.y, two elements each, in one cycle; c.y = 0.1 c.u + 1 and d.y = c.y
/// in another, of one element.
coupling::System twoCycles() {
  coupling::System system;
  const auto add = [&](const char* name, std::size_t size, FieldMember::Answer answer) {
    system.members.push_back({name, std::make_unique<FieldMember>(size, size, std::move(answer)), {}});
  };
  const auto pass = [](double, std::span<const double> u) { return std::vector<double>(u.begin(), u.end()); };
  add("a", 2, [](double t, std::span<const double> u) {
    return std::vector<double>{kSlopes[0] * u[0] + kOffsets[0] * (1.0 + t),
                               kSlopes[1] * u[1] + kOffsets[1] * (1.0 + t)};
  });
  add("b", 2, pass);
  add("c", 1, [](double, std::span<const double> u) { return std::vector<double>{0.1 * u[0] + 1.0}; });
  add("d", 1, pass);
  koppla::test::connect(system, {{"a.y", "b.u"}, {"b.y", "a.u"}, {"c.y", "d.u"}, {"d.y", "c.u"}});
  return system;
}

Settings plain(std::vector<std::string> watched) {
  Settings settings;
  settings.step = 0.5;
  settings.algorithm.kind = AlgorithmKind::iteratedGaussSeidel;
  settings.algorithm.acceleration.kind = coupling::AcceleratorKind::none;
  settings.algorithm.test = coupling::ConvergenceTest::residual;
  settings.algorithm.initialisation = coupling::Initialisation::startValues;
  settings.algorithm.predictor = 0;
  settings.algorithm.atol = settings.algorithm.rtol = 1e-6;
  settings.algorithm.convergence = {{"fields", {"a.*", "b.*"}, {}, {1e-6, 1e-6}, coupling::Norm::max},
                                    {"numbers", {"c.*", "d.*"}, {}, {1e-6, 1e-6}, coupling::Norm::max}};
  settings.recordsIterations = true;
  settings.iterationVariables = std::move(watched);
  return settings;
}

/// Simulates; rows and history.
Outcome simulate(coupling::System system, const Settings& settings, Rows& history) {
  core::Log log;
  run::Run run(std::move(system), settings, log, Recorders(nullptr, &history));
  Outcome outcome = run.initialise();
  if (outcome.ok()) outcome = run.simulate();
  run.end();
  return outcome;
}

TEST(IterationRecord, ColumnsAreThoseOfTheirVariables) {
  Rows history;
  ASSERT_TRUE(simulate(twoCycles(), plain({"b.y", "c.y", "a.y[2]"}), history).ok());
  EXPECT_THAT(
      history.names(),
      ElementsAre("step", "cycle", "iteration", "total", "residual", "residual.fields", "residual.numbers", "error",
                  "K", "behaviour", "acceleration", "factor_smallest", "factor_largest", "columns", "dropped", "ending",
                  "a.y[2]", "a.y[2].residual", "a.y[2].K", "a.y[2].factor", "b.y[1]", "b.y[1].residual", "b.y[1].K",
                  "b.y[1].factor", "b.y[2]", "b.y[2].residual", "b.y[2].K", "b.y[2].factor", "c.y", "c.y.residual",
                  "c.y.K", "c.y.factor", "a.y.change_mean", "a.y.change_largest", "b.y.change_mean",
                  "b.y.change_largest", "c.y.change_mean", "c.y.change_largest"));
  EXPECT_EQ(history.unitOf("b.y[1]"), "m");
  EXPECT_EQ(history.unitOf("b.y[1].residual"), "m");
  EXPECT_EQ(history.unitOf("b.y[1].K"), "");
  EXPECT_EQ(history.unitOf("b.y.change_mean"), "m");
  EXPECT_EQ(history.completed, 1);
  EXPECT_EQ(history.abandoned, 0);
  Rows nothing;
  Settings settings = plain({});
  settings.algorithm.convergence.clear();
  ASSERT_TRUE(simulate(twoCycles(), settings, nothing).ok());
  EXPECT_THAT(nothing.names(), Contains("residual.all"));
  EXPECT_EQ(nothing.names().size(), 15U);
}

/// u = 0.9 u + 0.2 has the solution 2, of which plain iteration leaves 0.9 times as much with each evaluation.
TEST(IterationRecord, TellsTheErrorWhereItWasEstimated) {
  Rows history;
  Settings settings = plain({"a.y"});
  settings.algorithm.convergence.clear();
  settings.algorithm.test = coupling::ConvergenceTest::error;
  settings.algorithm.maxIterations = 200;
  ASSERT_TRUE(simulate(test::makeSystem({{"a", test::gain(0.9, 0.2)}, {"b", test::gain(1.0)}},
                                        {{"a.y", "b.u"}, {"b.y", "a.u"}}),
                       settings, history)
                  .ok());
  unsigned estimated = 0;
  for (std::size_t i = 0; i < history.times.size() && history.words.at("ending")[i].empty(); ++i) {
    const double left = 2.0 - history.numbers.at("a.y")[i];
    const double error = history.numbers.at("error")[i];
    if (history.numbers.at("residual")[i] > 1.0) {
      EXPECT_TRUE(std::isnan(error)) << i;
      continue;
    }
    EXPECT_NEAR(error, left / (1e-6 * 2.0 + 1e-6), 0.01 * error) << i;
    ++estimated;
  }
  EXPECT_GT(estimated, 10U) << "the residual is a tenth of the distance that was left before";
}

/// Rows are numbered by steps, iterations and in all; the cycles of a step share its number. The last iteration of a
/// step says how it ended.
TEST(IterationRecord, RowsAreNumbered) {
  Rows history;
  ASSERT_TRUE(simulate(twoCycles(), plain({}), history).ok());
  const auto& step = history.numbers["step"];
  const auto& iteration = history.numbers["iteration"];
  const auto& cycle = history.words["cycle"];
  ASSERT_GT(step.size(), 8U);
  int steps = 0;
  for (std::size_t i = 0; i < step.size(); ++i) {
    EXPECT_EQ(history.numbers["total"][i], static_cast<double>(i + 1));
    if (i == 0 || history.times[i] != history.times[i - 1]) ++steps;
    EXPECT_EQ(step[i], steps) << i;
    const bool begins = i == 0 || cycle[i] != cycle[i - 1] || history.times[i] != history.times[i - 1];
    EXPECT_EQ(iteration[i], begins ? 1.0 : iteration[i - 1] + 1.0);
    const bool ends = i + 1 == step.size() || iteration[i + 1] == 1.0;
    EXPECT_EQ(history.words["ending"][i], ends ? "converged" : "");
    EXPECT_TRUE(cycle[i] == "a" || cycle[i] == "c" || cycle[i] == "b" || cycle[i] == "d");
    const bool fields = cycle[i] == "a" || cycle[i] == "b";
    EXPECT_EQ(std::isnan(history.numbers["residual.fields"][i]), !fields);
    EXPECT_EQ(std::isnan(history.numbers["residual.numbers"][i]), fields);
    EXPECT_EQ(history.numbers["residual"][i], history.numbers[fields ? "residual.fields" : "residual.numbers"][i]);
    EXPECT_LE(history.numbers["residual"][i] <= 1.0, ends);
    EXPECT_EQ(history.numbers["columns"][i], 0.0);
    EXPECT_EQ(history.numbers["factor_largest"][i], 1.0);
    EXPECT_EQ(history.numbers["factor_smallest"][i], 1.0);
  }
  EXPECT_EQ(steps, 2);
}

/// Sent are the answers of the iteration before, 0 at first: b.y(k) = slope b.y(k-1) + offset (1 + t). The ratio of
/// successive changes is the slope, known from the second iteration on where the value flows back, from the third on
/// where it does not.
TEST(IterationRecord, CoursesAreThoseOfTheIteration) {
  Rows history;
  ASSERT_TRUE(simulate(twoCycles(), plain({"*"}), history).ok());
  std::array<double, 2> sent{};  // into the cycle of a and b
  double largestOff = 0.0;
  for (std::size_t i = 0; i < history.times.size(); ++i) {
    SCOPED_TRACE(i);
    const bool fields = history.words["cycle"][i] == "a" || history.words["cycle"][i] == "b";
    const double k = history.numbers["iteration"][i];
    for (const char* other : fields ? std::array{"c.y", "d.y"} : std::array{"a.y[2]", "b.y[1]"})
      for (const char* what : {"", ".residual", ".K", ".factor"})
        EXPECT_TRUE(std::isnan(history.numbers[std::string(other) + what][i])) << other << what;
    for (const char* other : fields ? std::array{"c.y", "d.y"} : std::array{"a.y", "b.y"})
      for (const char* what : {".change_mean", ".change_largest"})
        EXPECT_TRUE(std::isnan(history.numbers[std::string(other) + what][i])) << other << what;
    if (!fields) continue;
    std::array<double, 2> change{};
    for (std::size_t e = 0; e < 2; ++e) {
      const std::string b = e == 0 ? "b.y[1]" : "b.y[2]";
      const std::string a = e == 0 ? "a.y[1]" : "a.y[2]";
      const double answered = kSlopes[e] * sent[e] + kOffsets[e] * (1.0 + history.times[i]);
      change[e] = std::fabs(answered - sent[e]);
      EXPECT_NEAR(history.numbers[b][i], answered, 1e-12);
      EXPECT_NEAR(history.numbers[a][i], answered, 1e-12);
      EXPECT_NEAR(history.numbers[b + ".residual"][i], answered - sent[e], 1e-12);
      EXPECT_EQ(history.numbers[b + ".factor"][i], 1.0);
      EXPECT_EQ(history.numbers[a + ".factor"][i], 1.0);
      EXPECT_EQ(std::isnan(history.numbers[b + ".K"][i]), k < 2.0);
      EXPECT_EQ(std::isnan(history.numbers[a + ".K"][i]), k < 3.0);
      if (k >= 2.0) {
        EXPECT_NEAR(history.numbers[b + ".K"][i], kSlopes[e], 1e-3);
      }
      if (k >= 3.0) {
        EXPECT_NEAR(history.numbers[a + ".K"][i], kSlopes[e], 1e-3);
      }
      largestOff = std::fmax(largestOff, change[e]);
      sent[e] = answered;
    }
    EXPECT_NEAR(history.numbers["b.y.change_mean"][i], (change[0] + change[1]) / 2.0, 1e-12);
    EXPECT_NEAR(history.numbers["b.y.change_largest"][i], std::fmax(change[0], change[1]), 1e-12);
    if (k >= 2.0) {
      EXPECT_NEAR(history.numbers["a.y.change_mean"][i], (change[0] + change[1]) / 2.0, 1e-12);
    }
  }
  EXPECT_GT(largestOff, 1.0);
}

/// One element of a field is a course of its own, and its changes are the field's.
TEST(IterationRecord, AnElementAloneIsAFieldOfOne) {
  Rows history;
  ASSERT_TRUE(simulate(twoCycles(), plain({"b.y[2]"}), history).ok());
  for (std::size_t i = 0; i < history.times.size(); ++i) {
    if (std::isnan(history.numbers["b.y[2]"][i])) continue;
    EXPECT_NEAR(history.numbers["b.y.change_mean"][i], std::fabs(history.numbers["b.y[2].residual"][i]), 1e-12);
    EXPECT_EQ(history.numbers["b.y.change_mean"][i], history.numbers["b.y.change_largest"][i]);
  }
}

/// With factors of their own, what was sent is between the last two: the factor that made it is told beside it.
TEST(IterationRecord, FactorsAreThoseThatMadeWhatWasSent) {
  Settings settings = plain({"b.y", "d.y"});
  settings.algorithm.acceleration.kind = coupling::AcceleratorKind::constant;
  settings.algorithm.acceleration.factor = 0.75;
  settings.algorithm.acceleration.fieldFactors = {{"d.y", 0.5}};
  Rows history;
  ASSERT_TRUE(simulate(twoCycles(), settings, history).ok());
  for (std::size_t i = 0; i < history.times.size(); ++i) {
    if (history.numbers["iteration"][i] < 2.0) continue;
    const bool fields = history.words["cycle"][i] == "a" || history.words["cycle"][i] == "b";
    for (const std::string& name :
         fields ? std::vector<std::string>{"b.y[1]", "b.y[2]"} : std::vector<std::string>{"d.y"}) {
      EXPECT_EQ(history.numbers[name + ".factor"][i], fields ? 0.75 : 0.5);
      // sent(k) = sent(k-1) + factor * residual(k-1)
      const double before = history.numbers[name][i - 1] - history.numbers[name + ".residual"][i - 1];
      const double sent = history.numbers[name][i] - history.numbers[name + ".residual"][i];
      EXPECT_NEAR(sent, before + (fields ? 0.75 : 0.5) * history.numbers[name + ".residual"][i - 1], 1e-12);
    }
    EXPECT_EQ(history.numbers["factor_largest"][i], fields ? 0.75 : 0.5);
  }
}

/// A step that is given up says why, and the record is closed as incomplete.
TEST(IterationRecord, AnEndWithoutConvergenceIsToldToo) {
  Settings settings = plain({});
  settings.algorithm.maxIterations = 3;
  Rows history;
  EXPECT_EQ(simulate(twoCycles(), settings, history).kind, OutcomeKind::notConverged);
  ASSERT_GE(history.times.size(), 3U);
  EXPECT_THAT(history.words["ending"], Contains("cap-reached"));
  EXPECT_EQ(history.completed, 0);
  EXPECT_EQ(history.abandoned, 1);
}

/// Inside a waveform the value is that of the end of the step.
TEST(IterationRecord, ValuesOfAWaveformAreThoseOfItsEnd) {
  Settings settings = plain({"a.y", "b.y"});
  settings.algorithm.waveform = 2;
  Rows history;
  ASSERT_TRUE(simulate(twoCycles(), settings, history).ok());
  for (std::size_t i = 0; i < history.times.size(); ++i) {
    const bool fields = history.words["cycle"][i] == "a" || history.words["cycle"][i] == "b";
    if (!fields || history.words["ending"][i].empty()) continue;
    for (std::size_t e = 0; e < 2; ++e) {
      const double solution = kOffsets[e] * (1.0 + history.times[i]) / (1.0 - kSlopes[e]);
      EXPECT_NEAR(history.numbers[e == 0 ? "a.y[1]" : "a.y[2]"][i], solution, 1e-4);
      EXPECT_NEAR(history.numbers[e == 0 ? "b.y[1].residual" : "b.y[2].residual"][i], 0.0, 1e-4);
    }
  }
}

}  // namespace
}  // namespace koppla::run::iteration_record_test
