// What a study writes and prints, to the letter.

#include "koppla/study/tables.hpp"

#include <gtest/gtest.h>

namespace koppla::study::tables_test {
namespace {

Axis words(const std::string& name, const std::vector<std::string>& values) {
  Axis axis{{name}, {}};
  for (const std::string& value : values) axis.values.push_back({value, std::nullopt});
  return axis;
}

Axis numbers(const std::string& name, const std::vector<std::string>& values) {
  Axis axis{{name}, {}};
  for (const std::string& value : values) axis.values.push_back({value, std::stod(value)});
  return axis;
}

/// Two words and three steps; the steps in the middle.
Study study() {
  Study result;
  result.file = "folder/s.toml";
  result.grid = Grid(
      {words("a.kind", {"one", "tw\"o"}), numbers("simulation.step", {"0.5", "0.25", "0.125"}), numbers("b.c", {"7"})});
  result.fit = FitSettings{.axis = 1};
  return result;
}

Row row(Status status, double error, std::string message = {}) {
  Row result;
  result.status = status;
  result.error = error;
  result.message = std::move(message);
  return result;
}

/// One of each status, in the order of the grid.
std::vector<Row> rows() {
  std::vector<Row> result{row(Status::ok, 0.02),
                          row(Status::limitedByReference, 0.0051),
                          row(Status::unstable, 40.0),
                          row(Status::notConverged, kNone, "It hung."),
                          row(Status::failed, kNone, "It fell."),
                          row(Status::endedEarly, kNone, "It stopped.")};
  result[0].meanStep = 0.4375;
  result[2].meanStep = 2e-6;
  return result;
}

std::vector<Fit> fits() {
  return {{{"a.kind = one, b.c = 7", {0, 1, 2}}, {.points = 3, .slope = 1.98765, .standardError = 0.01234}},
          {{"a.kind = tw\"o, b.c = 7", {3, 4, 5}}, {.points = 1}}};
}

TEST(StudyCsv, HasAllOfARunAndNothingWhereThereIsNone) {
  Study small;
  small.grid = Grid({words("a.kind", {"p\"q"}), numbers("simulation.step", {"0.5", "0.25"})});
  std::vector<Row> two(2);
  two[0] = row(Status::ok, 0.125, "all \"well\"");
  two[0].errors = {0.0625, 0.03125};
  two[0].referenceError = 1e-6;
  two[0].meanStep = 0.5;
  two[0].smallestStep = 0.375;
  two[0].largestStep = 0.75;
  two[0].acceptedSteps = 11;
  two[0].effort = {12, 13, 14, 15, 16, 17};
  two[0].wallClock = 2.5;
  two[0].cpu = 1.5;
  two[1].errors = {0.25};
  EXPECT_EQ(studyCsv(small, std::vector<std::string>{"b.x", "b.v"}, two),
            "\"a.kind\",\"simulation.step\",\"status\",\"error\",\"error(b.x)\",\"error(b.v)\",\"reference_error\","
            "\"mean_step\",\"min_step\",\"max_step\",\"accepted_steps\",\"micro_steps\",\"rejected_micro_steps\","
            "\"right_hand_sides\",\"jacobians\",\"corrector_iterations\",\"static_calls\",\"wall_clock\",\"cpu\","
            "\"message\"\n"
            "\"p\"\"q\",0.5,\"ok\",0.125,0.0625,0.03125,1e-06,0.5,0.375,0.75,11,12,13,14,15,16,17,2.5,1.5,"
            "\"all \"\"well\"\"\"\n"
            "\"p\"\"q\",0.25,\"failed\",,0.25,,,,,,0,0,0,0,0,0,0,,,\"\"\n");
}

TEST(FitsCsv, HasOneLineForEachSeriesWithItsSettings) {
  EXPECT_EQ(fitsCsv(study(), fits()),
            "\"a.kind\",\"b.c\",\"over\",\"slope\",\"standard_error\",\"points\"\n"
            "\"one\",7,\"simulation.step\",1.98765,0.01234,3\n"
            "\"tw\"\"o\",7,\"simulation.step\",,,1\n");
}

TEST(StudyText, ShowsErrorsOverTheFittedSettingWithSlopesBelow) {
  EXPECT_EQ(studyText(study(), rows(), fits()),
            "nrmse of folder/s.toml\n\n"
            "           a.kind          one            tw\"o\n"
            "              b.c            7               7\n"
            "  simulation.step\n"
            "              0.5     2.00e-02   not-converged\n"
            "             0.25   (5.10e-03)          failed\n"
            "            0.125           --     ended-early\n"
            "            slope        1.988               -\n"
            "   standard error        0.012               -\n"
            "           points            3               1\n\n"
            "not-converged: 1 of 6 runs; the first: It hung.\n"
            "failed: 1 of 6 runs; the first: It fell.\n"
            "ended-early: 1 of 6 runs; the first: It stopped.\n"
            "--: unstable (an error above 10, a value that exploded, or a subsystem that gave up)\n"
            "(...): less than 10 times the reference's own error, so limited by the reference\n");
}

TEST(StudyText, ListsTheRunsWhereNothingIsFitted) {
  Study listed = study();
  listed.fit.reset();
  EXPECT_EQ(studyText(listed, rows(), {}),
            "nrmse of folder/s.toml\n\n"
            "  a.kind   simulation.step   b.c           error   mean step/s                 status\n"
            "     one               0.5     7        2.00e-02     4.375e-01                     ok\n"
            "     one              0.25     7      (5.10e-03)             -   limited-by-reference\n"
            "     one             0.125     7              --     2.000e-06               unstable\n"
            "    tw\"o               0.5     7   not-converged             -          not-converged\n"
            "    tw\"o              0.25     7          failed             -                 failed\n"
            "    tw\"o             0.125     7     ended-early             -            ended-early\n\n"
            "not-converged: 1 of 6 runs; the first: It hung.\n"
            "failed: 1 of 6 runs; the first: It fell.\n"
            "ended-early: 1 of 6 runs; the first: It stopped.\n"
            "--: unstable (an error above 10, a value that exploded, or a subsystem that gave up)\n"
            "(...): less than 10 times the reference's own error, so limited by the reference\n");
}

TEST(StudyText, SaysNothingOfRunsThatWentWell) {
  Study small;
  small.file = "s.toml";
  small.errors.measure = Measure::wrmse;
  small.grid = Grid({numbers("h", {"0.5"})});
  EXPECT_EQ(studyText(small, std::vector<Row>{row(Status::ok, 0.5)}, {}),
            "wrmse of s.toml\n\n"
            "    h      error   mean step/s   status\n"
            "  0.5   5.00e-01             -       ok\n");
}

TEST(StudyText, OfSeveralFailuresGivesTheNumberAndTheFirstReason) {
  Study small;
  small.file = "s.toml";
  small.grid = Grid({numbers("h", {"0.5", "0.25", "0.125"})});
  const std::string text = studyText(
      small, std::vector<Row>{row(Status::ok, 1.0), row(Status::failed, kNone, "First."), row(Status::failed, kNone)},
      {});
  EXPECT_TRUE(text.ends_with("failed\n\nfailed: 2 of 3 runs; the first: First.\n")) << text;
}

/// So many series over two steps.
Study wide(std::size_t series) {
  std::vector<std::string> kinds;
  for (std::size_t i = 0; i < series; ++i) kinds.push_back("k" + std::to_string(i));
  Study result;
  result.file = "s.toml";
  result.grid = Grid({words("a.kind", kinds), numbers("h", {"0.5", "0.25"})});
  result.fit = FitSettings{.axis = 1};
  return result;
}

TEST(StudyText, ListsTheRunsWhereATableWouldBeTooWide) {
  const std::vector<Row> eighteen(18, row(Status::ok, 0.5));
  const auto textOf = [&](std::size_t series) {
    const Study study = wide(series);
    const std::span<const Row> all = std::span(eighteen).first(2 * series);
    return studyText(study, all, fitAll(study, all));
  };
  EXPECT_NE(textOf(8).find("  standard error "), std::string::npos) << textOf(8);
  EXPECT_EQ(textOf(8).find("mean step/s"), std::string::npos) << textOf(8);
  EXPECT_EQ(textOf(8).find("from 2 points"), std::string::npos) << textOf(8);
  const std::string nine = textOf(9);
  EXPECT_NE(nine.find("  a.kind      h      error   mean step/s   status\n"), std::string::npos) << nine;
  // The errors do not change with the step.
  std::string slopes = "\n\n";
  for (int i = 0; i < 9; ++i) slopes += "slope 0.000 from 2 points: a.kind = k" + std::to_string(i) + "\n";
  EXPECT_TRUE(nine.ends_with(slopes)) << nine;
}

}  // namespace
}  // namespace koppla::study::tables_test
