// write_description <library.so> <modelDescription.xml>: asks an FMU's library for its description, writes it as the
// XML of FMI 2.0. Runs at build time, once per FMU.

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <dlfcn.h>

#include "description.hpp"

namespace koppla::fmus {
namespace {

// Exponents of kg, m, s, K, rad and the way to the base unit: base = factor * value + offset.
struct UnitDefinition {
  std::array<int, 5> exponents;
  double factor = 1;
  double offset = 0;
};

const std::map<std::string_view, UnitDefinition> kUnits{
    {"1", {{0, 0, 0, 0, 0}}},        {"kg", {{1, 0, 0, 0, 0}}},  {"m", {{0, 1, 0, 0, 0}}},
    {"mm", {{0, 1, 0, 0, 0}, 1e-3}}, {"s", {{0, 0, 1, 0, 0}}},   {"1/s", {{0, 0, -1, 0, 0}}},
    {"m/s", {{0, 1, -1, 0, 0}}},     {"N", {{1, 1, -2, 0, 0}}},  {"N/m", {{1, 0, -2, 0, 0}}},
    {"N.s/m", {{1, 0, -1, 0, 0}}},   {"K", {{0, 0, 0, 1, 0}}},   {"degC", {{0, 0, 0, 1, 0}, 1, 273.15}},
    {"m/s2", {{0, 1, -2, 0, 0}}},    {"rad", {{0, 0, 0, 0, 1}}}, {"1/m", {{0, -1, 0, 0, 0}}},
    {"N.s3/m3", {{1, -2, 1, 0, 0}}},
};

std::string number(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\n':
        result += "&#10;";
        break;
      case '\t':
        result += "&#9;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + escaped(value) + "\"";
}

// Not an overload: a string literal would rather be a bool than a string_view.
std::string flag(std::string_view name, bool value) {
  return attribute(name, value ? "true" : "false");
}

std::string_view word(Causality causality) {
  constexpr std::array<std::string_view, 6> kWords{"parameter", "calculatedParameter", "input", "output",
                                                   "local",     "independent"};
  return kWords[static_cast<std::size_t>(causality)];
}

std::string_view word(Variability variability) {
  constexpr std::array<std::string_view, 6> kWords{"", "constant", "fixed", "tunable", "discrete", "continuous"};
  return kWords[static_cast<std::size_t>(variability)];
}

std::string_view word(Initial initial) {
  constexpr std::array<std::string_view, 5> kWords{"", "", "exact", "approx", "calculated"};
  return kWords[static_cast<std::size_t>(initial)];
}

bool isComputed(const VariableDescription& v) {
  return v.about.initial == calculated || v.about.initial == approx;
}

bool hasStart(const VariableDescription& v) {
  return v.about.causality == input || v.about.initial == exact || v.about.initial == approx;
}

std::string startText(const VariableDescription& v) {
  switch (v.kind) {
    case Kind::real:
      return number(std::get<double>(v.start));
    case Kind::integer:
      return std::to_string(std::get<int>(v.start));
    case Kind::boolean:
      return std::get<bool>(v.start) ? "true" : "false";
    case Kind::string:
      return std::get<Text>(v.start).c_str();
  }
  return {};
}

std::string limit(Kind kind, double value) {
  return kind == Kind::real ? number(value) : std::to_string(static_cast<int>(value));
}

std::string_view element(const VariableDescription& v) {
  if (v.about.enumeration) return "Enumeration";
  constexpr std::array<std::string_view, 4> kElements{"Real", "Integer", "Boolean", "String"};
  return kElements[static_cast<std::size_t>(v.kind)];
}

void writeUnits(std::ostream& out, const Description& description) {
  std::map<std::string_view, UnitDefinition> used;
  for (const auto& v : description.variables) {
    if (v.about.unit.empty()) continue;
    const auto known = kUnits.find(v.about.unit);
    if (known == kUnits.end())
      throw std::runtime_error("unit '" + std::string(v.about.unit) + "' is missing in write_description.cpp");
    used.insert(*known);
  }
  if (used.empty()) return;
  constexpr std::array<std::string_view, 5> kBase{"kg", "m", "s", "K", "rad"};
  out << "  <UnitDefinitions>\n";
  for (const auto& [name, unit] : used) {
    out << "    <Unit" << attribute("name", name) << ">\n      <BaseUnit";
    for (std::size_t i = 0; i < kBase.size(); ++i)
      if (unit.exponents[i] != 0) out << attribute(kBase[i], std::to_string(unit.exponents[i]));
    if (unit.factor != 1) out << attribute("factor", number(unit.factor));
    if (unit.offset != 0) out << attribute("offset", number(unit.offset));
    out << "/>\n    </Unit>\n";
  }
  out << "  </UnitDefinitions>\n";
}

void writeTypes(std::ostream& out, const Description& description) {
  std::map<std::string_view, const Enumeration*> types;
  for (const auto& v : description.variables)
    if (v.about.enumeration) types[v.about.enumeration->name] = v.about.enumeration;
  if (types.empty()) return;
  out << "  <TypeDefinitions>\n";
  for (const auto& [name, type] : types) {
    out << "    <SimpleType" << attribute("name", name) << ">\n      <Enumeration>\n";
    for (const auto& item : type->items)
      out << "        <Item" << attribute("name", item.name) << attribute("value", std::to_string(item.value))
          << "/>\n";
    out << "      </Enumeration>\n    </SimpleType>\n";
  }
  out << "  </TypeDefinitions>\n";
}

void writeVariable(std::ostream& out, const VariableDescription& v, std::size_t reference) {
  const Attributes& about = v.about;
  out << "    <ScalarVariable" << attribute("name", about.name)
      << attribute("valueReference", std::to_string(reference));
  if (!about.description.empty()) out << attribute("description", about.description);
  out << attribute("causality", word(about.causality)) << attribute("variability", word(about.variability));
  if (about.initial != none) out << attribute("initial", word(about.initial));
  out << ">\n      <" << element(v);
  if (about.enumeration) out << attribute("declaredType", about.enumeration->name);
  if (!about.unit.empty()) out << attribute("unit", about.unit);
  if (about.min) out << attribute("min", limit(v.kind, *about.min));
  if (about.max) out << attribute("max", limit(v.kind, *about.max));
  if (hasStart(v)) out << attribute("start", startText(v));
  out << "/>\n    </ScalarVariable>\n";
}

// The standard counts variables from 1 here. Unlisted attribute would mean 'on everything', so it is always written.
std::string dependencies(const Description& description, const VariableDescription& unknown, bool atStart) {
  std::vector<std::size_t> found;
  for (const std::string_view name : unknown.about.dependsOn) {
    if (name.empty()) continue;
    const auto known = std::ranges::find(description.variables, name, [](const auto& v) { return v.about.name; });
    if (known == description.variables.end())
      throw std::runtime_error("'" + std::string(unknown.about.name) + "' depends on an unknown '" + std::string(name) +
                               "'");
    if (known->about.causality == input || (atStart && known->about.initial == exact))
      found.push_back(static_cast<std::size_t>(known - description.variables.begin()) + 1);
  }
  std::ranges::sort(found);
  std::string text;
  for (const std::size_t index : found) text += (text.empty() ? "" : " ") + std::to_string(index);
  return attribute("dependencies", text);
}

template <class Selected>
void writeUnknowns(std::ostream& out, std::string_view name, const Description& description, bool atStart,
                   Selected selected) {
  std::string lines;
  for (std::size_t i = 0; i < description.variables.size(); ++i)
    if (selected(description.variables[i]))
      lines += "      <Unknown" + attribute("index", std::to_string(i + 1)) +
               dependencies(description, description.variables[i], atStart) + "/>\n";
  if (!lines.empty()) out << "    <" << name << ">\n" << lines << "    </" << name << ">\n";
}

void write(std::ostream& out, const Description& description) {
  const Info& info = description.info;
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription" << attribute("fmiVersion", "2.0")
      << attribute("modelName", info.name) << attribute("guid", description.guid);
  if (!info.description.empty()) out << attribute("description", info.description);
  out << attribute("generationTool", "Koppla")
      << attribute("variableNamingConvention", info.structuredNames ? "structured" : "flat") << ">\n";

  out << "  <CoSimulation" << attribute("modelIdentifier", info.name)
      << flag("canHandleVariableCommunicationStepSize", info.variableStep)
      << flag("canInterpolateInputs", description.interpolatesInputs)
      << attribute("maxOutputDerivativeOrder", std::to_string(description.maxOutputDerivativeOrder))
      << flag("canBeInstantiatedOnlyOncePerProcess", info.oncePerProcess)
      << flag("canNotUseMemoryManagementFunctions", true) << flag("canGetAndSetFMUstate", description.restoresState)
      << flag("canSerializeFMUstate", description.restoresState)
      << flag("providesDirectionalDerivative", description.partials) << "/>\n";

  writeUnits(out, description);
  writeTypes(out, description);
  out << "  <LogCategories>\n";
  for (const std::string_view category : kLogCategories)
    out << "    <Category" << attribute("name", category) << "/>\n";
  out << "  </LogCategories>\n";
  out << "  <DefaultExperiment" << attribute("startTime", number(info.startTime))
      << attribute("stopTime", number(info.stopTime)) << attribute("stepSize", number(info.stepSize)) << "/>\n";

  out << "  <ModelVariables>\n";
  for (std::size_t i = 0; i < description.variables.size(); ++i) writeVariable(out, description.variables[i], i);
  out << "  </ModelVariables>\n  <ModelStructure>\n";
  writeUnknowns(out, "Outputs", description, false, [](const auto& v) { return v.about.causality == output; });
  writeUnknowns(out, "InitialUnknowns", description, true, [](const auto& v) {
    return isComputed(v) && (v.about.causality == output || v.about.causality == calculatedParameter);
  });
  out << "  </ModelStructure>\n</fmiModelDescription>\n";
}

const Description& load(const char* library) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) throw std::runtime_error(dlerror());
  const auto describe = reinterpret_cast<const Description* (*)()>(dlsym(handle, "kopplaDescription"));
  if (!describe) throw std::runtime_error(std::string(library) + " is no FMU of ours: kopplaDescription is missing");
  return *describe();
}

}  // namespace
}  // namespace koppla::fmus

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: write_description <library.so> <modelDescription.xml>\n";
    return 2;
  }
  try {
    std::ofstream file(argv[2]);
    koppla::fmus::write(file, koppla::fmus::load(argv[1]));
    file.close();
    if (!file) throw std::runtime_error(std::string("cannot write ") + argv[2]);
  } catch (const std::exception& error) {
    std::cerr << "write_description: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
