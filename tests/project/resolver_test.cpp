#include "koppla/project/resolver.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "problem_list.hpp"

namespace koppla::project {
namespace {

using subsystem::Causality;
using subsystem::Description;
using subsystem::Port;
using test::list;
using test::ProblemList;

Description withPorts(std::vector<Port> ports) {
  Description description;
  description.ports = std::move(ports);
  description.indexNames();
  return description;
}

Port port(std::string name, Causality causality, core::Type type = core::Type::real, std::size_t size = 1) {
  Port result;
  result.name = std::move(name);
  result.type = type;
  result.causality = causality;
  result.size = size;
  result.settable = causality == Causality::input || causality == Causality::parameter;
  return result;
}

Port withUnit(Port result, std::string unit) {
  result.unit = std::move(unit);
  return result;
}

Port withItems(Port result, std::vector<subsystem::Item> items) {
  result.items = std::move(items);
  return result;
}

/// Subsystem a has the outputs, b the inputs and parameters.
class Resolver : public ::testing::Test {
 protected:
  Resolution resolveText(const std::string& lines) {
    Reading reading = parse(
        "format = 1\nsimulation = { end = 1, step = 1 }\nsubsystems = [ { name = \"a\", fmu = \"a.fmu\" }, { name = "
        "\"b\", "
        "fmu = \"b.fmu\" } ]\n" +
            lines,
        "loop.toml");
    EXPECT_EQ(test::mistakes(reading), ProblemList{});
    return resolveProject(reading.project);
  }

  Resolution resolveProject(const Project& project) {
    const std::vector<const Description*> descriptions{&a_, &b_};
    Resolution resolution = resolve(project, descriptions);
    resolution.findings.sort("loop.toml");
    return resolution;
  }

  /// With these values for a parameter of b, from line 3 on.
  Resolution resolveParameter(const std::string& name, std::vector<RawValue> values) {
    Project project;
    project.file = "loop.toml";
    project.subsystems = {{{"a", {}}, {"a.fmu", {}}}, {{"b", {}}, {"b.fmu", {}}}};
    Parameter parameter{{name, {"loop.toml", 3, 1}}, {}};
    for (RawValue& value : values)
      parameter.values.push_back({std::move(value), {"loop.toml", 3, 10 + parameter.values.size()}});
    project.subsystems[1].parameters = {parameter};
    return resolveProject(project);
  }

  static std::string connection(const std::string& from, const std::string& to, const std::string& more = {}) {
    return "[[connections]]\nfrom = \"" + from + "\"\nto = \"" + to + "\"\n" + more;
  }

