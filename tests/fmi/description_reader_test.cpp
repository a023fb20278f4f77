#include "koppla/fmi/description_reader.hpp"

#include "helpers.hpp"

namespace koppla::fmi::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string refusal(const std::string& xml, bool strict = false) {
  return messageOf<core::InputError>([&] { readModelDescription(xml, "m.xml", strict); });
}

ModelDescription modelOf(const DescriptionText& text) {
  return readModelDescription(text.xml(), "m.xml").model;
}

std::vector<std::string> warningsOf(const std::string& xml) {
  std::vector<std::string> result;
  for (const core::Problem& problem : readModelDescription(xml, "m.xml").warnings)
    result.push_back(core::text(problem));
  return result;
}

std::vector<std::string> warningsOf(const DescriptionText& text) {
  return warningsOf(text.xml());
}

TEST(DescriptionReader, ReadsAllThatIsThere) {
  const std::string xml = R"(<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="A &amp; B" guid="{8c4e810f}" description="Some model" author="Me"
    version="1.2" copyright="Me" license="MIT" generationTool="Tool 7" generationDateAndTime="2020-01-01T00:00:00Z"
    variableNamingConvention="structured" numberOfEventIndicators="0">
  <ModelExchange modelIdentifier="AB_me"/>
  <CoSimulation modelIdentifier="AB" needsExecutionTool="true" canHandleVariableCommunicationStepSize="true"
    canInterpolateInputs="1" maxOutputDerivativeOrder="2" canRunAsynchronuously="true"
    canBeInstantiatedOnlyOncePerProcess="true" canNotUseMemoryManagementFunctions="true" canGetAndSetFMUstate="true"
    canSerializeFMUstate="true" providesDirectionalDerivative="true"><SourceFiles><File name="a.c"/></SourceFiles></CoSimulation>
  <UnitDefinitions><Unit name="K"><BaseUnit K="1"/><DisplayUnit name="degC" offset="-273.15"/></Unit></UnitDefinitions>
  <TypeDefinitions>
    <SimpleType name="Temperature"><Real unit="K" displayUnit="degC" nominal="300" min="0" max="1e4"/></SimpleType>
    <SimpleType name="Mode"><Enumeration><Item name="off" value="1"/><Item name="on" value="5"/></Enumeration></SimpleType>
  </TypeDefinitions>
  <LogCategories><Category name="logAll"/><Category name="logEvents"/></LogCategories>
  <DefaultExperiment startTime="1" stopTime="2.5" tolerance="1e-5" stepSize="0.01"/>
  <VendorAnnotations><Tool name="x"><any/></Tool></VendorAnnotations>
  <ModelVariables>
    <ScalarVariable name="T" valueReference="7" causality="input" description="outside"><Real declaredType="Temperature" start="290"/></ScalarVariable>
    <ScalarVariable name="T2" valueReference="8" causality="output"><Real declaredType="Temperature" nominal="1"/></ScalarVariable>
    <ScalarVariable name="mode" valueReference="1" causality="parameter" variability="tunable"><Enumeration declaredType="Mode" start="5"/></ScalarVariable>
    <ScalarVariable name="n" valueReference="2" causality="parameter" variability="fixed"><Integer start="-3"/></ScalarVariable>
    <ScalarVariable name="b" valueReference="3" causality="parameter" variability="fixed"><Boolean start="true"/></ScalarVariable>
    <ScalarVariable name="s" valueReference="4" causality="parameter" variability="fixed"><String start=" a "/></ScalarVariable>
  </ModelVariables>
  <ModelStructure>
    <Outputs><Unknown index="2" dependencies="1 3" dependenciesKind="dependent fixed"/></Outputs>
    <InitialUnknowns><Unknown index="2" dependencies=""/></InitialUnknowns>
  </ModelStructure>
</fmiModelDescription>)";
  const DescriptionRead read = readModelDescription(xml, "m.xml");
  const ModelDescription& m = read.model;
  EXPECT_THAT(read.warnings, IsEmpty());
  EXPECT_EQ(m.fmiVersion, "2.0");
  EXPECT_EQ(m.modelName, "A & B");
  EXPECT_EQ(m.guid, "{8c4e810f}");
  EXPECT_EQ(m.description, "Some model");
  EXPECT_EQ(m.author, "Me");
  EXPECT_EQ(m.version, "1.2");
  EXPECT_EQ(m.license, "MIT");
  EXPECT_EQ(m.generationTool, "Tool 7");
  EXPECT_EQ(m.generationDateAndTime, "2020-01-01T00:00:00Z");
  EXPECT_TRUE(m.structuredNames);
  EXPECT_TRUE(m.modelExchange);
  const CoSimulationFlags& f = m.coSimulation;
  EXPECT_EQ(f.modelIdentifier, "AB");
  EXPECT_EQ(f.maxOutputDerivativeOrder, 2U);
  EXPECT_TRUE(f.needsExecutionTool && f.canHandleVariableCommunicationStepSize && f.canInterpolateInputs);
  EXPECT_TRUE(f.canRunAsynchronuously && f.canBeInstantiatedOnlyOncePerProcess && f.canNotUseMemoryManagementFunctions);
  EXPECT_TRUE(f.canGetAndSetFMUstate && f.canSerializeFMUstate && f.providesDirectionalDerivative);
  EXPECT_THAT(m.units, ElementsAre("K"));
  EXPECT_THAT(m.logCategories, ElementsAre("logAll", "logEvents"));
  EXPECT_EQ(m.defaultExperiment.startTime, 1.0);
  EXPECT_EQ(m.defaultExperiment.stopTime, 2.5);
  EXPECT_EQ(m.defaultExperiment.tolerance, 1e-5);
  EXPECT_EQ(m.defaultExperiment.stepSize, 0.01);

  ASSERT_EQ(m.variables.size(), 6U);
  EXPECT_EQ(m.variables[0].name, "T");
  EXPECT_EQ(m.variables[0].description, "outside");
  EXPECT_EQ(m.variables[0].valueReference, 7U);
  EXPECT_EQ(m.variables[0].unit, "K");
  EXPECT_EQ(m.variables[0].displayUnit, "degC");
  EXPECT_EQ(m.variables[0].nominal, 300.0);
  EXPECT_EQ(m.variables[0].max, 1e4);
  EXPECT_EQ(m.variables[0].start, core::Value(290.0));
  EXPECT_EQ(m.variables[0].position.line, 19U);
  EXPECT_EQ(m.variables[1].nominal, 1.0);  // the variable's own word counts more than its type's
  EXPECT_EQ(m.variables[2].start, core::Value(std::int32_t{5}));
  EXPECT_EQ(m.variables[2].items.at(1).name, "on");
  EXPECT_EQ(m.variables[2].items.at(1).value, 5);
  EXPECT_EQ(m.variables[3].start, core::Value(std::int32_t{-3}));
  EXPECT_EQ(m.variables[4].start, core::Value(true));
  EXPECT_EQ(m.variables[5].start, core::Value(std::string(" a ")));
  EXPECT_THAT(m.outputs.at(0).dependencies.value(), ElementsAre(0U, 2U));
  EXPECT_THAT(m.initialUnknowns.at(0).dependencies.value(), IsEmpty());
}

