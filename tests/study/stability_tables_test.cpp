// What an analysis of stability writes and prints, to the letter.

#include <cmath>

#include <gtest/gtest.h>

#include "koppla/study/stability.hpp"

namespace koppla::study::stability_tables_test {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

Axis words(const std::string& name, const std::vector<std::string>& values) {
  Axis axis{{name}, {}};
  for (const std::string& value : values) axis.values.push_back({value, std::nullopt});
  return axis;
}

Axis numbers(const std::string& name, std::size_t count) {
  Axis axis{{name}, {}};
  for (std::size_t i = 1; i <= count; ++i) axis.values.push_back({std::to_string(i), static_cast<double>(i)});
  return axis;
}

StabilityAnalysis analysis(StabilityQuestion find, std::vector<Axis> axes) {
  StabilityAnalysis result;
  result.project = "p.toml";
  result.find = find;
  result.range = {0.25, 4.0};
  result.grid = Grid(std::move(axes));
  return result;
}

StabilityRow only(StabilityStatus status) {
  StabilityRow row;
  row.status = status;
  return row;
}

StabilityRow radius(double value, double step = 0.5) {
  StabilityRow row = only(value <= 1.0 ? StabilityStatus::stable : StabilityStatus::unstable);
  row.step = step;
  row.spectralRadius = value;
  return row;
}

StabilityRow limit(double step) {
  StabilityRow row = only(StabilityStatus::limit);
  row.criticalStep = step;
  return row;
}

StabilityRow failed(std::string message) {
  StabilityRow row;
  row.message = std::move(message);
  return row;
}

const std::string kRadiusHead = "spectral radius of a macro step of p.toml\n\n";
const std::string kStepHead = "critical macro step in s of p.toml\n\n";

TEST(StabilityCsv, HasTheGrowthPerSecond) {
  // log10(1/10) / (1/2 s)
  EXPECT_EQ(stabilityCsv(analysis(StabilityQuestion::spectralRadius, {words("k", {"a", "b"}), numbers("c", 1)}),
                         std::vector<StabilityRow>{radius(0.1), radius(100.0, 4.0)}),
            "\"k\",\"c\",\"status\",\"step\",\"spectral_radius\",\"decades_per_second\",\"critical_step\",\"method\","
            "\"uncertainty\",\"message\"\n"
            "\"a\",1,\"stable\",0.5,0.1,-2,,\"matrix\",,\"\"\n"
            "\"b\",1,\"unstable\",4,100,0.5,,\"matrix\",,\"\"\n");
}

TEST(StabilityText, ListsOneSettingWithRadiusAndGrowth) {
  EXPECT_EQ(stabilityText(analysis(StabilityQuestion::spectralRadius, {words("k", {"a", "b", "c"})}),
                          std::vector<StabilityRow>{radius(0.1), radius(100.0, 4.0), failed("It has no states.")}),
            kRadiusHead +
                "  k   spectral radius   decades/s     status\n"
                "  a               0.1          -2     stable\n"
                "  b             100 !         0.5   unstable\n"
                "  c            failed           -     failed\n\n"
                "!: unstable, above 1 + 1e-10 (allowance)\n"
                "failed: 1 of 3 combinations; the first: It has no states.\n");
}

TEST(StabilityText, SaysWhichRadiiAreByProbesAndHowGoodTheyAre) {
  StabilityAnalysis probed = analysis(StabilityQuestion::spectralRadius, {words("k", {"a", "b"})});
  probed.recursion.at = 2.5;
  std::vector<StabilityRow> rows{radius(0.5), radius(0.5)};
  const auto says = [&](const std::string& note) {
    return stabilityText(probed, rows).find("\n\n" + note) != std::string::npos;
  };
  EXPECT_TRUE(says("linearised at t = 2.5 s\n"));
  rows[0].byProbes = true;
  rows[0].uncertainty = 3e-7;
  EXPECT_TRUE(says("linearised at t = 2.5 s\nby probes at t = 2.5 s: 1 of 2 combinations, to within 3.0e-07\n"));
  rows[1].byProbes = true;
  rows[1].uncertainty = 2e-5;
  EXPECT_TRUE(says("by probes at t = 2.5 s, to within 2.0e-05\n"));
  probed.recursion.at.reset();
  EXPECT_TRUE(says("by probes at the start, to within 2.0e-05\n"));
}

TEST(StabilityText, LeavesOpenWhatProbesDoNotTell) {
  std::vector<StabilityRow> rows{radius(0.5), radius(1.25)};
  for (StabilityRow& row : rows) row.byProbes = true;
  rows[0].uncertainty = 1e-9;
  rows[1].status = StabilityStatus::undecided;
  rows[1].uncertainty = 0.5;
  EXPECT_EQ(stabilityText(analysis(StabilityQuestion::spectralRadius, {words("k", {"a", "b"})}), rows),
            kRadiusHead +
                "  k   spectral radius   decades/s      status\n"
                "  a               0.5      -0.602      stable\n"
                "  b            1.25 ?       0.194   undecided\n\n"
                "by probes at the start, to within 1.0e-09\n"
                "?: undecided, the model moves on too fast, or too slowly against the step (uncertainty in "
                "stability.csv)\n");
  const std::string open = stabilityText(analysis(StabilityQuestion::spectralRadius, {words("k", {"b"})}),
                                         std::vector<StabilityRow>{rows[1]});
  EXPECT_NE(open.find("\n\nby probes at the start\n?: "), std::string::npos) << open;
}

TEST(StabilityText, ListsOneSettingWithItsCriticalStep) {
  const StabilityAnalysis steps = analysis(StabilityQuestion::criticalStep, {words("k", {"a", "b", "c", "d"})});
  EXPECT_EQ(stabilityText(steps, std::vector<StabilityRow>{limit(0.5), only(StabilityStatus::stable),
                                                           only(StabilityStatus::unstable), limit(0.001)}),
            kStepHead +
                "  k   critical step/s     status\n"
                "  a        5.0000e-01      limit\n"
                "  b              none     stable\n"
                "  c                 <   unstable\n"
                "  d        1.0000e-03      limit\n\n"
                "none: no unstable step up to 4 s\n"
                "<: unstable already at 0.25 s\n"
                "unstable: spectral radius above 1 + 1e-10 (allowance)\n");
}

TEST(StabilityText, ExplainsOnlySignsThatAreThere) {
  const StabilityAnalysis steps = analysis(StabilityQuestion::criticalStep, {words("k", {"a", "b"})});
  const auto notesOf = [&](const StabilityRow& first, const StabilityRow& second) {
    const std::string text = stabilityText(steps, std::vector<StabilityRow>{first, second});
    const std::size_t end = text.find("\n\n", kStepHead.size());
    return end == std::string::npos ? std::string() : text.substr(end + 2);
  };
  const StabilityRow stable = only(StabilityStatus::stable);
  const StabilityRow unstable = only(StabilityStatus::unstable);
  const std::string above = "unstable: spectral radius above 1 + 1e-10 (allowance)\n";
  EXPECT_EQ(notesOf(stable, stable), "none: no unstable step up to 4 s\n");
  EXPECT_EQ(notesOf(limit(1.0), limit(2.0)), above);
  EXPECT_EQ(notesOf(unstable, limit(2.0)), "<: unstable already at 0.25 s\n" + above);
  EXPECT_EQ(notesOf(failed("First."), failed("Second.")), "failed: 2 of 2 combinations; the first: First.\n");
  const StabilityAnalysis radii = analysis(StabilityQuestion::spectralRadius, {words("k", {"a"})});
  EXPECT_EQ(stabilityText(radii, std::vector<StabilityRow>{radius(0.5)}),
            kRadiusHead + "  k   spectral radius   decades/s   status\n  a               0.5      -0.602   stable\n");
}

TEST(StabilityText, HasTheLastSettingAcrossAndAllOthersDown) {
  const std::vector<StabilityRow> rows{radius(0.1), radius(0.2), radius(0.3), radius(0.4),
                                       radius(0.5), radius(0.6), radius(0.7), radius(1.5)};
  EXPECT_EQ(stabilityText(analysis(StabilityQuestion::spectralRadius,
                                   {words("kind", {"a", "b"}), words("order", {"x", "y"}), numbers("step", 2)}),
                          rows),
            kRadiusHead +
                "          step     1       2\n"
                "  kind   order\n"
                "     a       x   0.1     0.2\n"
                "     a       y   0.3     0.4\n"
                "     b       x   0.5     0.6\n"
                "     b       y   0.7   1.5 !\n\n"
                "!: unstable, above 1 + 1e-10 (allowance)\n");
}

/// So many values down and across, all stable.
std::string textOf(std::size_t down, std::size_t across) {
  const std::vector<StabilityRow> rows(down * across, radius(0.5));
  return stabilityText(analysis(StabilityQuestion::spectralRadius, {numbers("down", down), numbers("across", across)}),
                       rows);
}

TEST(StabilityText, IsAListWhereATableWouldBeTooWide) {
  EXPECT_EQ(textOf(2, 8).find("decades/s"), std::string::npos) << textOf(2, 8);
  EXPECT_NE(textOf(2, 9).find("  down   across   spectral radius   decades/s   status\n     1        1  "),
            std::string::npos)
      << textOf(2, 9);
  EXPECT_EQ(textOf(9, 2).find("decades/s"), std::string::npos) << "its length is no matter of width";
}

TEST(StabilityText, OnlyCountsWhereNobodyWouldRead) {
  EXPECT_EQ(textOf(100, 2).find("combinations"), std::string::npos);
  EXPECT_EQ(textOf(101, 2), kRadiusHead + "  202 combinations, 202 stable\n");
  EXPECT_EQ(textOf(11, 9).find("combinations"), std::string::npos) << "99 lines of a list";
  EXPECT_EQ(textOf(12, 9), kRadiusHead + "  108 combinations, 108 stable\n");
  std::vector<StabilityRow> rows(101, limit(0.5));
  rows[3] = failed("why");
  rows[4] = rows[5] = only(StabilityStatus::unstable);
  const StabilityAnalysis steps = analysis(StabilityQuestion::criticalStep, {numbers("c", 101)});
  EXPECT_EQ(stabilityText(steps, rows), kStepHead + "  101 combinations, 2 unstable, 98 limit, 1 failed\n");
  rows[6].status = StabilityStatus::stable;
  EXPECT_EQ(stabilityText(steps, rows), kStepHead + "  101 combinations, 1 stable, 2 unstable, 97 limit, 1 failed\n");
}

TEST(StabilityText, HasSixDigitsOfStableRadii) {
  const StabilityAnalysis radii = analysis(StabilityQuestion::spectralRadius, {words("k", {"a", "b"})});
  const std::string text = stabilityText(radii, std::vector<StabilityRow>{radius(0.99999999), radius(0.1234567)});
  EXPECT_NE(text.find("  a                 1  "), std::string::npos) << text;
  EXPECT_NE(text.find("  b          0.123457  "), std::string::npos) << text;
}

TEST(StabilityWords, AreThoseOfTheTables) {
  EXPECT_EQ(word(StabilityStatus::stable), "stable");
  EXPECT_EQ(word(StabilityStatus::unstable), "unstable");
  EXPECT_EQ(word(StabilityStatus::limit), "limit");
  EXPECT_EQ(word(StabilityStatus::failed), "failed");
}

TEST(StabilityRow, GrowsByDecadesPerSecond) {
  EXPECT_DOUBLE_EQ(radius(1000.0, 0.25).decadesPerSecond(), 12.0);
  EXPECT_DOUBLE_EQ(radius(0.01, 0.5).decadesPerSecond(), -4.0);
  EXPECT_TRUE(std::isnan(radius(kNone, 0.5).decadesPerSecond()));
}

}  // namespace
}  // namespace koppla::study::stability_tables_test
