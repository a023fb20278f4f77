#pragma once

#include <vector>

#include "koppla/coupling/look.hpp"

namespace koppla::coupling {

/// Two connections that carry a power: an effort e (force, voltage) to whom it acts on, and the flow f (velocity,
/// current) that this one answers back to where the effort comes from.
struct PowerBond {
  std::size_t effort;  ///< outputs of the network
  std::size_t flow;
  InputCourse effortCourse;
  InputCourse flowCourse;
  double factor;  ///< W per unit of their product, with the sign that the effort is passed on with
};

/// The energy that coupling creates. Whom the effort acts on receives e~ f with the input e~, but the one it comes from
/// gives e f~; for equal courses both are e f. What is left over is the residual power of the bond (S. Sadjina, L. T.
/// Kyllingstad, S. Skjong, E. Pedersen: Energy conservation and power bonds in co-simulations, 2017):
///
///     created = int ( e~ f - e f~ ) dt = int ( (e~ - e) f - e (f~ - f) ) dt
///
/// Over a step e and f are taken to be straight, e~ - e and f~ - f by the shape of their errors.
class PowerBonds {
 public:
  explicit PowerBonds(std::vector<PowerBond> bonds = {}) : bonds_(std::move(bonds)), energies_(bonds_.size()) {}

  /// The run stands at t (s).
  void begin(double t) { last_ = t; }
  /// Stands for all steps since the last look.
  void add(const Look& look);

  [[nodiscard]] std::size_t size() const { return bonds_.size(); }
  [[nodiscard]] double created(std::size_t bond) const { return energies_[bond].created; }      ///< J
  [[nodiscard]] double exchanged(std::size_t bond) const { return energies_[bond].exchanged; }  ///< J, of |e f|

 private:
  struct Energy {
    double created = 0.0;
    double exchanged = 0.0;
  };
  std::vector<PowerBond> bonds_;
  std::vector<Energy> energies_;
  double last_ = 0.0;
};

}  // namespace koppla::coupling