TEST(DescriptionReader, SaysWhereXmlIsBroken) {
  EXPECT_THAT(refusal("<fmiModelDescription>\n  <a>\n  </b>\n</fmiModelDescription>"),
              AllOf(HasSubstr("m.xml:3:"), HasSubstr("not well-formed XML")));
  EXPECT_THAT(refusal(""), HasSubstr("not well-formed XML"));
  EXPECT_THAT(refusal("no XML at all"), HasSubstr("not well-formed XML"));
  EXPECT_THAT(refusal("<html/>"), HasSubstr("root element is not fmiModelDescription (html)"));
}

TEST(DescriptionReader, RefusesOtherVersionsWithOneReason) {
  EXPECT_EQ(refusal(R"(<fmiModelDescription fmiVersion="3.0" modelName="x" instantiationToken="{1}"/>)"),
            "m.xml:1:2: Only FMI 2.0 can be imported (FMI 3.0 is not supported yet). Export the model for FMI 2.0.");
  EXPECT_THAT(refusal(R"(<fmiModelDescription fmiVersion="1.0" modelIdentifier="x" guid="{1}"/>)"),
              HasSubstr("FMI 1.0 is not supported yet"));
  EXPECT_THAT(refusal(R"(<fmiModelDescription fmiVersion="two"/>)"), HasSubstr("fmiVersion is \"two\""));
}

TEST(DescriptionReader, AcceptsPatchVersionsWithAWarning) {
  DescriptionText text;
  text.head = R"(fmiVersion="2.0.3" modelName="x" guid="{1}")";
  EXPECT_THAT(warningsOf(text), ElementsAre(HasSubstr("FMI 2.0.4, 2.2.1: fmiVersion is not \"2.0\" (2.0.3)")));
}

