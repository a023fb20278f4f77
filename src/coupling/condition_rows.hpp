#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "koppla/coupling/interface_problem.hpp"
#include "koppla/coupling/network.hpp"

namespace koppla::coupling {

/// Which equation constraints contribute to a correction. Method 2 makes one correction of each (Lu, sec. 3.1.2); the
/// other methods say the same in all of them.
enum class Level : std::uint8_t { position, velocity, acceleration };

/// How well a constraint was held in accepted steps.
struct HeldConstraint {
  std::size_t position;     ///< of its member
  double defect = 0.0;      ///< largest, in the units of its equations
  double defectRate = 0.0;  ///< largest, per second
  double size = 1.0;        ///< of the terms that cancel in the defects, at least 1
  [[nodiscard]] double share() const { return defect / size; }
};

/// The linearised coupling conditions of one cycle, one row per value of its cut: for a plain value, sent - answered;
/// for a multiplier the combination of its constraint's defects that the method asks for (Lu, eqs. 85, 174, 185).
class ConditionRows {
 public:
  ConditionRows(const Network& network, const InterfaceProblem& problem);

  /// Weights of the corrections by level that make up the mean, their sum 1: 1, 0, 0 without method 2.
  [[nodiscard]] const std::array<double, 3>& weights() const { return weights_; }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  /// Whether the value at that place of the cut is a multiplier.
  [[nodiscard]] bool isMultiplier(std::size_t place) const { return rows_[place].constraint != kPlain; }
  /// Position of the first constraint's member.
  [[nodiscard]] std::size_t firstConstraint() const { return constraints_.front().position; }
  /// Places of the cut that hold the multipliers of constraints whose accelerations are known.
  [[nodiscard]] const std::vector<std::size_t>& accelerated() const { return accelerated_; }

  /// What the constraints are away from being held in the present state, beside what they were before.
  [[nodiscard]] HeldConstraint present(std::size_t constraint) const;
  [[nodiscard]] const std::vector<HeldConstraint>& held() const { return held_; }
  /// The present state is accepted.
  void accept();

  /// Takes values and derivatives from the last evaluation.
  void linearise(const InterfaceProblem& problem, const std::vector<Sensitivity>& blocks);
  [[nodiscard]] std::vector<double> residual(Level level) const;
  /// The same at an evaluation after the one that was linearised.
  [[nodiscard]] std::vector<double> residualAfter(const InterfaceProblem& problem, Level level);
  [[nodiscard]] std::vector<Derivative> matrix(Level level) const;
  /// What rounding in probes may make of an entry of that row and column.
  [[nodiscard]] double noise(Level level, std::size_t row, std::size_t column) const;
  /// d g'' / d lambda of the accelerated() ones from blocks of any kind, row by row.
  [[nodiscard]] std::vector<double> accelerationMatrix(const InterfaceProblem& problem,
                                                       const std::vector<Sensitivity>& blocks) const;

 private:
  static constexpr std::size_t kPlain = static_cast<std::size_t>(-1);
  struct Row {
    std::size_t value;                ///< the network's output
    std::size_t constraint = kPlain;  ///< in constraints_
    std::size_t element = 0;
    bool projects = false;  ///< a multiplier mu
  };
  /// Weights of a constraint's defect, its rate and its acceleration in a row.
  using Mix = std::array<double, 3>;

  [[nodiscard]] Mix mixOf(const Row& row, Level level) const;
  [[nodiscard]] std::size_t defectOf(const Row& row, std::size_t order) const;
  template <class Use>
  void forDefects(const Row& row, Level level, Use use) const;

  const Network& network_;
  std::vector<PlacedConstraint> constraints_;
  std::vector<Row> rows_;
  std::vector<std::size_t> accelerated_;
  std::array<double, 3> weights_{1.0, 0.0, 0.0};
  std::vector<std::size_t> wanted_;   ///< outputs whose derivatives are needed, ascending
  std::vector<std::size_t> placeOf_;  ///< by output of the network: its place there

  double step_ = 0.0;                                                   ///< s
  std::vector<double> sent_;                                            ///< of the cut
  std::vector<std::vector<std::pair<std::size_t, double>>> gradients_;  ///< by place in wanted_
  std::vector<HeldConstraint> held_;
  bool accepted_ = false;           ///< a step
  std::vector<double> magnitudes_;  ///< of the terms that make up an output, by place in wanted_
  std::vector<double> increments_;  ///< smallest probe of each value of the cut
};

}  // namespace koppla::coupling
