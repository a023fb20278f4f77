#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "koppla/core/thread_pool.hpp"
#include "koppla/solver/equations.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::solver {

namespace detail {
class Witness;
}

/// When an implicit integrator calls a static solver (Schmoll, sec. 4.2.3).
enum class StaticCoupling : std::uint8_t {
  full,           ///< in every iteration of its corrector; integrators without visits: with every right-hand side
  lastCorrector,  ///< semi-implicit C: at accepted states; in between it is replaced by its linearisation there
  predictor       ///< semi-implicit P: at predicted states; corrected with its linearisation there
};

struct StaticSettings {
  StaticCoupling coupling = StaticCoupling::full;
  std::size_t threads = 1;
  /// Change of an input in a probe, relative to its magnitude or nominal value; absent: sqrt(eps), Schmoll (4.7).
  std::optional<double> increment{};
};

/// A static subsystem as a function y = s(u) that is expensive to call: it is called where its coupling says so and
/// otherwise replaced by s(u0) + ds/du (u - u0). The derivatives are forward differences (Schmoll (4.7)), computed in
/// the same call by further instances, at the same time where that pays.
class StaticFunction {
 public:
  /// The first instance computes values, the others take turns with the probes; with one only, it does all. The
  /// outputs must follow from the inputs alone, and evaluate() must work when initialisation has been entered.
  /// `inputs`: real ports that vary, in the order of u. Each instance stays in initialisation.
  StaticFunction(std::string name, std::vector<std::unique_ptr<subsystem::Subsystem>> instances,
                 std::vector<subsystem::PortIndex> inputs, const StaticSettings& settings);
  ~StaticFunction();
  StaticFunction(const StaticFunction&) = delete;
  StaticFunction& operator=(const StaticFunction&) = delete;

  [[nodiscard]] const subsystem::Description& describe() const { return instances_.front()->describe(); }
  [[nodiscard]] StaticCoupling coupling() const { return settings_.coupling; }
  [[nodiscard]] const std::vector<subsystem::PortIndex>& inputs() const { return inputs_; }
  /// One more instance, by which outputs that do not follow from the inputs in initialisation are found: call() and
  /// values() throw then. To be given before anything is set.
  void watchBy(std::unique_ptr<subsystem::Subsystem> witness);
  void set(subsystem::PortIndex port, std::span<const core::Value> values);
  [[nodiscard]] core::Value value(subsystem::PortIndex port) const;
  void begin(const subsystem::Experiment& experiment);

  /// Tells it where the integrator stands; true where a call is due there.
  bool visit(Visit at);
  [[nodiscard]] bool isDue(Visit at) const;
  /// The call, at the inputs that belong to that visit. Throws core::SubsystemError where the subsystem fails or gives
  /// values that are not finite.
  void call(Visit at, double t, std::span<const double> u);
  /// By the linearisation, or by a call where there is none. Throws as call() does.
  std::span<const double> values(double t, std::span<const double> u);

  void save(subsystem::Slot slot);
  void restore(subsystem::Slot slot);
  void forget() { present_.linear = known_ = false; }
  [[nodiscard]] std::uint64_t calls() const { return calls_; }
  [[nodiscard]] bool threadBound() const { return instances_.front()->describe().capabilities.threadBound; }

 private:
  struct Linearisation {
    std::vector<double> u, y;
    std::vector<double> slopes;  ///< ds/du, row by row
    std::vector<double> rates;   ///< ds/dt, 1/s, where calls lie a step back
    double t = 0.0;              ///< s
    bool linear = false;         ///< the slopes are known, and values() uses them
  };
  struct Probe {
    std::vector<double> u, y;
    subsystem::Status status = subsystem::Status::ok;
  };
  /// FMUs that failed do not recover when the integrator tries a shorter step. Of failures in a row for one reason the
  /// first is told, at the inputs that are to blame.
  struct Failure {
    std::string reason, message;
  };

  void call(double t, std::span<const double> u, bool withSlopes);
  void evaluate(double t, bool withSlopes);
  void addRates(double t);
  void askWitness(double t);
  void evaluateAll(double t);
  [[nodiscard]] bool threadsPay() const;
  void evaluateWith(std::size_t instance, double t);
  [[nodiscard]] double increment(std::size_t input, double at) const;
  void check(std::size_t index, double t);
  [[nodiscard]] std::string inputsText(const Probe& probe) const;

  std::string name_;
  std::vector<std::unique_ptr<subsystem::Subsystem>> instances_;
  StaticSettings settings_;
  std::vector<subsystem::PortIndex> inputs_, outputs_;        ///< of u and y; the outputs are all real ones
  std::vector<double> nominals_;                              ///< of the scalars of u
  std::unique_ptr<core::ThreadPool> pool_;                    ///< once it pays
  double seconds_ = std::numeric_limits<double>::infinity();  ///< the shortest time that an evaluation took
  unsigned measured_ = 0;                                     ///< how often that was measured
  std::vector<Probe> probes_;                                 ///< the value first, then one for each scalar of u
  std::vector<Failure> failures_;                             ///< by instance; empty where the last call ended well
  Linearisation present_;
  std::array<Linearisation, subsystem::kSlots> saved_;
  std::unique_ptr<detail::Witness> witness_;  ///< until it has been asked
  std::string unfit_;                         ///< what it told; empty: nothing bad
  std::vector<double> y_;
  double t_ = 0.0;       ///< of the value that was computed last, s
  bool known_ = false;   ///< the first probe holds that value
  bool direct_ = false;  ///< while time is held
  std::optional<bool> dependsOnTime_;
  std::uint64_t calls_ = 0;
};

}  // namespace koppla::solver