  const std::vector<subsystem::Item> colours_{{"red", 1}, {"blue", 7}};
  Description a_ =
      withPorts({port("y", Causality::output), port("z", Causality::input),
                 withUnit(port("metres", Causality::output), "m"), port("n", Causality::output, core::Type::integer),
                 port("vector", Causality::output, core::Type::real, 3), port("inner", Causality::local),
                 withItems(port("colour", Causality::output, core::Type::enumeration), colours_)});
  Description b_ = withPorts(
      {port("u", Causality::input), withUnit(port("millimetres", Causality::input), "mm"),
       port("n", Causality::input, core::Type::integer), port("pair", Causality::input, core::Type::real, 2),
       port("w", Causality::output), port("k", Causality::parameter),
       port("count", Causality::parameter, core::Type::integer), port("on", Causality::parameter, core::Type::boolean),
       port("text", Causality::parameter, core::Type::string), port("gains", Causality::parameter, core::Type::real, 2),
       port("constant", Causality::local),
       withItems(port("colour", Causality::parameter, core::Type::enumeration), colours_),
       withItems(port("paint", Causality::input, core::Type::enumeration), {{"red", 2}})});
};

TEST_F(Resolver, TurnsNamesIntoIndices) {
  const Resolution resolution = resolveText(connection("a.y", "b.u", "scale = 2.0\n") + connection("a.n", "b.n") +
                                            "[algorithm]\norder = [\"b\", \"a\"]\n");
  EXPECT_EQ(list(resolution.findings.mistakes), ProblemList{});
  ASSERT_EQ(resolution.connections.size(), 2U);
  EXPECT_EQ(resolution.connections[0].from.member, 0U);
  EXPECT_EQ(resolution.connections[0].from.port, 0U);
  EXPECT_EQ(resolution.connections[0].to.member, 1U);
  EXPECT_EQ(resolution.connections[0].scale, 2.0);
  EXPECT_EQ(resolution.connections[0].offset, 0.0);
  EXPECT_EQ(resolution.connections[1].to.port, 2U);
  EXPECT_EQ(resolution.connections[1].scale, 1.0);
  EXPECT_EQ(resolution.order, (std::vector<coupling::MemberIndex>{1, 0}));
}

TEST_F(Resolver, SuggestsPortsOfTheRightDirection) {
  EXPECT_EQ(
      list(resolveText(connection("a.metre", "b.uu") + connection("b.w", "a.zz")).findings.mistakes),
      (ProblemList{"5:8 'a' has no output 'metre'. Did you mean 'metres'?",
                   "6:6 'b' has no input 'uu'. Did you mean 'u'?", "9:6 'a' has no input 'zz'. Did you mean 'z'?"}));
}

TEST_F(Resolver, FactorsBelongToConnectedRealOutputs) {
  const auto factors = [this](const std::string& table) {
    return list(resolveText(connection("a.y", "b.u") + connection("a.n", "b.n") +
                            "[algorithm]\nkind = \"iterated-gauss-seidel\"\n[acceleration]\nkind = "
                            "\"constant\"\n[acceleration.factors]\n" +
                            table)
                    .findings.mistakes);
  };
  EXPECT_EQ(factors("\"a.y\" = 0.5\n\"a.*\" = 0.7\n"), ProblemList{});
  EXPECT_EQ(factors("\"a.y\" = 0.5\n\"a.yy\" = 0.7\n"),
            ProblemList{"16:1 There is no connected real output 'a.yy' to be relaxed. Did you mean 'a.y'?"});
  EXPECT_EQ(factors("\"b.w\" = 0.5\n").size(), 1U) << "nobody takes it";
  EXPECT_EQ(factors("\"a.n\" = 0.5\n").size(), 1U) << "an integer is not relaxed";
}

TEST_F(Resolver, PhasesAreRealOutputsInUnitsOfAngles) {
  const auto phases = [this](const std::string& name) {
    Project project;
    project.file = "loop.toml";
    project.subsystems = {{{"a", {}}, {"a.fmu", {}}}, {{"b", {}}, {"b.fmu", {}}}};
    project.subsystems[0].phases = {{name, {"loop.toml", 3, 10}}};
    return list(resolveProject(project).findings.mistakes);
  };
  EXPECT_EQ(phases("y"), ProblemList{});
  EXPECT_EQ(phases("vector"), ProblemList{});
  EXPECT_EQ(phases("vectr"),
            ProblemList{"3:10 There is no real output 'a.vectr' that could be a phase. Did you mean 'vector'?"});
  EXPECT_EQ(phases("z").size(), 1U) << "an input";
  EXPECT_EQ(phases("metres"),
            ProblemList{"3:10 The output 'a.metres' is in m, which is no unit of an angle. A phase is in rad or deg."});
}

TEST_F(Resolver, KnowsTheDirectionOfAConnection) {
  EXPECT_EQ(list(resolveText(connection("b.u", "a.y") + connection("a.inner", "b.k") + connection("a.y", "b.w"))
                     .findings.mistakes),
            (ProblemList{"5:8 This connection leads from the input 'b.u' to the output 'a.y'. Swap 'from' and 'to'.",
                         "8:8 'a.inner' is a local variable; a connection begins at an output.",
                         "9:6 'b.k' is a parameter; a connection ends at an input. Set its value in "
                         "[subsystems.parameters].",
                         "12:6 'b.w' is an output; a connection ends at an input."}));
}

TEST_F(Resolver, ConnectsOnlyWhatFits) {
  EXPECT_EQ(
      list(resolveText(connection("a.y", "b.paint") + connection("a.vector", "b.pair") +
                       connection("a.n", "b.n", "offset = 1.0\n"))
               .findings.mistakes),
      (ProblemList{"6:6 'a.y' and 'b.paint' have different types: real and enumeration.",
                   "9:6 'a.vector' and 'b.pair' have different sizes: 3 and 2. Connect their elements, "
                   "\"subsystem.port[1]\" and so on, or give a mapping between their meshes.",
                   "13:10 'scale' and 'offset' are for reals; 'a.n' and 'b.n' are of type integer. Remove them."}));
}

TEST_F(Resolver, ConnectsElements) {
  const Resolution resolution =
      resolveText(connection("a.vector[3]", "b.pair[1]") + connection("a.y", "b.pair[2]", "scale = 2.0\n") +
                  connection("a.vector[1]", "b.u"));
  EXPECT_EQ(list(resolution.findings.mistakes), ProblemList{});
  ASSERT_EQ(resolution.connections.size(), 3U);
  EXPECT_EQ(resolution.connections[0].fromElement, 2U);
  EXPECT_EQ(resolution.connections[0].toElement, 0U);
  EXPECT_EQ(resolution.connections[1].fromElement, std::nullopt);
  EXPECT_EQ(resolution.connections[1].toElement, 1U);
  EXPECT_EQ(resolution.connections[2].fromElement, 0U);
  EXPECT_EQ(resolution.connections[2].toElement, std::nullopt);
}

TEST_F(Resolver, RefusesElementsThatAreNotThereOrLeftOut) {
  EXPECT_EQ(list(resolveText(connection("a.vector[4]", "b.u") + connection("a.vector[1]", "b.pair[2]") +
                             connection("a.n[1]", "b.n") + connection("a.vector", "a.z"))
                     .findings.mistakes),
            (ProblemList{"5:8 'a.vector' has no element 4. It has 3, counted from 1.",
                         "9:6 'b.pair[1]' is not connected, but other elements of 'b.pair' are. Connect all of them or "
                         "none.",
                         "11:8 'a.n' is of type integer; only reals are connected by elements. Connect the whole port.",
                         "15:6 'a.vector' and 'a.z' have different sizes: 3 and 1. Connect their elements, "
                         "\"subsystem.port[1]\" and so on."}));
}

TEST_F(Resolver, WarnsOfUnitsThatDifferUnlessAScaleIsGiven) {
  const Resolution plain = resolveText(connection("a.metres", "b.millimetres"));
  EXPECT_EQ(list(plain.findings.mistakes), ProblemList{});
  EXPECT_EQ(
      list(plain.findings.warnings),
      ProblemList{"6:6 'a.metres' and 'b.millimetres' have different units: m and mm. Give 'scale' (and 'offset'); "
                  "scale = 1.0 says that this is meant."});
  EXPECT_EQ(plain.connections.size(), 1U);
  EXPECT_EQ(list(resolveText(connection("a.metres", "b.millimetres", "scale = 1.0\n")).findings.warnings),
            ProblemList{});
  EXPECT_EQ(list(resolveText(connection("a.metres", "b.u")).findings.warnings), ProblemList{});
}

TEST_F(Resolver, WarnsOfEnumerationsWithOtherItems) {
  EXPECT_EQ(
      list(resolveText(connection("a.colour", "b.paint")).findings.warnings),
      ProblemList{"6:6 'a.colour' and 'b.paint' are enumerations with different items; their numbers are passed on."});
}

TEST_F(Resolver, GivesParametersTheTypeOfTheirPort) {
  const auto value = [this](const std::string& name, std::vector<RawValue> values) {
    const Resolution resolution = resolveParameter(name, std::move(values));
    EXPECT_EQ(list(resolution.findings.mistakes), ProblemList{});
    return resolution.startValues.at(1).at(0).values;
  };
  using Values = std::vector<core::Value>;
  EXPECT_EQ(value("k", {std::int64_t{3}}), Values{3.0});
  EXPECT_EQ(value("count", {std::int64_t{-3}}), Values{std::int32_t{-3}});
  EXPECT_EQ(value("on", {true}), Values{true});
  EXPECT_EQ(value("text", {"x"}), Values{"x"});
  EXPECT_EQ(value("colour", {"blue"}), Values{std::int32_t{7}});
  EXPECT_EQ(value("colour", {std::int64_t{1}}), Values{std::int32_t{1}});
  EXPECT_EQ(value("gains", {1.0, std::int64_t{2}}), (Values{1.0, 2.0}));
  EXPECT_EQ(value("u", {0.5}), Values{0.5});
}

TEST_F(Resolver, RefusesParametersThatDoNotFit) {
  const auto mistakes = [this](const std::string& name, std::vector<RawValue> values) {
    const Resolution resolution = resolveParameter(name, std::move(values));
    EXPECT_TRUE(resolution.startValues.at(1).empty());
    return list(resolution.findings.mistakes);
  };
  EXPECT_EQ(mistakes("kk", {1.0}), ProblemList{"3:1 'b' has no parameter or start value 'kk'. Did you mean 'k'?"});
  EXPECT_EQ(mistakes("constant", {1.0}),
            ProblemList{"3:1 'b.constant' cannot be set: the model calculates it or declares it constant."});
  EXPECT_EQ(mistakes("k", {"three"}), ProblemList{"3:10 'b.k' (real) is the string 'three'; expected is a number."});
  EXPECT_EQ(mistakes("count", {2.5}),
            ProblemList{"3:10 'b.count' (integer) is the real 2.5; expected is a whole number."});
  EXPECT_EQ(mistakes("count", {std::int64_t{3'000'000'000}}),
            ProblemList{"3:10 'b.count' (integer) is 3000000000, beyond the integers of 32 bits. Choose a value from "
                        "-2147483648 to 2147483647."});
  EXPECT_EQ(mistakes("on", {std::int64_t{1}}),
            ProblemList{"3:10 'b.on' (boolean) is the integer 1; expected is true or false."});
  EXPECT_EQ(mistakes("text", {1.5}),
            ProblemList{"3:10 'b.text' (string) is the real 1.5; expected is a string. Put it in quotes; on "
                        "the command line in two pairs, 'name=\"text\"'."});
  EXPECT_EQ(mistakes("colour", {"blu"}),
            ProblemList{"3:10 'b.colour' (enumeration) has no item 'blu'. Did you mean 'blue'?"});
  EXPECT_EQ(mistakes("colour", {std::int64_t{2}}),
            ProblemList{"3:10 'b.colour' (enumeration) has no item of number 2. Known here: red, blue."});
  EXPECT_EQ(mistakes("gains", {1.0}),
            ProblemList{"3:10 Values given for 'b.gains': 1; expected: 2. Write an array, [..., ...]."});
  EXPECT_EQ(mistakes("gains", {1.0, "x"}),
            ProblemList{"3:11 'b.gains' (real) is the string 'x'; expected is a number."});
  EXPECT_EQ(mistakes("k", {}), ProblemList{"3:1 Values given for 'b.k': 0; expected: 1."});
}

TEST_F(Resolver, WantsRecordedVariablesToExist) {
  EXPECT_EQ(list(resolveText("[results]\nvariables = [\"*\", \"a.y\", \"a.q\",\n  \"a.Y*\"]\n").findings.mistakes),
            (ProblemList{"5:26 There is no variable 'a.q' to be recorded. Did you mean 'a.y'?",
                         "6:3 There is no variable 'a.Y*' to be recorded. Did you mean 'a.y'?"}));
}

TEST_F(Resolver, ElementsAreCountedFromOneToTheLast) {
  const auto mistakes = [this](const std::string& from, const std::string& to) {
    return list(resolveText(connection(from, to)).findings.mistakes);
  };
  EXPECT_EQ(mistakes("a.vector[1]", "b.u"), ProblemList{});
  EXPECT_EQ(mistakes("a.vector[3]", "b.u"), ProblemList{});
  EXPECT_EQ(mistakes("a.vector[0]", "b.u"), ProblemList{"5:8 'a.vector' has no element 0. It has 3, counted from 1."});
  EXPECT_EQ(mistakes("a.vectr[1]", "b.u"),
            ProblemList{"5:8 'a' has no output 'vectr[1]'. Known here: y, metres, n, vector, colour."});
  EXPECT_EQ(mistakes("a.y", "b.pair[1]"),
            ProblemList{
                "6:6 'b.pair[2]' is not connected, but other elements of 'b.pair' are. Connect all of them or none."});
  EXPECT_EQ(resolveText(connection("a.y", "b.u", "offset = -2.5\n")).connections.at(0).offset, -2.5);
}

TEST_F(Resolver, OnlyRealsAreScaled) {
  EXPECT_EQ(list(resolveText(connection("a.n", "b.n", "scale = 2.0\n")).findings.mistakes),
            ProblemList{"7:9 'scale' and 'offset' are for reals; 'a.n' and 'b.n' are of type integer. Remove them."});
  EXPECT_EQ(list(resolveText(connection("a.n", "b.n")).findings.mistakes), ProblemList{});
  EXPECT_EQ(list(resolveText(connection("a.metres", "b.millimetres", "offset = 1.0\n")).findings.warnings),
            ProblemList{});
  EXPECT_EQ(list(resolveText(connection("a.y", "b.millimetres")).findings.warnings), ProblemList{});
}

TEST_F(Resolver, EveryVariableThatIsNamedExists) {
  const auto mistakes = [this](const std::string& lines) { return list(resolveText(lines).findings.mistakes); };
  const std::string sections = "[algorithm]\nkind = \"iterated-jacobi\"\n";
  EXPECT_EQ(mistakes(sections +
                     "[results]\niterations = [\"a.y\", \"b.*\"]\n[[convergence]]\nvariables = [\"a.y\", \"a.n\"]\n"),
            ProblemList{});
  EXPECT_EQ(mistakes("[results]\niterations = [\"a.y\", \"a.yy\"]\n"),
            ProblemList{"5:22 There is no variable 'a.yy' to be recorded. Did you mean 'a.y'?"});
  EXPECT_EQ(
      mistakes(sections + "[[convergence]]\nvariables = [\"a.y\"]\n[[convergence]]\nvariables = [\"a.n\", \"a.yy\"]\n"),
      ProblemList{"8:1 There is no variable 'a.yy' to be tested. Did you mean 'a.y'?"});
  for (const char* name : {"y", "c.y", "a.", ".y", "a.y.z"})
    EXPECT_EQ(mistakes("[results]\nvariables = [\"" + std::string(name) + "\"]\n").size(), 1U) << name;
  EXPECT_EQ(mistakes("[results]\nvariables = [\"a.inner\", \"b.k\", \"a.z\"]\n"), ProblemList{});
}

TEST_F(Resolver, IncrementsAreOfConnectedRealOutputs) {
  const auto mistakes = [this](const std::string& increments) {
    return list(resolveText(connection("a.y", "b.u") + connection("a.n", "b.n") +
                            "[algorithm]\nkind = \"semi-implicit\"\nincrements = {" + increments + "}\n")
                    .findings.mistakes);
  };
  EXPECT_EQ(mistakes("\"a.y\" = 0.5"), ProblemList{});
  EXPECT_EQ(mistakes("\"a.y\" = 0.5, \"a.z\" = 0.5"),
            ProblemList{"12:28 There is no connected real output 'a.z' to be probed. Did you mean 'a.y'?"});
}

TEST_F(Resolver, NamesTheFirstValueOfAListThatDoesNotFit) {
  const auto mistakes = [this](const std::string& name, std::vector<RawValue> values) {
    return list(resolveParameter(name, std::move(values)).findings.mistakes);
  };
  EXPECT_EQ(mistakes("gains", {1.0, 2.0, 3.0}),
            ProblemList{"3:10 Values given for 'b.gains': 3; expected: 2. Write an array, [..., ...]."});
  EXPECT_EQ(mistakes("k", {1.0, 2.0}), ProblemList{"3:10 Values given for 'b.k': 2; expected: 1."});
  EXPECT_EQ(mistakes("colour", {true}),
            ProblemList{"3:10 'b.colour' (enumeration) is the boolean true; expected is an item's name or number."});
  EXPECT_EQ(mistakes("k", {std::nan("")}), ProblemList{"3:10 'b.k' (real) is not a number (nan)."});
  EXPECT_EQ(mistakes("count", {std::int64_t{2147483647}}), ProblemList{});
  EXPECT_EQ(mistakes("count", {std::int64_t{-2147483648}}), ProblemList{});
  EXPECT_EQ(mistakes("count", {std::int64_t{2147483648}}).size(), 1U);
  EXPECT_EQ(mistakes("count", {std::int64_t{-2147483649}}).size(), 1U);
  EXPECT_EQ(mistakes("colour", {std::int64_t{3'000'000'000}}).size(), 1U);
}

TEST_F(Resolver, WarnsOfOutputsThatCannotBeInterpolatedBack) {
  const auto warnings = [this](bool overshoot, std::size_t member) {
    Project project;
    project.file = "loop.toml";
    project.subsystems = {{{"a", {"loop.toml", 3, 1}}, {"a.fmu", {}}}, {{"b", {"loop.toml", 4, 1}}, {"b.fmu", {}}}};
    project.subsystems[member].overshoot = overshoot;
    project.subsystems[member].microStep = 0.25;
    return list(resolveProject(project).findings.warnings);
  };
  EXPECT_EQ(
      warnings(true, 0),
      ProblemList{"3:1 'a' runs past communication points (overshoot = true), and these outputs are no real ones: n, "
                  "colour. They are those of the end of its micro step, up to 0.25 s later. Leave them unconnected, or "
                  "choose a micro_step that divides simulation.step."});
  EXPECT_EQ(warnings(true, 1), ProblemList{}) << "its outputs are real";
  EXPECT_EQ(warnings(false, 0), ProblemList{});
}

TEST_F(Resolver, SaysNothingAboutSubsystemsThatCouldNotBeOpened) {
  const Reading reading = parse(
      "format = 1\nsimulation = { end = 1, step = 1 }\n[[subsystems]]\nname = \"a\"\nfmu = "
      "\"a.fmu\"\n[[connections]]\nfrom = "
      "\"a.what\"\nto = \"a.ever\"\n[results]\nvariables = [\"a.x\", \"b*\"]\n",
      "loop.toml");
  const std::vector<const Description*> none{nullptr};
  EXPECT_EQ(list(resolve(reading.project, none).findings.mistakes), ProblemList{});
}

}  // namespace
}  // namespace koppla::project
