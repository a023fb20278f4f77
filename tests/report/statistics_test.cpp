#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "koppla/report/statistics_text.hpp"

namespace koppla::report {
namespace {

run::Statistics example() {
  run::Statistics s;
  s.wallClock = 90.0;
  s.acceptedSteps = 101;
  s.algorithm = {116, 0.25};
  s.convergenceFailures = 15;
  s.errorTest = {7, 1e-3};
  s.errorTestFailures = 3;
  s.output = {102, 2e-3};
  s.smallestStep = 0.001;
  s.largestStep = 0.14;
  s.members = {{"part1", {116, 1.5}, {101, 0.1}, {15, 0.2}}};
  s.cycles = {{{"part2", "part3"}, 159, 0, 15}};
  return s;
}

TEST(Statistics, TheTableHasEveryCountAndTimesWithTheirUnits) {
  const std::string text = statisticsText(example());
  for (const char* part : {"1 min 30 s", "101", "250 ms", "116", "15", "1.5 s", "part1", "part2, part3",
                           "159 evaluations", "1.57 per accepted step", "from 0.001 s to 0.14 s"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
}

TEST(Statistics, ALargeSystemIsSummarisedByTheMostExpensiveSubsystems) {
  run::Statistics s;
  for (int i = 0; i < 2001; ++i) s.members.push_back({"m" + std::to_string(i), {1, i == 1234 ? 5.0 : 1e-6}, {}, {}});
  const std::string text = statisticsText(s);
  EXPECT_NE(text.find("m1234"), std::string::npos);
  EXPECT_NE(text.find("more"), std::string::npos);
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 60);
}

TEST(Statistics, JsonReadsBack) {
  const RunFacts facts{"p.toml", 0.0, 10.0, 4.5, {run::OutcomeKind::notConverged, "why \"quoted\""}};
  const auto json = nlohmann::json::parse(statisticsJson(example(), facts));
  EXPECT_EQ(json["outcome"], "not converged");
  EXPECT_EQ(json["message"], "why \"quoted\"");
  EXPECT_EQ(json["reached"], 4.5);
  EXPECT_EQ(json["accepted_steps"], 101);
  EXPECT_EQ(json["subsystems"][0]["restore"]["count"], 15);
  EXPECT_EQ(json["cycles"][0]["evaluations"], 159);
}

TEST(Statistics, TheConnectionThatLimitsTheStepIsNamed) {
  run::Statistics s = example();
  s.connections = {{"mass.v", "link.v", false, 2e-3, 5e-3, 1.25, 1e-4},
                   {"mass.x", "link.x", true, 1e-6, 2e-6, 0.5, 1e-6}};
  const std::string text = statisticsText(s);
  EXPECT_NE(text.find("mass.v -> link.v limits the step"), std::string::npos) << text;
  EXPECT_NE(text.find("1.00e-04     2.00e-03     5.00e-03       1.25 s"), std::string::npos) << text;
  const std::string json = statisticsJson(s, {});
  EXPECT_NE(json.find("\"error_largest_at\": 1.25"), std::string::npos) << json;
  EXPECT_NE(json.find("\"interpolated\""), std::string::npos) << json;
}

TEST(Statistics, AConstantIsShownWithItsValueAndNotInSharesOfItsRounding) {
  run::Statistics s = example();
  s.connections = {{"mass.v", "link.v", false, 4e-16, 6e-16, 1.25, 0.0, true, 3.0}};
  const std::string text = statisticsText(s);
  EXPECT_NE(text.find(" is 3     4.00e-16     6.00e-16       1.25 s\n  'is': constant but for rounding"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("limits the step"), std::string::npos) << text;
  EXPECT_TRUE(nlohmann::json::parse(statisticsJson(s, {}))["connections"][0]["error_of_range"].is_null());
}

TEST(Statistics, SolversThatTellTheirWorkAreListed) {
  run::Statistics s = example();
  EXPECT_EQ(statisticsText(s).find("micro steps"), std::string::npos);
  s.members.push_back({"rod", {}, {}, {}, {1234, 5, 6789, 2, 2468}});
  const std::string row = "rod                1234          5              6789          2         2468";
  EXPECT_NE(statisticsText(s).find(row + "\n"), std::string::npos) << statisticsText(s);
  EXPECT_EQ(statisticsText(s).find("static calls"), std::string::npos);
  s.members.back().effort.staticCalls = 77;
  EXPECT_NE(statisticsText(s).find(row + "            77\n"), std::string::npos) << statisticsText(s);
}

}  // namespace
}  // namespace koppla::report