TEST(DescriptionReader, NamesAllThatMakesAModelUnusableAtOnce) {
  DescriptionText text;
  text.head = R"(modelName="x")";
  text.flags = R"(modelIdentifier="../../bin/evil")";
  text.variables = R"(<ScalarVariable name="u" valueReference="first"><Real/></ScalarVariable>
<ScalarVariable name="v"><Real/></ScalarVariable>)";
  text.structure = "<ModelStructure/>";
  EXPECT_THAT(refusal(text.xml()),
              AllOf(HasSubstr("fmiVersion is missing"), HasSubstr("guid is missing"),
                    HasSubstr("modelIdentifier is a path (../../bin/evil)"),
                    HasSubstr("m.xml:5:2: FMI 2.0.4, 2.2.7: a variable has no readable valueReference (u, v).")));
  text.flags = "";
  EXPECT_THAT(refusal(text.xml()), HasSubstr("CoSimulation has no modelIdentifier"));
}

TEST(DescriptionReader, SaysWhenAModelIsForModelExchangeOnly) {
  const std::string xml = DescriptionText{}.xml();
  EXPECT_THAT(refusal(replaced(xml, "CoSimulation", "ModelExchange")), HasSubstr("model exchange only"));
  EXPECT_THAT(refusal(replaced(xml, "<CoSimulation modelIdentifier=\"Test\"/>", "")),
              HasSubstr("neither CoSimulation nor ModelExchange"));
}

TEST(DescriptionReader, PutsUpWithSlipsAndNamesTheRule) {
  DescriptionText text;
  text.definitions = R"(<DefaultExperiment stopTime=" 2" stepSize="0,1"/><UnitDefinitions/><Surprise/>)";
  text.variables =
      R"(<ScalarVariable name="u" valueReference=" 0 " causality="input" colour="red"><Real start=" 1.5"/></ScalarVariable>
<ScalarVariable name="n" valueReference="1" causality="input" variability="discrete"><Integer start="2.0"/></ScalarVariable>
<ScalarVariable name="b" valueReference="2" causality="input" variability="discrete"><Boolean start="yes"/></ScalarVariable>
<ScalarVariable name="c" valueReference="3" causality="inputs"><Real/></ScalarVariable>
<ScalarVariable name="u" valueReference="4"><Real/></ScalarVariable>
<ScalarVariable valueReference="5"><Real/></ScalarVariable>
<ScalarVariable name="d" valueReference="6"><Complex/></ScalarVariable>
<ScalarVariable name="e" valueReference="7"><Real declaredType="Nothing"/></ScalarVariable>
<Other/>)";
  text.structure = "<ModelStructure/>";
  const DescriptionRead read = readModelDescription(text.xml(), "m.xml");
  EXPECT_EQ(read.model.defaultExperiment.stopTime, 2.0);  // blanks around numbers are legal
  EXPECT_FALSE(read.model.defaultExperiment.stepSize);
  ASSERT_EQ(read.model.variables.size(), 8U);
  EXPECT_EQ(read.model.variables[0].start, core::Value(1.5));
  EXPECT_EQ(read.model.variables[1].start, core::Value(std::int32_t{2}));
  EXPECT_EQ(read.model.variables[3].causality, Causality::local);
  EXPECT_FALSE(read.model.variables[4].usable);
  EXPECT_FALSE(read.model.variables[5].usable);
  EXPECT_FALSE(read.model.variables[6].usable);
  const auto warnings = warningsOf(text);
  for (const char* expected :
       {"a number cannot be read (stepSize=\"0,1\" of DefaultExperiment)",
        "elements are in the wrong order (UnitDefinitions)", "an element is unknown here (Surprise, Other)",
        "an attribute is unknown (colour of ScalarVariable)",
        "an integer is written as a real (start=\"2.0\" of Integer)",
        "a boolean is neither 'true' nor 'false' (start=\"yes\"", "(causality=\"inputs\")",
        "FMI 2.0.4, 2.2.7: names of variables are not unique (u)", "a variable has no name",
        "a variable has no type (d)", "a declared type is not defined, or of another kind (Nothing of e)"})
    EXPECT_THAT(warnings, ::testing::Contains(HasSubstr(expected))) << expected;
}

TEST(DescriptionReader, StrictTurnsWarningsIntoErrors) {
  DescriptionText text;
  EXPECT_NO_THROW(readModelDescription(text.xml(), "m.xml", true));
  text.variables = replaced(text.variables, " start=\"0\"", "");
  EXPECT_THAT(refusal(text.xml(), true), HasSubstr("FMI 2.0.4, 2.2.7: a start value is missing (u)"));
}

TEST(DescriptionReader, GroupsCulpritsOfOneRule) {
  DescriptionText text;
  text.variables.clear();
  for (int i = 0; i < 1000; ++i)
    text.variables += "<ScalarVariable name=\"u" + std::to_string(i) + "\" valueReference=\"" + std::to_string(i) +
                      "\" causality=\"input\"><Real/></ScalarVariable>\n";
  text.structure = "<ModelStructure/>";
  EXPECT_THAT(warningsOf(text), ElementsAre(HasSubstr("(u0, u1, u2, u3, u4 and 995 more)")));
}

