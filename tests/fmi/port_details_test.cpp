// What a port tells of its variable, and which dependencies are those of ports.

#include "koppla/fmi/description_reader.hpp"
#include "koppla/fmi/ports.hpp"

#include "played_fmu.hpp"

namespace koppla::fmi::test::port_details_test {
namespace {

using ::testing::ElementsAre;

PortTable portsOf(const std::string& variables, const std::string& structure = "<ModelStructure/>",
                  const std::string& flags = {}) {
  DescriptionText text = described(variables, structure);
  text.head = R"(fmiVersion="2.0" modelName="Name of it" guid="{1}")";
  text.flags += " " + flags;
  return makePorts(readModelDescription(text.xml(), "m.xml").model);
}

TEST(PortDetails, ArePortsOfTheirVariables) {
  const PortTable table = portsOf(R"(
    <ScalarVariable name="t" valueReference="1" causality="independent"><Real/></ScalarVariable>
    <ScalarVariable name="m" valueReference="7" causality="parameter" variability="fixed" description="which one">
      <Enumeration declaredType="Mode" start="2"/></ScalarVariable>
    <ScalarVariable valueReference="8"><Real/></ScalarVariable>
    <ScalarVariable name="x" valueReference="9" causality="output" description="how far">
      <Real unit="km" nominal="20" start="3"/></ScalarVariable>)");
  EXPECT_EQ(table.description.kind, "FMI 2.0 co-simulation");
  EXPECT_EQ(table.description.model, "Name of it");
  ASSERT_EQ(table.description.ports.size(), 2U);
  EXPECT_THAT(table.references, ElementsAre(7U, 9U));
  EXPECT_THAT(table.variables, ElementsAre(1U, 3U));
  const subsystem::Port& mode = table.description.ports[0];
  EXPECT_EQ(mode.name, "m");
  EXPECT_EQ(mode.type, core::Type::enumeration);
  EXPECT_EQ(mode.causality, subsystem::Causality::parameter);
  EXPECT_EQ(mode.description, "which one");
  EXPECT_EQ(mode.start, core::Value(std::int32_t{2}));
  EXPECT_EQ(mode.unit, "");
  const subsystem::Port& x = table.description.ports[1];
  EXPECT_EQ(x.type, core::Type::real);
  EXPECT_EQ(x.causality, subsystem::Causality::output);
  EXPECT_EQ(x.unit, "km");
  EXPECT_EQ(x.description, "how far");
  EXPECT_EQ(x.nominal, 20.0);
  EXPECT_EQ(x.start, core::Value(3.0));
  EXPECT_EQ(table.description.find("x"), 1U);
  EXPECT_EQ(table.description.find("t"), std::nullopt);
}

TEST(PortDetails, ItemsOfAnEnumerationAreThoseOfItsType) {
  DescriptionText text = described(R"(<ScalarVariable name="m" valueReference="7" variability="discrete">
      <Enumeration declaredType="Mode"/></ScalarVariable>)");
  text.definitions = R"(<TypeDefinitions><SimpleType name="Mode"><Enumeration><Item name="off" value="-1"/>
      <Item name="none"/><Item name="on" value="4"/></Enumeration></SimpleType></TypeDefinitions>)";
  const auto items = makePorts(readModelDescription(text.xml(), "m.xml").model).description.ports.at(0).items;
  ASSERT_EQ(items.size(), 2U) << "one without a value is none";
  EXPECT_EQ(items[0].name, "off");
  EXPECT_EQ(items[0].value, -1);
  EXPECT_EQ(items[1].name, "on");
  EXPECT_EQ(items[1].value, 4);
}

TEST(PortDetails, UsualMagnitudesAreFiniteAndAboveZero) {
  const auto nominal = [](const std::string& attribute) {
    return portsOf("<ScalarVariable name=\"x\" valueReference=\"1\"><Real " + attribute + "/></ScalarVariable>")
        .description.ports.at(0)
        .nominal;
  };
  EXPECT_EQ(nominal(""), std::nullopt);
  EXPECT_EQ(nominal("nominal=\"0.25\""), 0.25);
  EXPECT_EQ(nominal("nominal=\"-0.25\""), 0.25);
  EXPECT_EQ(nominal("nominal=\"1e-300\""), 1e-300);
  EXPECT_EQ(nominal("nominal=\"0\""), std::nullopt);
  EXPECT_EQ(nominal("nominal=\"INF\""), std::nullopt);
  EXPECT_EQ(nominal("nominal=\"NaN\""), std::nullopt);
  EXPECT_EQ(subsystem::Port{}.usualMagnitude(), 1.0) << "FMI 2.0.4, 2.2.7";
}

/// A real that is not continuous changes at communication points only; of other types that is said by the type.
TEST(PortDetails, DiscreteOnesAreReals) {
  const auto discrete = [](const std::string& variability, const std::string& type) {
    return portsOf("<ScalarVariable name=\"x\" valueReference=\"1\" variability=\"" + variability + "\"><" + type +
                   " start=\"1\"/></ScalarVariable>")
        .description.ports.at(0)
        .discrete;
  };
  EXPECT_FALSE(discrete("continuous", "Real"));
  EXPECT_TRUE(discrete("discrete", "Real"));
  EXPECT_TRUE(discrete("fixed", "Real"));
  EXPECT_FALSE(discrete("discrete", "Integer"));
  EXPECT_FALSE(discrete("fixed", "Boolean"));
}

/// What may be set before initialisation (2.2.7): all that has a start value of its own and is no constant.
TEST(PortDetails, WhatHasAStartValueCanBeSet) {
  const auto canBeSet = [](Causality causality, Variability variability, std::optional<Initial> initial) {
    Variable variable;
    variable.causality = causality;
    variable.variability = variability;
    variable.initial = initial;
    return settable(variable);
  };
  using enum Variability;
  for (const auto initial :
       std::vector<std::optional<Initial>>{std::nullopt, Initial::exact, Initial::approx, Initial::calculated}) {
    const bool starts = initial == Initial::exact || initial == Initial::approx;
    for (const Causality causality : {Causality::parameter, Causality::calculatedParameter, Causality::input,
                                      Causality::output, Causality::local, Causality::independent}) {
      const bool always = causality == Causality::parameter || causality == Causality::input;
      EXPECT_FALSE(canBeSet(causality, constant, initial));
      for (const Variability variability : {fixed, tunable, discrete, continuous})
        EXPECT_EQ(canBeSet(causality, variability, initial), always || (starts && causality != Causality::independent))
            << word(causality);
    }
  }
}

/// Dependencies on what is no input, or cannot be used, are none; what is no output has none.
TEST(PortDetails, DependenciesAreThoseOfOutputsOnInputs) {
  const std::string variables = variable("u", 1, "input", "Real", "start=\"0\"") + variable("x", 2, "local") +
                                variable("u", 3, "input", "Real", "start=\"0\"") +  // a second one of that name
                                variable("v", 4, "input", "Real", "start=\"0\"") + variable("y", 5, "output") +
                                variable("y", 6, "output") + variable("z", 7, "output");
  // Of y those on u, x, the second u and v; of the second y, of x and of v something, too.
  const PortTable table =
      portsOf(variables, outputsDepending({{5, "1 2 3 4"}, {6, "1"}, {2, "1"}, {4, "1"}, {3, "1"}, {7, "2 3"}}));
  const subsystem::Description& d = table.description;
  using Ports = std::vector<subsystem::PortIndex>;
  const auto u = d.find("u").value(), v = d.find("v").value(), y = d.find("y").value(), z = d.find("z").value();
  ASSERT_EQ(d.dependencies.size(), 2U);
  ASSERT_EQ(d.initialDependencies.size(), 2U);
  EXPECT_EQ(d.dependencies.at(y), (Ports{u, v}));
  EXPECT_EQ(d.dependencies.at(z), Ports{});
  EXPECT_EQ(d.initialDependencies.at(y), (Ports{u, v}));
  EXPECT_EQ(d.initialDependencies.at(z), Ports{});
}

/// The first variable may be an output; without ModelStructure nothing is known of any.
TEST(PortDetails, WithoutStructureAllMayDependOnAll) {
  const std::string variables =
      "<ScalarVariable name=\"y\" valueReference=\"1\" causality=\"output\" initial=\"exact\"><Real start=\"1\"/>"
      "</ScalarVariable>" +
      variable("u", 2, "input", "Real", "start=\"0\"");
  const auto of = [&](const std::string& structure) { return portsOf(variables, structure).description; };
  const subsystem::Description none = of("");
  EXPECT_EQ(none.dependencies.at(0), std::nullopt);
  EXPECT_EQ(none.initialDependencies.at(0), std::nullopt);
  const subsystem::Description empty = of("<ModelStructure/>");
  EXPECT_EQ(empty.dependencies.at(0), std::nullopt);
  EXPECT_EQ(empty.initialDependencies.at(0), std::vector<subsystem::PortIndex>{}) << "its start value is exact";
  EXPECT_EQ(empty.initialDependencies.size(), 1U);
}

TEST(PortDetails, CapabilitiesAreThoseThatAreDeclared) {
  struct Row {
    std::string flag;
    subsystem::Capabilities can;
  };
  const subsystem::Capabilities plain{.threadBound = true};
  std::vector<Row> rows(7, Row{"", plain});
  rows[1].flag = "canGetAndSetFMUstate=\"true\"";
  rows[1].can.saveRestore = true;
  rows[2].flag = "canHandleVariableCommunicationStepSize=\"true\"";
  rows[2].can.variableStep = true;
  rows[3].flag = "providesDirectionalDerivative=\"1\"";
  rows[3].can.directionalDerivatives = true;
  rows[4].flag = "canInterpolateInputs=\"true\"";
  rows[4].can.inputDerivatives = subsystem::kMaxDegree;
  rows[5].flag = "maxOutputDerivativeOrder=\"2\"";
  rows[5].can.outputDerivatives = 2;
  rows[6].flag = "canBeInstantiatedOnlyOncePerProcess=\"true\"";
  rows[6].can.oncePerProcess = true;
  for (const Row& row : rows) {
    SCOPED_TRACE(row.flag);
    const subsystem::Description d =
        portsOf(
            variable("x", 1, "local") + variable("v", 2, "local") + variable("a", 3, "local"),
            "<ModelStructure><Derivatives><Unknown index=\"2\"/><Unknown index=\"3\"/></Derivatives></ModelStructure>",
            row.flag)
            .description;
    EXPECT_EQ(d.declaredStates, 2U);
    EXPECT_EQ(d.capabilities.saveRestore, row.can.saveRestore);
    EXPECT_EQ(d.capabilities.variableStep, row.can.variableStep);
    EXPECT_EQ(d.capabilities.directionalDerivatives, row.can.directionalDerivatives);
    EXPECT_EQ(d.capabilities.inputDerivatives, row.can.inputDerivatives);
    EXPECT_EQ(d.capabilities.outputDerivatives, row.can.outputDerivatives);
    EXPECT_EQ(d.capabilities.oncePerProcess, row.can.oncePerProcess);
    EXPECT_TRUE(d.capabilities.threadBound);
  }
}

}  // namespace
}  // namespace koppla::fmi::test::port_details_test
