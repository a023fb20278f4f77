#include "koppla/project/proposal.hpp"

#include <gtest/gtest.h>

#include "problem_list.hpp"

namespace koppla::project {
namespace {

using subsystem::Causality;
using subsystem::Description;
using subsystem::Port;
using test::mistakes;
using test::ProblemList;

Description model(std::string name, std::vector<std::string> inputs, std::vector<std::string> outputs) {
  Description result;
  result.model = std::move(name);
  const auto add = [&result](std::string portName, Causality causality) {
    Port port;
    port.name = std::move(portName);
    port.causality = causality;
    result.ports.push_back(std::move(port));
  };
  for (std::string& input : inputs) add(std::move(input), Causality::input);
  for (std::string& output : outputs) add(std::move(output), Causality::output);
  result.indexNames();
  return result;
}

Project readBack(const std::string& text) {
  const Reading reading = parse(text, "new.toml");
  EXPECT_EQ(mistakes(reading), ProblemList{}) << text;
  EXPECT_EQ(test::warnings(reading), ProblemList{}) << text;
  return reading.project;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Proposal, ConnectsEqualNamesOfDifferentSubsystems) {
  const Description controller = model("Lib.Controller", {"x", "setpoint"}, {"u"});
  const Description plant = model("Plant", {"u"}, {"x", "setpoint[1]"});
  const std::vector<Candidate> candidates{{"fmus/C.fmu", controller, {}, {}, {}}, {"fmus/P.fmu", plant, {}, {}, {}}};
  const std::string text = proposalFor(candidates);
  const Project project = readBack(text);
  ASSERT_EQ(project.subsystems.size(), 2U);
  EXPECT_EQ(project.subsystems[0].name.value, "Controller");
  EXPECT_EQ(project.subsystems[0].fmu.value, "fmus/C.fmu");
  ASSERT_EQ(project.connections.size(), 2U);
  EXPECT_EQ(project.connections[0].from.subsystem, "Plant");
  EXPECT_EQ(project.connections[0].to.port, "x");
  EXPECT_EQ(project.connections[1].to.subsystem, "Plant");
  EXPECT_TRUE(contains(text, "#   Controller.setpoint (real)\n")) << text;
}

TEST(Proposal, LeavesTheChoiceOfSeveralSourcesToTheUser) {
  const Description source = model("Source", {}, {"x"});
  const Description sink = model("Sink", {"x"}, {});
  const std::vector<Candidate> candidates{
      {"a.fmu", source, {}, {}, {}}, {"a.fmu", source, {}, {}, {}}, {"b.fmu", sink, {}, {}, {}}};
  const std::string text = proposalFor(candidates);
  const Project project = readBack(text);
  EXPECT_EQ(project.subsystems[1].name.value, "Source2");
  EXPECT_TRUE(project.connections.empty());
  EXPECT_TRUE(contains(text, "#   Sink.x (real): could be fed by Source.x, Source2.x\n")) << text;
}

TEST(Proposal, KeepsTypesAndSubsystemsApart) {
  Description self = model("Self", {"x"}, {"x"});
  self.ports[1].name = "x";
  Description other = model("Other", {}, {"x"});
  other.ports[0].type = core::Type::integer;
  const std::vector<Candidate> candidates{{"a.fmu", self, {}, {}, {}}, {"b.fmu", other, {}, {}, {}}};
  EXPECT_TRUE(readBack(proposalFor(candidates)).connections.empty());
}

TEST(Proposal, TakesTimesFromTheModelsWhereTheyMakeSense) {
  const Description a = model("A", {}, {});
  const auto settings = [&](std::optional<double> start, std::optional<double> end, std::optional<double> step) {
    const std::vector<Candidate> candidates{{"a.fmu", a, start, end, step}, {"a.fmu", a, {}, {}, {}}};
    return readBack(proposalFor(candidates)).settings;
  };
  EXPECT_EQ(settings(1.0, 5.0, 0.5).start, 1.0);
  EXPECT_EQ(settings(1.0, 5.0, 0.5).end, 5.0);
  EXPECT_EQ(settings(1.0, 5.0, 0.5).step, 0.5);
  EXPECT_EQ(settings({}, 5.0, {}).step, 0.05);
  EXPECT_EQ(settings({}, {}, {}).end, 10.0);
  EXPECT_EQ(settings(20.0, 5.0, 100.0).end, 30.0);
  EXPECT_EQ(settings(20.0, 5.0, 100.0).step, 0.1);
}

TEST(Proposal, SurvivesNamesOfAnyKind) {
  Description odd = model("results", {"a \"b\"\\c"}, {"'x y'\n"});
  Description twin = model("", {"'x y'\n"}, {"a \"b\"\\c"});
  Port parameter;
  parameter.name = "k\"1";
  parameter.causality = Causality::parameter;
  parameter.settable = true;
  parameter.unit = "m\n";
  parameter.start = core::Value("two\nlines");
  odd.ports.push_back(parameter);
  const std::vector<Candidate> candidates{{"o\"dd.fmu", odd, {}, {}, {}}, {"t.fmu", twin, {}, {}, {}}};
  const Project project = readBack(proposalFor(candidates));
  EXPECT_EQ(project.subsystems[0].name.value, "results2");
  EXPECT_EQ(project.subsystems[0].fmu.value, "o\"dd.fmu");
  EXPECT_EQ(project.subsystems[1].name.value, "subsystem");
  ASSERT_EQ(project.connections.size(), 2U);
  EXPECT_EQ(project.connections[0].from.port, "a \"b\"\\c");
  EXPECT_EQ(project.connections[1].from.port, "'x y'\n");
}

TEST(Proposal, OptionsBehindCommentsAreAcceptedWhenUncommented) {
  const Description a = model("A", {}, {});
  const std::vector<Candidate> candidates{{"a.fmu", a, {}, {}, {}}};
  std::string text = proposalFor(candidates);
  for (const char* option : {"explosion_limit", "on_discard", "max_iterations", "rtol", "atol", "norm", "discrete",
                             "without_convergence", "factors", "increments", "min_step", "max_step", "untested_below",
                             "shrink", "grow", "interval", "format", "variables"}) {
    const std::size_t place = text.find("# " + std::string(option) + " = ");
    ASSERT_NE(place, std::string::npos) << option;
    text.erase(place, 2);
  }
  EXPECT_EQ(mistakes(parse(text, "new.toml")), ProblemList{}) << text;
}

}  // namespace
}  // namespace koppla::project