TEST(DescriptionReader, TakesOutputsFromVariablesWithoutModelStructure) {
  DescriptionText text;
  text.structure.clear();
  const ModelDescription model = modelOf(text);
  EXPECT_FALSE(model.structureDeclared);
  ASSERT_EQ(model.outputs.size(), 1U);
  EXPECT_EQ(model.outputs[0].variable, 1U);
  EXPECT_FALSE(model.outputs[0].dependencies);
  EXPECT_THAT(warningsOf(text), ElementsAre(HasSubstr("2.2.8: ModelStructure is missing")));
}

TEST(DescriptionReader, DependenciesAreAllWhenAbsentNoneWhenEmptyAndUndeclaredWhenWrong) {
  DescriptionText text;
  const auto dependencies = [&](const std::string& attribute) {
    text.structure = "<ModelStructure><Outputs><Unknown index=\"2\" " + attribute +
                     "/></Outputs><InitialUnknowns><Unknown index=\"2\"/></InitialUnknowns></ModelStructure>";
    return modelOf(text).outputs.at(0).dependencies;
  };
  EXPECT_FALSE(dependencies(""));
  EXPECT_THAT(dependencies("dependencies=\"\"").value(), IsEmpty());
  EXPECT_THAT(dependencies("dependencies=\" 1  2\n\"").value(), ElementsAre(0U, 1U));
  for (const char* wrong :
       {"dependencies=\"0\"", "dependencies=\"3\"", "dependencies=\"1 x\"", "dependencies=\"-1\""}) {
    EXPECT_FALSE(dependencies(wrong)) << wrong;
    EXPECT_THAT(warningsOf(text), ElementsAre(HasSubstr("an index is not that of a variable"))) << wrong;
  }
}

TEST(DescriptionReader, UnknownsOutOfRangeAreLeftOut) {
  DescriptionText text;
  text.structure = "<ModelStructure><Outputs><Unknown index=\"7\"/><Unknown/></Outputs></ModelStructure>";
  EXPECT_THAT(modelOf(text).outputs, IsEmpty());
  EXPECT_THAT(warningsOf(text), ::testing::Contains(HasSubstr("(index=\"7\", index=\"\")")));
}

TEST(DescriptionReader, ReadsOtherEncodings) {
  DescriptionText text;
  text.head = "fmiVersion=\"2.0\" modelName=\"gr\xfcn\" guid=\"{1}\"";
  EXPECT_EQ(modelOf(text).modelName, "gr\xc3\xbcn");
  EXPECT_THAT(warningsOf(text), ElementsAre(HasSubstr("not in the encoding it declares")));
  const std::string latin = replaced(text.xml(), "UTF-8", "ISO-8859-1");
  EXPECT_EQ(readModelDescription(latin, "m.xml").model.modelName, "gr\xc3\xbcn");
  EXPECT_THAT(warningsOf(latin), IsEmpty());

  std::string utf16 = "\xff\xfe";
  for (const char c : replaced(DescriptionText{}.xml(), "UTF-8", "UTF-16")) utf16 += std::string{c, '\0'};
  EXPECT_EQ(readModelDescription(utf16, "m.xml").model.modelName, "Test");
}

TEST(DescriptionReader, NeverFollowsEntities) {
  const std::string xml =
      replaced(replaced(DescriptionText{}.xml(), "<fmiModelDescription",
                        "<!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/passwd\"><!ENTITY a \"bb\">]>\n"
                        "<fmiModelDescription"),
               "modelName=\"Test\"", "modelName=\"&e;&a;\"");
  EXPECT_EQ(readModelDescription(xml, "m.xml").model.modelName, "&e;&a;");
}

TEST(DescriptionReader, SurvivesDeepNesting) {
  std::string deep;
  for (int i = 0; i < 200'000; ++i) deep += "<a>";
  for (int i = 0; i < 200'000; ++i) deep += "</a>";
  DescriptionText text;
  text.definitions = "<VendorAnnotations>" + deep + "</VendorAnnotations>";
  EXPECT_THAT(warningsOf(text), IsEmpty());
}

TEST(DescriptionReader, ReadsAHundredThousandVariables) {
  DescriptionText text;
  text.variables.clear();
  for (int i = 0; i < 100'000; ++i)
    text.variables += "<ScalarVariable name=\"v" + std::to_string(i) + "\" valueReference=\"" + std::to_string(i) +
                      "\"><Real/></ScalarVariable>\n";
  text.structure = "<ModelStructure/>";
  EXPECT_EQ(modelOf(text).variables.size(), 100'000U);
}

}  // namespace
}  // namespace koppla::fmi::test
