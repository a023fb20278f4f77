#include "koppla/fmi/ports.hpp"

#include "koppla/fmi/description_reader.hpp"

#include "helpers.hpp"

namespace koppla::fmi::test {
namespace {

using ::testing::ElementsAre;

PortTable portsOf(const std::string& variables, const std::string& structure) {
  DescriptionText text;
  text.flags += R"( canGetAndSetFMUstate="true" providesDirectionalDerivative="true")";
  text.variables = variables;
  text.structure = structure;
  return makePorts(readModelDescription(text.xml(), "m.xml").model);
}

TEST(Ports, FollowCausalityAndWhatMayBeSet) {
  const PortTable table = portsOf(R"(
    <ScalarVariable name="time" valueReference="0" causality="independent"><Real/></ScalarVariable>
    <ScalarVariable name="u" valueReference="1" causality="input" variability="discrete"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="y" valueReference="2" causality="output"><Real nominal="-5"/></ScalarVariable>
    <ScalarVariable name="y0" valueReference="3" causality="output" initial="exact"><Real start="1"/></ScalarVariable>
    <ScalarVariable name="p" valueReference="4" causality="parameter" variability="fixed"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="c" valueReference="5" causality="parameter" variability="constant"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="q" valueReference="6" causality="calculatedParameter" variability="fixed"><Real/></ScalarVariable>
    <ScalarVariable name="x" valueReference="7" initial="approx"><Real start="0" nominal="0"/></ScalarVariable>
    <ScalarVariable name="u" valueReference="8" causality="input"><Real start="0"/></ScalarVariable>)",
                                  "<ModelStructure/>");
  struct Row {
    std::string name;
    subsystem::Causality causality;
    bool settable;
    bool operator==(const Row&) const = default;
  };
  std::vector<Row> rows;
  for (const subsystem::Port& port : table.description.ports)
    rows.push_back({port.name, port.causality, port.settable});
  using subsystem::Causality;
  EXPECT_THAT(rows, ElementsAre(Row{"u", Causality::input, true}, Row{"y", Causality::output, false},
                                Row{"y0", Causality::output, true}, Row{"p", Causality::parameter, true},
                                Row{"c", Causality::local, false}, Row{"q", Causality::local, false},
                                Row{"x", Causality::local, true}));
  EXPECT_THAT(table.references, ElementsAre(1U, 2U, 3U, 4U, 5U, 6U, 7U));
  EXPECT_TRUE(table.description.ports[0].discrete);
  EXPECT_FALSE(table.description.ports[1].discrete);
  EXPECT_EQ(table.description.ports[1].nominal, 5.0);
  EXPECT_EQ(table.description.ports[6].nominal, std::nullopt);
  EXPECT_EQ(table.description.find("p"), 3U);
  EXPECT_TRUE(table.description.capabilities.saveRestore);
  EXPECT_TRUE(table.description.capabilities.directionalDerivatives);
  EXPECT_FALSE(table.description.capabilities.variableStep);
}

TEST(Ports, DependenciesAreThoseOnInputs) {
  const std::string variables = R"(
    <ScalarVariable name="x" valueReference="0"><Real/></ScalarVariable>
    <ScalarVariable name="u1" valueReference="1" causality="input"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="u2" valueReference="2" causality="input"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="direct" valueReference="3" causality="output"><Real/></ScalarVariable>
    <ScalarVariable name="state" valueReference="4" causality="output"><Real/></ScalarVariable>
    <ScalarVariable name="silent" valueReference="5" causality="output"><Real/></ScalarVariable>
    <ScalarVariable name="fixed" valueReference="6" causality="output" initial="exact"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="forgotten" valueReference="7" causality="output"><Real/></ScalarVariable>)";
  const PortTable table = portsOf(variables, R"(<ModelStructure>
    <Outputs><Unknown index="4" dependencies="1 3"/><Unknown index="5" dependencies="1"/><Unknown index="6"/>
      <Unknown index="7" dependencies="2"/></Outputs>
    <InitialUnknowns><Unknown index="4" dependencies="3"/><Unknown index="5" dependencies="2"/><Unknown index="6"/>
    </InitialUnknowns></ModelStructure>)");
  const subsystem::Description& d = table.description;
  const auto through = [&](const char* input, const char* output) {
    return d.feedsThrough(d.find(input).value(), d.find(output).value());
  };
  const auto initially = [&](const char* input, const char* output) {
    const auto& declared = d.initialDependenciesOf(d.find(output).value());
    return !declared || std::ranges::find(*declared, d.find(input).value()) != declared->end();
  };
  EXPECT_FALSE(through("u1", "direct"));
  EXPECT_TRUE(through("u2", "direct"));
  EXPECT_FALSE(through("u1", "state"));
  EXPECT_TRUE(through("u1", "silent"));
  EXPECT_TRUE(through("u1", "fixed"));
  EXPECT_TRUE(through("u1", "forgotten"));
  EXPECT_TRUE(initially("u1", "state"));
  EXPECT_FALSE(initially("u2", "state"));
  EXPECT_TRUE(initially("u2", "silent"));
  EXPECT_FALSE(initially("u1", "fixed"));  // its start value is exact
  EXPECT_TRUE(initially("u2", "forgotten"));
}

}  // namespace
}  // namespace koppla::fmi::test
