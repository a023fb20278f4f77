#pragma once

#include <atomic>
#include <cmath>
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
  /// Nobody will restore a state from before t1, not even to repeat this step.
  bool final;
  /// One step of the subsystem's own choice, at most to t1: StepResult::reached says how far. Only with the capability
  /// ownSteps.
  bool single = false;
  /// 1 / (t1 - t0), 1/s, where the caller has computed it for many subsystems at once; 0: nobody has.
  double perSecond = 0.0;
  /// Somebody may restore a state from before t0: in what follows the first piece of a step that may be repeated. Never
  /// in a final step.
  bool returnsBefore = false;
  /// What t1 - t0 is meant to be, s, where that difference has rounding in its last digits.
  double length = t1 - t0;

  /// A part [begin, end] of this step, `nominal` (s) long. Whoever repeats the step goes back to before all parts but
  /// the first.
  [[nodiscard]] Step part(double begin, double end, double nominal, bool first) const {
    return {begin, end, final, false, 0.0, returnsBefore || (!first && !final), nominal};
  }
};

/// The real inputs over one step as polynomials of s = (t - t0) / (t1 - t0): u_i(s) = sum_k c[k count + i] s^k. They
/// hold beyond the step as well, for solvers that overshoot its end. Small enough to be passed in registers.
struct Trajectory {
  const double* coefficients = nullptr;
  std::uint32_t count = 0;   ///< of inputs
  std::uint32_t degree = 0;  ///< at most the capability inputDerivatives of the subsystem that receives it

  /// Coefficients of s^k, one per input; those of s^0 are the values at t0.
  [[nodiscard]] std::span<const double> power(std::uint32_t k) const { return {coefficients + k * count, count}; }
  [[nodiscard]] double value(std::size_t input, double s) const {
    double sum = 0.0;
    for (std::uint32_t k = degree + 1; k-- > 0;) sum = sum * s + coefficients[k * count + input];
    return sum;
  }
};

/// Inputs that keep these values over the step.
inline Trajectory held(std::span<const double> values) {
  return {values.data(), static_cast<std::uint32_t>(values.size()), 0};
}

/// The highest degree of a trajectory.
inline constexpr unsigned kMaxDegree = 5;

struct StepResult {
  Status status;
  /// Where the subsystem stands: t1, or earlier after a single step of its own and after a discarded step (the last
  /// instant that it computed successfully).
  double reached;
};

/// What a subsystem's own solver has done so far.
struct Effort {
  std::uint64_t microSteps = 0;  ///< accepted
  std::uint64_t rejectedMicroSteps = 0;
  std::uint64_t rightHandSides = 0;
  std::uint64_t jacobians = 0;
  std::uint64_t correctorIterations = 0;
  std::uint64_t staticCalls = 0;  ///< of static subsystems inside; probes beside a call belong to it

