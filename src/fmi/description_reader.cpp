#include "koppla/fmi/description_reader.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/utf8.hpp"
#include "koppla/fmi/description_rules.hpp"
#include "koppla/fmi/detail/xml_element.hpp"
#include "koppla/fmi/text.hpp"

namespace koppla::fmi {

namespace {

using detail::Element;
using detail::Reading;

constexpr std::string_view kBroken = "Fetch or export the FMU again.";
constexpr Rule kNoFmi{"", "The root element is not fmiModelDescription", "Check that the file belongs to an FMU."};
constexpr Rule kOtherVersion{"", "Only FMI 2.0 can be imported", "Export the model for FMI 2.0."};
constexpr Rule kNoVersion{"2.2.1", "fmiVersion is missing", kBroken};
constexpr Rule kPatchVersion{"2.2.1", "fmiVersion is not \"2.0\"", "It is read as FMI 2.0."};
constexpr Rule kNoGuid{"2.2.1", "guid is missing", kBroken};
constexpr Rule kOnlyModelExchange{"", "The FMU offers model exchange only", "Export it for co-simulation."};
constexpr Rule kNoCoSimulation{"2.2.1", "there is neither CoSimulation nor ModelExchange", kBroken};
constexpr Rule kNoIdentifier{"4.3.1", "CoSimulation has no modelIdentifier", kBroken};
constexpr Rule kPathIdentifier{"4.3.1", "modelIdentifier is a path",
                               "Do not use this FMU unless you trust its source."};
constexpr Rule kEncoding{"2.2", "the file is not in the encoding it declares (UTF-8)", "It is read as Latin-1."};
constexpr Rule kUnknownElement{"2.2", "an element is unknown here", "It is ignored."};
constexpr Rule kOrder{"2.2.1", "elements are in the wrong order", "They are read all the same."};
constexpr Rule kWord{"2.2.7", "a word is none of those that the attribute may have", "It is taken as absent."};
constexpr Rule kNoName{"2.2.7", "a variable has no name", "It is left out."};
constexpr Rule kNoReference{"2.2.7", "a variable has no readable valueReference", kBroken};
constexpr Rule kNoType{"2.2.7", "a variable has no type", "It is left out."};
constexpr Rule kSameName{"2.2.7", "names of variables are not unique", "The first variable of that name is used."};
constexpr Rule kNoSuchType{"2.2.7", "a declared type is not defined, or of another kind", "It is ignored."};
constexpr Rule kNoItem{"2.2.3", "an item of an enumeration has no readable value", "It is left out."};
constexpr Rule kNoStructure{"2.2.8", "ModelStructure is missing",
                            "The outputs are taken from the variables; each may depend on every input."};
constexpr Rule kIndex{"2.2.8", "an index is not that of a variable", "The dependencies are taken as not declared."};

constexpr std::array<std::string_view, 5> kTypeNames{"Real", "Integer", "Boolean", "String", "Enumeration"};

std::optional<core::Type> typeNamed(std::string_view name) {
  using enum core::Type;
  constexpr std::array kTypes{real, integer, boolean, string, enumeration};
  const auto found = std::ranges::find(kTypeNames, name);
  if (found == kTypeNames.end()) return std::nullopt;
  return kTypes.at(static_cast<std::size_t>(found - kTypeNames.begin()));
}

/// The element that gives a variable or a simple type its type.
Element typeElement(const Element& parent) {
  for (const std::string_view name : kTypeNames)
    if (const Element child = parent.child(name.data()); child.there()) return child;
  return parent.child("");
}

/// An attribute that is one of the words of an enumeration of ours; `Last` is its last item.
template <typename Word, Word Last>
std::optional<Word> wordOf(const Element& element, const char* attribute) {
  if (!element.has(attribute)) return std::nullopt;
  const std::string value = element.text(attribute);
  for (int i = 0; i <= static_cast<int>(Last); ++i)
    if (word(static_cast<Word>(i)) == trimmed(value)) return static_cast<Word>(i);
  element.warn(kWord, fmt::format("{}=\"{}\"", attribute, value));
  return std::nullopt;
}

void readHead(const Element& root, ModelDescription& model) {
  root.warnOfOtherAttributes({"fmiVersion", "modelName", "guid", "description", "author", "version", "copyright",
                              "license", "generationTool", "generationDateAndTime", "variableNamingConvention",
                              "numberOfEventIndicators"});
  model.modelName = root.text("modelName");
  model.guid = root.text("guid");
  if (model.guid.empty()) root.refuse(kNoGuid);
  model.description = root.text("description");
  model.author = root.text("author");
  model.version = root.text("version");
  model.copyright = root.text("copyright");
  model.license = root.text("license");
  model.generationTool = root.text("generationTool");
  model.generationDateAndTime = root.text("generationDateAndTime");
  model.structuredNames = root.text("variableNamingConvention") == "structured";
}

void readCoSimulation(const Element& root, ModelDescription& model) {
  model.modelExchange = root.child("ModelExchange").there();
  const Element element = root.child("CoSimulation");
  if (!element.there()) {
    root.refuse(model.modelExchange ? kOnlyModelExchange : kNoCoSimulation);
    return;
  }
  element.warnOfOtherAttributes({"modelIdentifier", "needsExecutionTool", "canHandleVariableCommunicationStepSize",
                                 "canInterpolateInputs", "maxOutputDerivativeOrder", "canRunAsynchronuously",
                                 "canBeInstantiatedOnlyOncePerProcess", "canNotUseMemoryManagementFunctions",
                                 "canGetAndSetFMUstate", "canSerializeFMUstate", "providesDirectionalDerivative"});
  CoSimulationFlags& flags = model.coSimulation;
  flags.modelIdentifier = trimmed(element.text("modelIdentifier"));
  if (flags.modelIdentifier.empty()) element.refuse(kNoIdentifier);
  if (flags.modelIdentifier.find_first_of("/\\") != std::string::npos)
    element.refuse(kPathIdentifier, flags.modelIdentifier);
  flags.needsExecutionTool = element.flag("needsExecutionTool");
  flags.canHandleVariableCommunicationStepSize = element.flag("canHandleVariableCommunicationStepSize");
  flags.canInterpolateInputs = element.flag("canInterpolateInputs");
  flags.maxOutputDerivativeOrder = element.natural("maxOutputDerivativeOrder").value_or(0);
  flags.canRunAsynchronuously = element.flag("canRunAsynchronuously");
  flags.canBeInstantiatedOnlyOncePerProcess = element.flag("canBeInstantiatedOnlyOncePerProcess");
  flags.canNotUseMemoryManagementFunctions = element.flag("canNotUseMemoryManagementFunctions");
  flags.canGetAndSetFMUstate = element.flag("canGetAndSetFMUstate");
  flags.canSerializeFMUstate = element.flag("canSerializeFMUstate");
  flags.providesDirectionalDerivative = element.flag("providesDirectionalDerivative");
}

void warnOfOrder(const Element& root) {
  constexpr std::array<std::string_view, 9> kOrdered{"ModelExchange",     "CoSimulation",   "UnitDefinitions",
                                                     "TypeDefinitions",   "LogCategories",  "DefaultExperiment",
                                                     "VendorAnnotations", "ModelVariables", "ModelStructure"};
  auto last = kOrdered.begin();
  for (const Element& child : root.children()) {
    const auto place = std::ranges::find(kOrdered, child.name());
    const std::string name(child.name());
    if (place == kOrdered.end()) {
      child.warn(kUnknownElement, name);
      continue;
    }
    const bool oneOfTheKinds = place - kOrdered.begin() < 2 && last - kOrdered.begin() < 2;
    if (place < last && !oneOfTheKinds) child.warn(kOrder, name);
    last = std::max(last, place);
  }
}

std::vector<subsystem::Item> readItems(const Element& enumeration) {
  std::vector<subsystem::Item> items;
  for (const Element& item : enumeration.children("Item")) {
    if (const auto value = item.integer("value"))
      items.push_back({item.text("name"), *value});
    else
      item.warn(kNoItem, item.text("name"));
  }
  return items;
}

void readTypes(const Element& root, ModelDescription& model) {
  for (const Element& unit : root.child("UnitDefinitions").children("Unit")) model.units.push_back(unit.text("name"));
  for (const Element& element : root.child("TypeDefinitions").children("SimpleType")) {
    const Element details = typeElement(element);
    const std::optional<core::Type> type = typeNamed(details.name());
    if (!type) continue;
    model.types.push_back({element.text("name"), *type, details.text("unit"), details.text("displayUnit"),
                           details.real("min"), details.real("max"), details.real("nominal"), readItems(details)});
  }
}

std::optional<core::Value> readStart(const Element& details, core::Type type) {
  switch (type) {
    case core::Type::real:
      return details.real("start");
    case core::Type::integer:
    case core::Type::enumeration:
      return details.integer("start");
    case core::Type::boolean:
      return details.boolean("start");
    case core::Type::string:
      if (details.has("start")) return details.text("start");
      return std::nullopt;
  }
  return std::nullopt;
}

Variability variabilityWithout(Causality causality, core::Type type) {
  if (causality == Causality::parameter || causality == Causality::calculatedParameter) return Variability::fixed;
  return type == core::Type::real ? Variability::continuous : Variability::discrete;
}

using TypesByName = std::unordered_map<std::string_view, const SimpleType*>;

void readDetails(const Element& details, const TypesByName& types, Variable& variable) {
  details.warnOfOtherAttributes({"declaredType", "quantity", "unit", "displayUnit", "relativeQuantity", "min", "max",
                                 "nominal", "unbounded", "start", "derivative", "reinit"});
  variable.declaredType = details.text("declaredType");
  variable.unit = details.text("unit");
  variable.displayUnit = details.text("displayUnit");
  variable.min = details.real("min");
  variable.max = details.real("max");
  variable.nominal = details.real("nominal");
  variable.start = readStart(details, variable.type);
  if (variable.declaredType.empty()) return;
  const auto found = types.find(variable.declaredType);
  if (found == types.end() || found->second->type != variable.type) {
    details.warn(kNoSuchType, fmt::format("{} of {}", variable.declaredType, variable.name));
    return;
  }
  const SimpleType& type = *found->second;
  if (variable.unit.empty()) variable.unit = type.unit;
  if (variable.displayUnit.empty()) variable.displayUnit = type.displayUnit;
  if (!variable.min) variable.min = type.min;
  if (!variable.max) variable.max = type.max;
  if (!variable.nominal) variable.nominal = type.nominal;
  variable.items = type.items;
}

Variable readVariable(const Element& element, const TypesByName& types) {
  element.warnOfOtherAttributes({"name", "valueReference", "description", "causality", "variability", "initial",
                                 "canHandleMultipleSetPerTimeInstant"});
  Variable variable;
  variable.position = element.position();
  variable.name = element.text("name");
  variable.description = element.text("description");
  if (variable.name.empty()) {
    element.warn(kNoName);
    variable.usable = false;
  }
  if (const auto reference = readUnsigned(element.text("valueReference")))
    variable.valueReference = *reference;
  else
    element.refuse(kNoReference, variable.name);
  variable.causality = wordOf<Causality, Causality::independent>(element, "causality").value_or(Causality::local);
  const Element details = typeElement(element);
  if (const auto type = typeNamed(details.name())) {
    variable.type = *type;
    readDetails(details, types, variable);
  } else {
    element.warn(kNoType, variable.name);
    variable.usable = false;
  }
  const auto variability = wordOf<Variability, Variability::continuous>(element, "variability");
  variable.variabilityDeclared = variability.has_value();
  variable.variability = variability.value_or(variabilityWithout(variable.causality, variable.type));
  variable.initialDeclared = wordOf<Initial, Initial::calculated>(element, "initial");
  const InitialRule rule = initialRule(variable.causality, variable.variability);
  variable.initial =
      variable.initialDeclared && rule.allows(*variable.initialDeclared) ? variable.initialDeclared : rule.preset;
  return variable;
}

void readVariables(const Element& root, ModelDescription& model) {
  TypesByName types;
  for (const SimpleType& type : model.types) types.emplace(type.name, &type);
  std::unordered_set<std::string> names;
  for (const Element& element : root.child("ModelVariables").children()) {
    if (element.name() != "ScalarVariable") {
      element.warn(kUnknownElement, std::string(element.name()));
      continue;
    }
    Variable variable = readVariable(element, types);
    if (variable.usable && !names.insert(variable.name).second) {
      element.warn(kSameName, variable.name);
      variable.usable = false;
    }
    model.variables.push_back(std::move(variable));
  }
}

/// The indices of a blank-separated list, from 0; empty (with a warning) if one is not that of a variable.
std::optional<std::vector<std::size_t>> readDependencies(const Element& unknown, std::size_t variableCount) {
  if (!unknown.has("dependencies")) return std::nullopt;
  const std::string list = unknown.text("dependencies");
  std::vector<std::size_t> result;
  for (std::string_view rest = trimmed(list); !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of(" \t\r\n"), rest.size());
    const std::optional<std::uint32_t> index = readUnsigned(rest.substr(0, end));
    if (!index || *index < 1 || *index > variableCount) {
      unknown.warn(kIndex, fmt::format("dependencies=\"{}\"", list));
      return std::nullopt;
    }
    result.push_back(*index - 1);
    rest = trimmed(rest.substr(end));
  }
  return result;
}

std::vector<Unknown> readUnknowns(const Element& list, std::size_t variableCount) {
  std::vector<Unknown> result;
  for (const Element& unknown : list.children("Unknown")) {
    const std::optional<std::uint32_t> index = readUnsigned(unknown.text("index"));
    if (!index || *index < 1 || *index > variableCount)
      unknown.warn(kIndex, fmt::format("index=\"{}\"", unknown.text("index")));
    else
      result.push_back({*index - 1, readDependencies(unknown, variableCount)});
  }
  return result;
}

void readStructure(const Element& root, ModelDescription& model) {
  const Element structure = root.child("ModelStructure");
  model.structureDeclared = structure.there();
  if (model.structureDeclared) {
    model.outputs = readUnknowns(structure.child("Outputs"), model.variables.size());
    model.initialUnknowns = readUnknowns(structure.child("InitialUnknowns"), model.variables.size());
    model.derivatives = readUnknowns(structure.child("Derivatives"), model.variables.size()).size();
    return;
  }
  root.warn(kNoStructure);
  for (std::size_t i = 0; i < model.variables.size(); ++i)
    if (model.variables[i].causality == Causality::output) model.outputs.push_back({i, std::nullopt});
}

/// Other versions differ in all that follows, so their further mistakes would mislead.
bool readVersion(const Element& root, ModelDescription& model) {
  if (root.name() != "fmiModelDescription") {
    root.refuse(kNoFmi, std::string(root.name()));
    return false;
  }
  model.fmiVersion = trimmed(root.text("fmiVersion"));
  if (model.fmiVersion.empty()) {
    root.refuse(kNoVersion);
  } else if (model.fmiVersion != "2.0" && !model.fmiVersion.starts_with("2.0.")) {
    const bool known = model.fmiVersion.starts_with("1.") || model.fmiVersion.starts_with("3.");
    root.refuse(kOtherVersion, known ? fmt::format("FMI {} is not supported yet", model.fmiVersion)
                                     : fmt::format("fmiVersion is \"{}\"", model.fmiVersion));
    return false;
  } else if (model.fmiVersion != "2.0") {
    root.warn(kPatchVersion, model.fmiVersion);
  }
  return true;
}

ModelDescription readModel(const Element& root) {
  ModelDescription model;
  if (!readVersion(root, model)) return model;
  readHead(root, model);
  readCoSimulation(root, model);
  warnOfOrder(root);
  readTypes(root, model);
  for (const Element& category : root.child("LogCategories").children("Category"))
    model.logCategories.push_back(category.text("name"));
  const Element experiment = root.child("DefaultExperiment");
  model.defaultExperiment = {experiment.real("startTime"), experiment.real("stopTime"), experiment.real("tolerance"),
                             experiment.real("stepSize")};
  readVariables(root, model);
  readStructure(root, model);
  return model;
}

}  // namespace

