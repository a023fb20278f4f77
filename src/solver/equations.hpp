#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "koppla/core/value.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::solver {

/// Matrices of a linear, time-invariant system x' = A x + B u, y = C x + D u, row by row.
struct LinearForm {
  std::vector<double> a;  ///< states x states
  std::vector<double> b;  ///< states x inputs
  std::vector<double> c;  ///< outputs x states
  std::vector<double> d;  ///< outputs x inputs
};

/// Where an integrator stands whose steps are predicted and then corrected by iteration.
enum class Visit : std::uint8_t {
  started,    ///< its first step is about to be taken
  predicted,  ///< a step is about to be corrected; x is its predictor
  iterate,    ///< x is what the iteration has reached, and the next correction is about to be computed
  renewal,    ///< the same, and df/dx will be renewed there
  accepted,   ///< the step has passed its tests
  held        ///< time stands still; outputs are asked for with inputs that may have jumped
};

/// What an integrator needs of a model: x' = f(t, x, u), y = g(t, x, u). The last entries of x may be algebraic
/// unknowns instead, with 0 in the place of x'. Here u and y hold all scalars of all real
/// input and output ports, in the order of the ports; other types of ports are for parameters only.
///
/// Order of calls: set*, then begin, then initialStates, then derivatives and outputs in any order, as pure functions
/// of their arguments, the parameters and, in equations that linearise a part of themselves, of the last visit.
class Equations {
 public:
  Equations() = default;
  virtual ~Equations() = default;
  Equations(const Equations&) = delete;
  Equations& operator=(const Equations&) = delete;

  /// Ports, and the feed-through of every output. The capabilities are those of the subsystem that integrate() makes.
  [[nodiscard]] virtual const subsystem::Description& describe() const = 0;
  /// A parameter, or the start value of an input that nobody connects. Throws core::InputError for a value that the
  /// model cannot have.
  virtual void set(subsystem::PortIndex port, std::span<const core::Value> values) = 0;
  /// The value of a parameter as it stands.
  [[nodiscard]] virtual core::Value parameter(subsystem::PortIndex port) const = 0;

  /// The parameters are final.
  virtual void begin(const subsystem::Experiment& /*experiment*/) {}
  [[nodiscard]] virtual std::size_t stateCount() const = 0;
  /// How many of the states, the last ones, are algebraic unknowns, of index 1 or 2: derivatives() answers for each a
  /// residual that must be zero. Their initial values must fit the others, or be determined by the residuals.
  [[nodiscard]] virtual std::size_t algebraicCount() const { return 0; }
  /// Whether the residuals alone determine the unknowns at one instant (index 1). They are then solved for wherever
  /// time is held, at the start as well, where the initial values are a first guess.
  [[nodiscard]] virtual bool determinesUnknowns() const {
    return algebraicCount() > 0 && algebraicCount() == stateCount();
  }
  /// For messages, counted from the first unknown; empty where it has no name.
  [[nodiscard]] virtual std::string unknownName(std::size_t /*unknown*/) const { return {}; }
  virtual void initialStates(std::span<double> x) const = 0;
  virtual void derivatives(double t, std::span<const double> x, std::span<const double> u,
                           std::span<double> dx) const = 0;
  virtual void outputs(double t, std::span<const double> x, std::span<const double> u, std::span<double> y) const = 0;

  /// Whether derivatives() is only right for integrators that announce where they stand by visit().
  [[nodiscard]] virtual bool needsVisits() const { return false; }
  virtual void visit(Visit /*at*/, double /*t*/, std::span<const double> /*x*/, std::span<const double> /*u*/) {}
  /// What was made at visits goes with the states that somebody saves, restores or sets.
  virtual void save(subsystem::Slot /*slot*/) {}
  virtual void restore(subsystem::Slot /*slot*/) {}
  virtual void forget() {}
  /// How often static solvers inside were called so far; probes beside a call belong to it.
  [[nodiscard]] virtual std::uint64_t staticCalls() const { return 0; }

  /// As of a subsystem.
  [[nodiscard]] virtual double nextKnownPoint(double /*t*/) const { return HUGE_VAL; }

  /// Whether always the same thread has to compute with them: a static solver inside may keep something there.
  [[nodiscard]] virtual bool threadBound() const { return false; }

  /// Mechanical structure x = (w, v) with w' = v, for integrators of second order.
  [[nodiscard]] virtual bool secondOrder() const { return false; }
  /// With the present parameters, where the model is linear and time-invariant; empty matrices where it is not.
  [[nodiscard]] virtual LinearForm linear() const { return {}; }
  [[nodiscard]] virtual bool isLinear() const { return false; }
};

}  // namespace koppla::solver
