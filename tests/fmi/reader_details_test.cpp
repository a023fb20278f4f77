// What a model description says beside its variables, and what it may leave out.

#include "koppla/fmi/description_reader.hpp"

#include "helpers.hpp"

namespace koppla::fmi::test::reader_details_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

DescriptionRead readOf(const DescriptionText& text) {
  return readModelDescription(text.xml(), "m.xml");
}

std::vector<std::string> messagesOf(const DescriptionRead& read) {
  std::vector<std::string> messages;
  for (const core::Problem& problem : read.warnings) messages.push_back(problem.message);
  return messages;
}

/// Each word of the head stands in its own place, and is empty where it is missing.
TEST(ReaderDetails, TheHeadIsReadWordByWord) {
  const std::vector<std::pair<std::string, std::string ModelDescription::*>> words{
      {"description", &ModelDescription::description},
      {"author", &ModelDescription::author},
      {"version", &ModelDescription::version},
      {"copyright", &ModelDescription::copyright},
      {"license", &ModelDescription::license},
      {"generationTool", &ModelDescription::generationTool},
      {"generationDateAndTime", &ModelDescription::generationDateAndTime}};
  for (const auto& [given, member] : words) {
    DescriptionText text;
    text.head += " " + given + "=\"this one\"";
    const DescriptionRead read = readOf(text);
    for (const auto& [name, other] : words) EXPECT_EQ(read.model.*other, name == given ? "this one" : "") << name;
    EXPECT_THAT(messagesOf(read), IsEmpty());
    EXPECT_FALSE(read.model.structuredNames);
    EXPECT_FALSE(read.model.modelExchange);
  }
  DescriptionText text;
  text.head += " variableNamingConvention=\"flat\"";
  EXPECT_FALSE(readOf(text).model.structuredNames);
}

/// Each flag is that of its name, and false where it is missing.
TEST(ReaderDetails, FlagsAreReadOneByOne) {
  const std::vector<std::pair<std::string, bool CoSimulationFlags::*>> flags{
      {"needsExecutionTool", &CoSimulationFlags::needsExecutionTool},
      {"canHandleVariableCommunicationStepSize", &CoSimulationFlags::canHandleVariableCommunicationStepSize},
      {"canInterpolateInputs", &CoSimulationFlags::canInterpolateInputs},
      {"canRunAsynchronuously", &CoSimulationFlags::canRunAsynchronuously},
      {"canBeInstantiatedOnlyOncePerProcess", &CoSimulationFlags::canBeInstantiatedOnlyOncePerProcess},
      {"canNotUseMemoryManagementFunctions", &CoSimulationFlags::canNotUseMemoryManagementFunctions},
      {"canGetAndSetFMUstate", &CoSimulationFlags::canGetAndSetFMUstate},
      {"canSerializeFMUstate", &CoSimulationFlags::canSerializeFMUstate},
      {"providesDirectionalDerivative", &CoSimulationFlags::providesDirectionalDerivative}};
  for (const auto& [given, member] : flags)
    for (const bool value : {true, false}) {
      DescriptionText text;
      text.flags += " " + given + (value ? "=\"true\"" : "=\"false\"");
      const DescriptionRead read = readOf(text);
      for (const auto& [name, other] : flags) EXPECT_EQ(read.model.coSimulation.*other, value && name == given) << name;
      EXPECT_EQ(read.model.coSimulation.maxOutputDerivativeOrder, 0U);
      EXPECT_THAT(messagesOf(read), IsEmpty());
    }
}

/// Elements have an order, but for the two kinds of FMUs.
TEST(ReaderDetails, ElementsHaveAnOrder) {
  const auto told = [](const std::string& before, const std::string& behind) {
    const std::string co = "<CoSimulation modelIdentifier=\"Test\"/>";
    const std::string xml = replaced(DescriptionText{}.xml(), co, before + co + behind);
    return messagesOf(readModelDescription(xml, "m.xml"));
  };
  const std::string exchange = "<ModelExchange modelIdentifier=\"Test\"/>";
  const std::string units = "<UnitDefinitions/>";
  EXPECT_THAT(told(exchange, ""), IsEmpty());
  EXPECT_THAT(told("", exchange), IsEmpty()) << "either kind may come first";
  EXPECT_THAT(told("", units + "<TypeDefinitions/><LogCategories/><DefaultExperiment/><VendorAnnotations/>"),
              IsEmpty());
  EXPECT_THAT(told(units, ""), ElementsAre(HasSubstr("elements are in the wrong order (CoSimulation)")));
  EXPECT_THAT(told("", units + exchange), ElementsAre(HasSubstr("elements are in the wrong order (ModelExchange)")));
  EXPECT_THAT(told("", "<TypeDefinitions/>" + units), ElementsAre(HasSubstr("wrong order (UnitDefinitions)")));
  EXPECT_THAT(told("", "<VendorAnnotations/><LogCategories/><DefaultExperiment/>"),
              ElementsAre(HasSubstr("wrong order (LogCategories, DefaultExperiment)")));
  EXPECT_THAT(told("", "<Surprise/>" + units), ElementsAre(HasSubstr("an element is unknown here (Surprise)")));
}

