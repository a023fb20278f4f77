#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "koppla/core/value.hpp"

namespace koppla::subsystem {

/// What a port is for. `local` ports can be observed, never connected.
enum class Causality : std::uint8_t { input, output, parameter, local };

std::string_view word(Causality causality);

/// An item of an enumeration.
struct Item {
  std::string name;
  std::int32_t value = 0;
};

struct Port {
  std::string name;  ///< verbatim; may hold dots, brackets and quotes
  core::Type type = core::Type::real;
  Causality causality = Causality::local;
  std::size_t size = 1;           ///< number of scalars
  std::string unit;               ///< physical unit, empty if none was declared
  std::string description;        ///< empty if none
  std::optional<double> nominal;  ///< a usual magnitude of a real port, > 0, where one was declared
  unsigned digits = 0;            ///< significant ones of a real output that is read from text; 0: all of a double
  bool settable = false;          ///< may be set before initialisation: a parameter or a start value
  bool internal = false;          ///< an output that is an input of a part inside; recorded on request only
  bool discrete = false;          ///< a real that changes at communication points only
  std::optional<core::Value> start;
  std::vector<Item> items;  ///< of an enumeration

  /// What FMI 2.0.4, 2.2.7 lets a variable be that nobody has told of.
  [[nodiscard]] double usualMagnitude() const { return nominal.value_or(1.0); }
};

using PortIndex = std::size_t;

/// How closely inputs are followed where a wrapper fits trajectories for whom it wraps.
struct FittedInputs {
  unsigned degree = 0;  ///< of a piece; 0: its mean
  double piece = 0.0;   ///< s, longest piece; 0: one for each step
};

/// What a subsystem can do beyond 'set inputs, step, read outputs'.
struct Capabilities {
  bool saveRestore = false;             ///< save() and restore() work
  bool variableStep = false;            ///< steps may differ in length
  unsigned inputDerivatives = 0;        ///< highest degree of trajectories that is taken, 0: values only
  unsigned outputDerivatives = 0;       ///< highest derivative of outputs that is given
  bool directionalDerivatives = false;  ///< differentiate() works while time is held
  bool stepDerivatives = false;         ///< differentiateStep() works after a step
  bool oncePerProcess = false;          ///< a second instance needs another process or another copy of the library
  bool ownSteps = false;                ///< takes single steps of its own choice, so it can be a master
  bool states = false;                  ///< states() and setStates() work
  bool evaluatesBetweenSteps = false;   ///< evaluate() works between steps as well
  bool uncorrectedOutputs = false;      ///< outputs are those before its solver's last correction
  /// A step is linear (affine, where inputs that nobody connects are not zero) in states and inputs.
  bool linear = false;
  bool isStatic = false;  ///< outputs follow from the present inputs alone; evaluate() is all it needs
  /// What it does is done by another process: milliseconds at least, and not by us. Its answers may have few digits, so
  /// that their differences are no derivatives.
  bool ownProcess = false;
  /// It may keep what it works with in memory of a thread: always the same one has to take its steps.
  bool threadBound = false;
  double microStep = 0.0;                ///< s, longest step of its own solver; 0: unknown, or it has none
  std::optional<FittedInputs> fitted{};  ///< absent: trajectories are followed as they are
};

/// A named place of a subsystem where force laws and joints act: motion out, force in.
struct Marker {
  std::string name;
  PortIndex position;                       ///< output, m
  PortIndex velocity;                       ///< output, m/s
  PortIndex force;                          ///< input, N; contributions of several conditions add up
  std::optional<PortIndex> acceleration{};  ///< output, m/s^2, with the present force
  std::optional<PortIndex> projection{};    ///< input, m/s, that moves the place without being its velocity
};

/// Inputs on which an output depends directly, at one instant. Absent: nothing was declared, so all inputs.
using Dependencies = std::optional<std::vector<PortIndex>>;

struct Description {
  std::string kind;   ///< such as "FMI 2.0 co-simulation"
  std::string model;  ///< the model's own name
  std::vector<Port> ports;
  std::vector<Marker> markers;
  Capabilities capabilities;
  std::size_t declaredStates = 0;  ///< continuous states that an FMU tells of; it may have more
  /// By port index, for outputs only: direct feed-through between communication points, and during initialisation.
  std::unordered_map<PortIndex, Dependencies> dependencies;
  std::unordered_map<PortIndex, Dependencies> initialDependencies;

  /// To be called once when `ports` is complete: find() works from then on.
  void indexNames();
  [[nodiscard]] std::optional<PortIndex> find(std::string_view name) const;
  /// Whether an output may depend on that input at one instant: false only where it declares that it does not.
  [[nodiscard]] bool feedsThrough(PortIndex input, PortIndex output) const;
  /// Outputs, of any type, of which this may be so for one of these inputs.
  [[nodiscard]] std::vector<PortIndex> outputsFedBy(std::span<const PortIndex> inputs) const;
  /// What an output declares; for initialisation what it declares for steps where it says nothing else.
  [[nodiscard]] const Dependencies& dependenciesOf(PortIndex output) const;
  [[nodiscard]] const Dependencies& initialDependenciesOf(PortIndex output) const;

 private:
  std::unordered_map<std::string, PortIndex> byName_;
};

}  // namespace koppla::subsystem
