#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "koppla/core/value.hpp"
#include "koppla/subsystem/description.hpp"

namespace koppla::subsystem {

/// How a call ended. The order is the order of badness.
enum class Status : std::uint8_t { ok, warning, discard, error, fatal };

/// One macro step [t0, t1].
struct Step {
  double t0;
  double t1;
  /// Nobody will restore a state from before t1: the subsystem may forget how to go back.
  bool final;
};

/// The real inputs over one step: at s in [0, 1] of the step their values are coefficients[0..n) for degree 0.
/// Higher degrees come with the approximation of coupling variables.
struct Trajectory {
  std::span<const double> coefficients;
};

struct StepResult {
  Status status;
  /// Where the subsystem stands: t1, or earlier after a discarded step (the last instant that it computed
  /// successfully).
  double reached;
};

/// A place for one saved state. Slots are small numbers that the caller hands out; each is overwritten by the next
/// save.
enum class Slot : std::uint8_t { iteration, macroStep };
inline constexpr std::size_t kSlots = 2;

/// Discrete values of the bound ports, as arrays owned by the caller that stay where they are for the subsystem's life.
/// Integers and enumerations share one array, in the order of the bound ports.
struct DiscreteValues {
  std::span<std::int32_t> integers;
  std::span<std::int32_t> booleans;
  std::span<std::string> strings;
};

/// The ports that take part in every step. Real ports make up u and y, in this order, each with its size.
struct Binding {
  std::vector<PortIndex> inputs;
  std::vector<PortIndex> outputs;
  DiscreteValues discreteInputs;   ///< read by evaluate() and advance()
  DiscreteValues discreteOutputs;  ///< written by evaluate() and advance()
};

struct Experiment {
  double start;
  double end;
  std::optional<double> tolerance;
};

/// What can be stepped or evaluated. Order of calls, which the caller keeps and an implementation may rely on:
///   (set*, bind) -> enterInitialisation -> (evaluate, differentiate, observe)* -> leaveInitialisation
///        -> (advance, save, restore, observe)* -> terminate
/// One instance is used by one thread at a time. A failure of evaluate, advance, save and restore is a status (the
/// reason in failure()); every other failure is a core::SubsystemError. After `fatal` only destruction follows.
class Subsystem {
 public:
  Subsystem() = default;
  virtual ~Subsystem() = default;
  Subsystem(const Subsystem&) = delete;
  Subsystem& operator=(const Subsystem&) = delete;

  [[nodiscard]] virtual const Description& describe() const = 0;

  /// Sets a parameter or a start value; one value per scalar of the port, of its type.
  virtual void set(PortIndex port, std::span<const core::Value> values) = 0;
  virtual void bind(Binding binding) = 0;

  virtual void enterInitialisation(const Experiment& experiment) = 0;
  /// Hold: time stands still at t; inputs are set, outputs read.
  virtual Status evaluate(double t, std::span<const double> u, std::span<double> y) = 0;
  /// Column of dy/du for bound real scalar `input`, time held. Only with the capability directionalDerivatives.
  virtual Status differentiate(std::size_t input, std::span<double> dy) = 0;
  virtual void leaveInitialisation() = 0;

  /// Sets the inputs, goes from t0 to t1, reads the outputs. The hot path: no allocation, no exception.
  virtual StepResult advance(const Step& step, Trajectory u, std::span<double> y) = 0;
  /// Only with the capability saveRestore. A restored subsystem repeats a step bit by bit.
  virtual Status save(Slot slot) = 0;
  virtual Status restore(Slot slot) = 0;

  /// Appends the present values of any ports, in the given order within each type.
  virtual void observe(std::span<const PortIndex> ports, core::Values& into) = 0;

  /// Ends the life of the model in good order. Never throws; the destructor frees what is left.
  virtual void terminate() noexcept = 0;

  /// What went wrong in the last call that did not end well, the subsystem's own words included.
  [[nodiscard]] virtual std::string failure() const = 0;
};

}  // namespace koppla::subsystem
