#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "koppla/core/value.hpp"
#include "koppla/fmi/findings.hpp"
#include "koppla/subsystem/description.hpp"

namespace koppla::fmi {

/// FMI 2.0.4, 2.2.7.
enum class Causality : std::uint8_t { parameter, calculatedParameter, input, output, local, independent };
enum class Variability : std::uint8_t { constant, fixed, tunable, discrete, continuous };
enum class Initial : std::uint8_t { exact, approx, calculated };

std::string_view word(Causality causality);
std::string_view word(Variability variability);
std::string_view word(Initial initial);

/// What `initial` may be for a causality and a variability, by the table of FMI 2.0.4, 2.2.7.
struct InitialRule {
  bool combination = false;       ///< the standard allows this causality with this variability
  std::optional<Initial> preset;  ///< where nothing is declared; empty for inputs and the independent variable
  bool exact = false;             ///< each: may be declared
  bool approx = false;
  bool calculated = false;

  [[nodiscard]] bool allows(Initial initial) const;
};
InitialRule initialRule(Causality causality, Variability variability);

/// An element of TypeDefinitions.
struct SimpleType {
  std::string name;
  core::Type type = core::Type::real;
  std::string unit;
  std::string displayUnit;
  std::optional<double> min;
  std::optional<double> max;
  std::optional<double> nominal;
  std::vector<subsystem::Item> items;  ///< of an enumeration
};

/// A ScalarVariable; what its declared type says is merged in.
struct Variable {
  std::string name;  ///< verbatim
  std::string description;
  std::uint32_t valueReference = 0;
  core::Type type = core::Type::real;
  Causality causality = Causality::local;
  Variability variability = Variability::continuous;  ///< as declared, else what fits the causality and type
  std::optional<Initial> initial;                     ///< as declared if allowed, else by the table
  bool variabilityDeclared = false;
  std::optional<Initial> initialDeclared;
  std::string declaredType;
  std::string unit;
  std::string displayUnit;
  std::optional<double> min;
  std::optional<double> max;
  std::optional<double> nominal;
  std::optional<core::Value> start;
  std::vector<subsystem::Item> items;  ///< of an enumeration
  bool usable = true;                  ///< false: no name, no type or a name that was there before
  Position position;
};

/// An element of ModelStructure. Indices count from 0 in ModelDescription::variables.
struct Unknown {
  std::size_t variable = 0;
  /// Absent: not declared, so it may depend on everything.
  std::optional<std::vector<std::size_t>> dependencies;
};

struct DefaultExperiment {
  std::optional<double> startTime;
  std::optional<double> stopTime;
  std::optional<double> tolerance;
  std::optional<double> stepSize;
};

/// FMI 2.0.4, 4.3.1; flags are spelled as there.
struct CoSimulationFlags {
  std::string modelIdentifier;
  bool needsExecutionTool = false;
  bool canHandleVariableCommunicationStepSize = false;
  bool canInterpolateInputs = false;
  std::uint32_t maxOutputDerivativeOrder = 0;
  bool canRunAsynchronuously = false;
  bool canBeInstantiatedOnlyOncePerProcess = false;
  bool canNotUseMemoryManagementFunctions = false;
  bool canGetAndSetFMUstate = false;
  bool canSerializeFMUstate = false;
  bool providesDirectionalDerivative = false;
};

/// modelDescription.xml as plain data.
struct ModelDescription {
  std::string fmiVersion;
  std::string modelName;
  std::string guid;  ///< verbatim
  std::string description;
  std::string author;
  std::string version;
  std::string copyright;
  std::string license;
  std::string generationTool;
  std::string generationDateAndTime;
  bool structuredNames = false;
  bool modelExchange = false;  ///< also offers model exchange
  CoSimulationFlags coSimulation;
  std::vector<std::string> units;
  std::vector<SimpleType> types;
  std::vector<std::string> logCategories;
  DefaultExperiment defaultExperiment;
  std::vector<Variable> variables;  ///< in the order of the file, unusable ones too, since indices refer to it
  bool structureDeclared = false;   ///< there is a ModelStructure
  std::vector<Unknown> outputs;
  std::vector<Unknown> initialUnknowns;
  std::size_t derivatives = 0;  ///< of continuous states, as ModelStructure lists them
};

}  // namespace koppla::fmi
