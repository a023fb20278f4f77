#include "koppla/coupling/initial_multipliers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "koppla/coupling/correction.hpp"

namespace koppla::coupling {

namespace {

class Solver {
 public:
  Solver(Network& network, double t) : network_(network), t_(t) {
    for (const PlacedConstraint& constraint : network.constraints()) {
      const std::size_t rows = constraint.defectAccelerations.last - constraint.defectAccelerations.first;
      for (std::size_t i = 0; i < rows; ++i) {
        multipliers_.push_back(constraint.lambda.first + i);
        defects_.push_back(constraint.defectAccelerations.first + i);
        jointOf_.push_back(constraint.position);
      }
      if (rows > 0) joints_.insert(constraint.position);
    }
    if (multipliers_.empty()) return;
    for (std::size_t position = 0; position < network.size(); ++position)
      for (const std::size_t source : network.sourcesOf(position)) consumers_[source].insert(position);
  }

  InitialMultipliers solve() {
    if (multipliers_.empty()) return {};
    std::vector<Derivative> entries;
    std::vector<double> changes;
    for (std::size_t column = 0; column < multipliers_.size(); ++column) {
      // Accelerations are linear in the multipliers, so any change does.
      double& multiplier = network_.outputs()[multipliers_[column]];
      const double kept = multiplier;
      const double change = changes.emplace_back(std::fmax(1.0, std::fabs(kept)));
      const std::vector<double> before = read();
      multiplier = kept + change;
      if (const Fault fault = passOn(column)) return {fault, {}};
      const std::vector<double> after = read();
      multiplier = kept;
      if (const Fault fault = passOn(column)) return {fault, {}};
      for (std::size_t row = 0; row < defects_.size(); ++row)
        if (after[row] != before[row]) entries.push_back({row, column, (after[row] - before[row]) / change});
    }
    Correction correction;
    correction.factorise(multipliers_.size(), entries, [&](std::size_t row, std::size_t column) {
      return kRounding * network_.largestInput(jointOf_[row]) / changes[column];
    });
    InitialMultipliers result;
    for (const std::size_t row : correction.dependentRows()) result.undetermined.push_back(multipliers_[row]);
    if (!result.undetermined.empty()) return result;
    std::vector<double> values = read();
    correction.solve(values);
    for (std::size_t i = 0; i < values.size(); ++i) network_.outputs()[multipliers_[i]] += values[i];
    for (std::size_t column = 0; column < multipliers_.size(); ++column)
      if (const Fault fault = passOn(column)) return {fault, {}};
    return result;
  }

 private:
  static constexpr double kRounding = 8.0 * std::numeric_limits<double>::epsilon();

  [[nodiscard]] std::vector<double> read() const {
    std::vector<double> values;
    for (const std::size_t defect : defects_) values.push_back(network_.outputs()[defect]);
    return values;
  }

  /// Whoever takes the multiplier is evaluated, then the constraints that see them.
  Fault passOn(std::size_t column) {
    std::set<std::size_t> affected;
    for (const std::size_t position : consumers_[multipliers_[column]]) {
      if (const Fault fault = evaluate(position)) return fault;
      const Block own = network_.outputsOf(position);
      for (std::size_t value = own.first; value < own.last; ++value)
        for (const std::size_t consumer : consumers_[value])
          if (joints_.contains(consumer)) affected.insert(consumer);
    }
    for (const std::size_t position : affected)
      if (const Fault fault = evaluate(position)) return fault;
    return {};
  }

  Fault evaluate(std::size_t position) {
    network_.gather(position);
    return network_.evaluate(position, t_);
  }

  Network& network_;
  double t_;
  std::vector<std::size_t> multipliers_;  ///< outputs of the network
  std::vector<std::size_t> defects_;      ///< of the same rows
  std::vector<std::size_t> jointOf_;      ///< their positions
  std::set<std::size_t> joints_;          ///< positions of constraints
  std::map<std::size_t, std::set<std::size_t>> consumers_;
};

}  // namespace

InitialMultipliers solveMultipliers(Network& network, double t) {
  return Solver(network, t).solve();
}

}  // namespace koppla::coupling
