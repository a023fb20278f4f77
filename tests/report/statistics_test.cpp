#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "koppla/report/statistics_text.hpp"

namespace koppla::report::statistics_test {
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

/// Everything that a table can hold.
run::Statistics full() {
  run::Statistics s = example();
  s.cpu = 2.0;
  s.initialisation = 0.02;
  s.repeatedSteps = 4;
  s.discardedSteps = 5;
  s.members.push_back({"longest.name", {1, 1e-3}, {}, {}, {1234, 5, 6789, 2, 2468, 77}});
  s.cycles = {{{"part2", "part3"}, 159, 8, 2, 4, 15, 3},
              {{"a", "b", "c", "d", "e", "f", "g"}, 202, 0, 1, 0, 0, 1},
              {{"a", "b", "c", "d", "e", "f"}}};
  s.joints = {{"hinge", 1.25e-6, 3e-4}};
  s.connections = {{"mass.v", "link.v", false, 2e-3, 5e-3, 1.25, 1e-4},
                   {"mass.x", "link.x", true, 1e-6, 2e-6, 0.5, 0.0, true, 3.0}};
  return s;
}

TEST(Statistics, TheTableSaysAllThereIs) {
  EXPECT_EQ(
      statisticsText(full()),
      "                                       time        count\n"
      "  wall clock                     1 min 30 s             \n"
      "  processor time                        2 s             \n"
      "  initialisation                      20 ms             \n"
      "  accepted steps                                     101\n"
      "  master algorithm                   250 ms          116\n"
      "  convergence failures                                15\n"
      "  error tests                          1 ms            7\n"
      "  error test failures                                  3\n"
      "  repeated steps                                       4\n"
      "  discarded steps                                      5\n"
      "  writing results (rows)               2 ms          102\n"
      "  step lengths                 from 0.001 s to 0.14 s\n"
      "\n"
      "  subsystem                        step                     save                  restore\n"
      "  part1               1.5 s         116       100 ms         101       200 ms          15\n"
      "  longest.name         1 ms           1            -           0            -           0\n"
      "  cycle part2, part3: 159 evaluations (1.57 per accepted step), 8 Jacobians, 15 failures\n"
      "    steps of one subsystem that wait for each other in a macro step: 4 at most\n"
      "    2 steps in which one correction left more than a tenth of itself over\n"
      "    3 solutions where the answers move away from what is sent: maybe not what you meant\n"
      "  cycle a, b, c, d, e, f, ... (7 in all): 202 evaluations (2.00 per accepted step), 0 Jacobians, 0 failures\n"
      "    1 step in which one correction left more than a tenth of itself over\n"
      "    1 solution where the answers move away from what is sent: maybe not what you meant\n"
      "  cycle a, b, c, d, e, f: 0 evaluations (0.00 per accepted step), 0 Jacobians, 0 failures\n"
      "\n"
      "  joint, largest defect         of position      of velocity\n"
      "  hinge                            1.25e-06         3.00e-04\n"
      "\n"
      "  solver of     micro steps   rejected  right-hand sides  Jacobians  corrections  static calls\n"
      "  longest.name         1234          5              6789          2         2468            77\n"
      "\n"
      "  estimated coupling error     of range          rms      largest           at\n"
      "  mass.v -> link.v             1.00e-04     2.00e-03     5.00e-03       1.25 s\n"
      "  mass.x -> link.x                 is 3     1.00e-06     2.00e-06        0.5 s\n"
      "  mass.v -> link.v limits the step: per macro step its input is off by 0.0001 of its range.\n"
      "  'is': constant but for rounding, at that value (of a vector, its first).\n");
}

TEST(Statistics, TheTableLeavesOutWhatDidNotHappen) {
  const std::string text = statisticsText({});
  for (const char* part : {"repeated", "discarded", "step lengths", "cycle", "joint", "solver of", "coupling error",
                           "more", "wait for each other", "'is'"})
    EXPECT_EQ(text.find(part), std::string::npos) << part << " in\n" << text;
  EXPECT_NE(text.find("accepted steps                                       0\n"), std::string::npos) << text;
  run::Statistics alike;
  alike.smallestStep = 0.1;
  alike.largestStep = 0.1 + 1e-9;
  EXPECT_EQ(statisticsText(alike).find("step lengths"), std::string::npos) << "they differ by rounding only";
}

TEST(Statistics, EvaluationsWithoutAnAcceptedStepAreToldAsTheyAre) {
  run::Statistics s;
  s.cycles = {{{"a"}, 7}};
  EXPECT_NE(statisticsText(s).find("cycle a: 7 evaluations (7.00 per accepted step)"), std::string::npos);
  s.acceptedSteps = 1;
  EXPECT_NE(statisticsText(s).find("(7.00 per accepted step)"), std::string::npos);
  s.acceptedSteps = 2;
  EXPECT_NE(statisticsText(s).find("(3.50 per accepted step)"), std::string::npos);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// m0 took least, and does least; of equals the first ones are told.
run::Statistics members(std::size_t number) {
  run::Statistics s;
  for (std::size_t i = 0; i < number; ++i)
    s.members.push_back({fmt::format("m{}", i), {1, 1.0 + static_cast<double>(i / 2)}, {}, {}, {1 + i}});
  return s;
}

TEST(Statistics, ThirtySubsystemsAreToldInTheirOrder) {
  const std::string text = statisticsText(members(30));
  EXPECT_EQ(count(text, "\n  m"), 30U + 1U + 30U) << "with that of the master algorithm, and both tables";
  EXPECT_LT(text.find("\n  m0 "), text.find("\n  m29 "));
  EXPECT_EQ(text.find("more"), std::string::npos);
}

TEST(Statistics, OfMoreThanThirtySubsystemsThoseThatTookLongestAreTold) {
  const std::string text = statisticsText(members(33));
  EXPECT_EQ(count(text, "\n  m"), 30U + 1U + 30U);
  for (const char* name : {"\n  m0 ", "\n  m1 ", "\n  m3 "}) EXPECT_EQ(text.find(name), std::string::npos) << name;
  EXPECT_EQ(count(text, "\n  m2 "), 2U);
  EXPECT_LT(text.find("\n  m32 "), text.find("\n  m30 "));
  EXPECT_LT(text.find("\n  m30 "), text.find("\n  m31 "));
  EXPECT_EQ(count(text, "  ... and 3 more, all of them in statistics.json\n"), 1U);
}

TEST(Statistics, ShortNamesHaveTenColumns) {
  run::Statistics s;
  s.members = {{"a", {}, {}, {}, {1}}};
  const std::string text = statisticsText(s);
  EXPECT_NE(text.find("\n  a                     -           0 "), std::string::npos) << text;
  EXPECT_NE(text.find("\n  a                     1          0 "), std::string::npos) << text;
}

TEST(Statistics, TenCyclesTwentyJointsAndEightConnectionsAreTold) {
  run::Statistics s;
  s.cycles.assign(10, {{"a"}, 1});
  s.joints.assign(20, {"hinge", 1.0, 1.0});
  s.connections.assign(8, {"a.y", "b.u", false, 1.0, 1.0, 1.0, 0.0});
  std::string text = statisticsText(s);
  EXPECT_EQ(count(text, "\n  cycle a"), 10U);
  EXPECT_EQ(count(text, "\n  hinge"), 20U);
  EXPECT_EQ(count(text, "\n  a.y -> b.u"), 8U);
  EXPECT_EQ(count(text, "more"), 0U) << text;
  s.cycles.resize(13, {{"a"}, 1});
  s.joints.resize(22, {"hinge", 1.0, 1.0});
  s.connections.resize(12, {"a.y", "b.u", false, 1.0, 1.0, 1.0, 0.0});
  text = statisticsText(s);
  EXPECT_EQ(count(text, "\n  cycle a"), 10U);
  EXPECT_EQ(count(text, "\n  hinge"), 20U);
  EXPECT_EQ(count(text, "\n  a.y -> b.u"), 8U);
  EXPECT_EQ(count(text, "\n  ... and 3 more cycles\n"), 1U);
  EXPECT_EQ(count(text, "\n  ... and 2 more\n"), 1U);
  EXPECT_EQ(count(text, "\n  ... and 4 more, all of them in statistics.json\n"), 1U);
}

/// The first one limits the step, if any does.
TEST(Statistics, NoConnectionLimitsTheStepWhereTheFirstHasNoError) {
  run::Statistics s;
  s.connections = {{"a.y", "b.u", false, 1.0, 1.0, 1.0, 0.0}, {"b.y", "a.u", false, 1.0, 1.0, 1.0, 0.5}};
  EXPECT_EQ(statisticsText(s).find("limits the step"), std::string::npos);
  std::swap(s.connections[0], s.connections[1]);
  EXPECT_NE(statisticsText(s).find("  b.y -> a.u limits the step: per macro step its input is off by 0.5 of"),
            std::string::npos);
}

TEST(Statistics, JsonHasEverything) {
  const RunFacts facts{"p.toml", 1.0, 10.0, 4.5, {run::OutcomeKind::notConverged, "why \"µ\""}};
  const std::string text = statisticsJson(full(), facts);
  EXPECT_TRUE(text.starts_with("{\n  \"format\": 1,\n  \"project\": \"p.toml\",\n")) << text;
  EXPECT_TRUE(text.ends_with("\n}\n")) << text;
  EXPECT_NE(text.find("\"message\": \"why \\\"µ\\\"\",\n"), std::string::npos) << "as it is, in UTF-8\n" << text;
  const auto expected = nlohmann::json::parse(R"({
    "format": 1, "project": "p.toml", "outcome": "not converged", "message": "why \"µ\"",
    "start": 1.0, "end": 10.0, "reached": 4.5,
    "wall_clock": 90.0, "processor_time": 2.0, "initialisation": 0.02,
    "accepted_steps": 101, "smallest_step": 0.001, "largest_step": 0.14,
    "algorithm": {"count": 116, "seconds": 0.25}, "convergence_failures": 15,
    "error_test": {"count": 7, "seconds": 1e-3}, "error_test_failures": 3,
    "growth_checks": {"count": 0, "seconds": 0.0}, "discarded_steps": 5, "repeated_steps": 4, "output": {"count": 102, "seconds": 2e-3},
    "subsystems": [
      {"name": "part1", "step": {"count": 116, "seconds": 1.5}, "save": {"count": 101, "seconds": 0.1},
       "restore": {"count": 15, "seconds": 0.2}, "micro_steps": 0, "rejected_micro_steps": 0, "right_hand_sides": 0,
       "jacobians": 0, "corrector_iterations": 0, "static_calls": 0},
      {"name": "longest.name", "step": {"count": 1, "seconds": 1e-3}, "save": {"count": 0, "seconds": 0.0},
       "restore": {"count": 0, "seconds": 0.0}, "micro_steps": 1234, "rejected_micro_steps": 5,
       "right_hand_sides": 6789, "jacobians": 2, "corrector_iterations": 2468, "static_calls": 77}],
    "cycles": [
      {"members": ["part2", "part3"], "evaluations": 159, "longest_chain": 4, "poorly_corrected": 2, "jacobians": 8,
       "convergence_failures": 15, "suspicious": 3},
      {"members": ["a", "b", "c", "d", "e", "f", "g"], "evaluations": 202, "longest_chain": 0, "poorly_corrected": 1,
       "jacobians": 0, "convergence_failures": 0, "suspicious": 1},
      {"members": ["a", "b", "c", "d", "e", "f"], "evaluations": 0, "longest_chain": 0, "poorly_corrected": 0,
       "jacobians": 0, "convergence_failures": 0, "suspicious": 0}],
    "joints": [{"name": "hinge", "position_defect": 1.25e-6, "velocity_defect": 3e-4}],
    "connections": [
      {"from": "mass.v", "to": "link.v", "approximation": "extrapolated", "error_of_range": 1e-4, "error_rms": 2e-3,
       "error_largest": 5e-3, "error_largest_at": 1.25},
      {"from": "mass.x", "to": "link.x", "approximation": "interpolated", "error_of_range": null, "error_rms": 1e-6,
       "error_largest": 2e-6, "error_largest_at": 0.5}],
    "bonds": []
  })");
  EXPECT_EQ(nlohmann::json::parse(text), expected)
      << nlohmann::json::diff(expected, nlohmann::json::parse(text)).dump(1);
}

TEST(Statistics, JsonHasEmptyListsWhereThereIsNothing) {
  const auto json = nlohmann::json::parse(statisticsJson({}, {}));
  for (const char* list : {"subsystems", "cycles", "joints", "connections", "bonds"})
    EXPECT_EQ(json.at(list), nlohmann::json::array()) << list;
}

TEST(Statistics, TheEnergyOfBondsIsTold) {
  run::Statistics s;
  s.bonds = {{"spring.F -> mass.F", "mass.v -> spring.v", -1.25e-3, 4.5}};
  const std::string text = statisticsText(s);
  EXPECT_NE(text.find("spring.F -> mass.F, mass.v -> spring.v"), std::string::npos) << text;
  EXPECT_NE(text.find("-1.25e-03 J     4.50e+00 J\n"), std::string::npos) << text;
  const auto json = nlohmann::json::parse(statisticsJson(s, {})).at("bonds").at(0);
  EXPECT_EQ(json.at("effort"), "spring.F -> mass.F");
  EXPECT_EQ(json.at("flow"), "mass.v -> spring.v");
  EXPECT_EQ(json.at("created"), -1.25e-3);
  EXPECT_EQ(json.at("exchanged"), 4.5);
  s.bonds.resize(10, s.bonds[0]);
  EXPECT_NE(statisticsText(s).find("... and 2 more"), std::string::npos);
}

/// "\\xFF" is no UTF-8, and U+FFFD stands for it.
TEST(Statistics, JsonIsWrittenWhateverNamesAreMadeOf) {
  run::Statistics s;
  s.joints = {{"a\xFF", 0.0, 0.0}};
  EXPECT_EQ(nlohmann::json::parse(statisticsJson(s, {}))["joints"][0]["name"], "a\uFFFD");
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
}  // namespace koppla::report::statistics_test