TEST(ReaderDetails, VersionsAreThoseOfFmi2) {
  const auto version = [](const std::string& given) {
    DescriptionText text;
    text.head = "fmiVersion=\"" + given + "\" modelName=\"Test\" guid=\"{1}\"";
    return text;
  };
  EXPECT_THAT(messagesOf(readOf(version(" 2.0 "))), IsEmpty());
  EXPECT_THAT(messagesOf(readOf(version("2.0.1"))), ElementsAre(HasSubstr("fmiVersion is not \"2.0\" (2.0.1)")));
  for (const char* other : {"2.1", "20", "2", "4.0", "10.0"})
    EXPECT_THAT(messageOf<core::InputError>([&] { readOf(version(other)); }),
                HasSubstr("(fmiVersion is \"" + std::string(other) + "\")"));
  for (const char* other : {"1.0", "3.0", "3.0-beta.2", "1.0.1"})
    EXPECT_THAT(messageOf<core::InputError>([&] { readOf(version(other)); }),
                HasSubstr("(FMI " + std::string(other) + " is not supported yet)"));
}

/// Variables without a name or a type, or with a name that was there, stay in their places, since indices count them.
TEST(ReaderDetails, VariablesThatCannotBeUsedKeepTheirPlaces) {
  DescriptionText text;
  text.variables = R"(<ScalarVariable valueReference="1"><Real/></ScalarVariable>
    <ScalarVariable valueReference="2"><Real/></ScalarVariable>
    <ScalarVariable name="a" valueReference="3"><Real/></ScalarVariable>
    <ScalarVariable name="b" valueReference="4"/>
    <ScalarVariable name="b" valueReference="5"><Real/></ScalarVariable>
    <ScalarVariable name="a" valueReference="6"><Real/></ScalarVariable>)";
  text.structure = "<ModelStructure/>";
  const DescriptionRead read = readOf(text);
  std::vector<bool> usable;
  for (const Variable& variable : read.model.variables) usable.push_back(variable.usable);
  EXPECT_EQ(usable, (std::vector<bool>{false, false, true, false, true, false}));
  EXPECT_EQ(read.model.variables[4].valueReference, 5U);
  EXPECT_THAT(messagesOf(read), Contains(HasSubstr("names of variables are not unique (a)")));
}

/// `initial` counts where the table allows it; else its preset does.
TEST(ReaderDetails, InitialIsThatOfTheTable) {
  const auto initial = [](const std::string& attributes) {
    DescriptionText text;
    text.variables =
        "<ScalarVariable name=\"v\" valueReference=\"1\" " + attributes + "><Real start=\"1\"/></ScalarVariable>";
    text.structure = "<ModelStructure/>";
    const Variable variable = readOf(text).model.variables.at(0);
    return variable.initial;
  };
  EXPECT_EQ(initial("causality=\"output\""), Initial::calculated);
  EXPECT_EQ(initial("causality=\"output\" initial=\"exact\""), Initial::exact);
  EXPECT_EQ(initial("causality=\"output\" initial=\"approx\""), Initial::approx);
  EXPECT_EQ(initial("causality=\"parameter\" variability=\"fixed\" initial=\"approx\""), Initial::exact);
  EXPECT_EQ(initial("causality=\"input\" initial=\"exact\""), std::nullopt);
  EXPECT_EQ(initial("variability=\"constant\""), Initial::exact);
}

/// Indices count from 1 to the number of variables.
TEST(ReaderDetails, UnknownsAreListedByTheirPlaces) {
  DescriptionText text;
  text.structure =
      R"(<ModelStructure><Outputs><Unknown index="0"/><Unknown index="1"/><Unknown index="2" dependencies="1 2"/>
    <Unknown index="3"/><Unknown index="x"/></Outputs><Derivatives><Unknown index="1"/></Derivatives>
    <InitialUnknowns><Unknown index="2"/></InitialUnknowns></ModelStructure>)";
  const DescriptionRead read = readOf(text);
  ASSERT_EQ(read.model.outputs.size(), 2U);
  EXPECT_EQ(read.model.outputs[0].variable, 0U);
  EXPECT_EQ(read.model.outputs[1].variable, 1U);
  EXPECT_THAT(read.model.outputs[1].dependencies.value(), ElementsAre(0U, 1U));
  EXPECT_EQ(read.model.derivatives, 1U);
  ASSERT_EQ(read.model.initialUnknowns.size(), 1U);
  EXPECT_THAT(messagesOf(read),
              Contains(HasSubstr("an index is not that of a variable (index=\"0\", index=\"3\", index=\"x\")")));
}

/// Places are those of the file as it is, so in another encoding there are none.
TEST(ReaderDetails, PlacesAreUnknownInOtherEncodings) {
  DescriptionText text;
  text.structure.clear();
  EXPECT_EQ(readOf(text).warnings.at(0).place.line, 2U);
  std::string wide = "\xff\xfe";
  for (const char c : replaced(text.xml(), "UTF-8", "UTF-16")) wide += std::string{c, '\0'};
  EXPECT_EQ(readModelDescription(wide, "m.xml").warnings.at(0).place.line, 0U);
  const std::string latin = replaced(replaced(text.xml(), "UTF-8", "ISO-8859-1"), "\"Test\" guid", "\"gr\xfcn\" guid");
  EXPECT_EQ(readModelDescription(latin, "m.xml").warnings.at(0).place.line, 0U);
}

}  // namespace
}  // namespace koppla::fmi::test::reader_details_test