DescriptionRead readModelDescription(std::string_view xml, const std::string& file, bool strict) {
  pugi::xml_document document;
  pugi::xml_parse_result parsed = document.load_buffer(xml.data(), xml.size());
  const bool mistaken = parsed.encoding == pugi::encoding_utf8 && !core::isUtf8(xml);
  if (mistaken) parsed = document.load_buffer(xml.data(), xml.size(), pugi::parse_default, pugi::encoding_latin1);
  // Places are bytes of the text as converted to UTF-8: they mean nothing in a file of another encoding.
  Reading reading{detail::Lines(parsed.encoding == pugi::encoding_utf8 ? xml : std::string_view{}), {}, {}};
  if (mistaken) reading.warnings.add(kEncoding, {});
  if (!parsed) {
    throw inputError(file, fmt::format("This is not well-formed XML: {}.", parsed.description()), kBroken,
                     reading.lines.at(parsed.offset));
  }
  DescriptionRead result{readModel({document.document_element(), reading}), {}};
  std::vector<core::Problem> errors = reading.errors.problems(file);
  result.warnings = reading.warnings.problems(file);
  if (errors.empty()) std::ranges::move(validate(result.model, file), std::back_inserter(result.warnings));
  if (strict) std::ranges::move(result.warnings, std::back_inserter(errors));
  if (!errors.empty()) throw core::InputError(std::move(errors));
  return result;
}

}  // namespace koppla::fmi