  Effort& operator+=(const Effort& other) {
    microSteps += other.microSteps;
    rejectedMicroSteps += other.rejectedMicroSteps;
    rightHandSides += other.rightHandSides;
    jacobians += other.jacobians;
    correctorIterations += other.correctorIterations;
    staticCalls += other.staticCalls;
    return *this;
  }
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

/// An input that changes by w(s) times the change of its value at the end of a step, s = (t - t0) / (t1 - t0): the
/// integral of w over the step, and the integral of that integral.
struct SeriesWeights {
  double integral;
  double second;
};

/// The ports that take part in every step. Real ports make up u and y, in this order, each with its size; with
/// `outputDerivatives` (a capability) the time derivatives of y, 1/s, follow behind all of its values.
struct Binding {
  std::vector<PortIndex> inputs;
  std::vector<PortIndex> outputs;
  DiscreteValues discreteInputs;   ///< read by evaluate() and advance()
  DiscreteValues discreteOutputs;  ///< written by evaluate() and advance()
  bool outputDerivatives = false;
};

struct Experiment {
  double start;
  double end;  ///< infinite: nobody knows it
  std::optional<double> tolerance;
  /// Becomes true when the run is to end soon: who is busy for long may give up. Outlives the subsystem's use; may be
  /// missing.
  const std::atomic<bool>* interrupted = nullptr;
  /// To be set by who asks to end, so that asksToEnd() is looked at after the step. Outlives the subsystem's use; may
  /// be missing.
  std::atomic<bool>* ending = nullptr;
};

/// What can be stepped or evaluated. Order of calls, which the caller keeps and an implementation may rely on:
///   (set*, bind) -> enterInitialisation -> (evaluate, differentiate, observe, save, restore, initialiseAgain)*
///        -> leaveInitialisation -> readOutputs
///        -> (advance, save, restore, states, setStates, observe)* -> terminate
/// One instance is used by one thread at a time. A failure of evaluate, advance, save and restore is a status (the
/// reason in failure()); every other failure is a core::SubsystemError, or a core::FileError where the system fails
/// with a file. After `fatal` only destruction follows.
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
  /// Hold: time stands still at t; inputs are set, outputs read. Between steps only with the capability
  /// evaluatesBetweenSteps.
  virtual Status evaluate(double t, std::span<const double> u, std::span<double> y) = 0;
  /// Column of dy/du for bound real scalar `input`, time held. Only with the capability directionalDerivatives.
  virtual Status differentiate(std::size_t input, std::span<double> dy) = 0;
  /// Column of dy/du over the step that was taken last, u the value of that input at its end, to the leading order in
  /// the length of the step (Lu, app. B). Only with the capability stepDerivatives.
  virtual Status differentiateStep(const Step& /*step*/, std::size_t /*input*/, SeriesWeights /*weights*/,
                                   std::span<double> /*dy*/) {
    return Status::error;
  }
  /// Back to where enterInitialisation() has led, with the same start values, whatever has failed since then. An error
  /// where it cannot.
  virtual Status initialiseAgain() { return Status::error; }
  virtual void leaveInitialisation() = 0;
  /// The outputs as they are after initialisation, no input set. Not written by those to whom leaving it changes
  /// nothing.
  virtual Status readOutputs(std::span<double> /*y*/) { return Status::ok; }

  /// Sets the inputs, goes from t0 to t1, reads the outputs. The hot path: no allocation, no exception.
  virtual StepResult advance(const Step& step, Trajectory u, std::span<double> y) = 0;
  /// Whether it asked in its last step to end the simulation where it stands: at the end of that step, or where it
  /// discarded it. Further steps are discarded until a state is restored.
  [[nodiscard]] virtual bool asksToEnd() const { return false; }
  /// Only with the capability saveRestore. A restored subsystem repeats a step bit by bit.
  virtual Status save(Slot slot) = 0;
  virtual Status restore(Slot slot) = 0;

  /// The continuous states, all there is to know of the past. Only with the capability states.
  [[nodiscard]] virtual std::vector<double> states() const { return {}; }
  virtual void setStates(std::span<const double> /*states*/) {}
  [[nodiscard]] virtual Effort effort() const { return {}; }
  /// Significant digits of a real output that is read from text: as declared, or as far as its values have shown by
  /// now; 0: all of a double.
  [[nodiscard]] virtual unsigned digits(PortIndex output) const { return describe().ports[output].digits; }
  /// The first instant behind t (s) at which its outputs jump or bend whatever its inputs are; infinite where it knows
  /// of none.
  [[nodiscard]] virtual double nextKnownPoint(double /*t*/) const { return HUGE_VAL; }

  /// Appends the present values of any ports, in the given order within each type.
  virtual void observe(std::span<const PortIndex> ports, core::Values& into) = 0;

  /// Ends the life of the model in good order. Never throws; the destructor frees what is left.
  virtual void terminate() noexcept = 0;

  /// What went wrong in the last call that did not end well, the subsystem's own words included.
  [[nodiscard]] virtual std::string failure() const = 0;
  /// Whether that was the system's doing, as on a full disk, and says nothing of the model.
  [[nodiscard]] virtual bool failedAtFile() const { return false; }
};

}  // namespace koppla::subsystem
