#include "koppla/coupling/condition_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace koppla::coupling {

ConditionRows::ConditionRows(const Network& network, const InterfaceProblem& problem) : network_(network) {
  for (const PlacedConstraint& constraint : network.constraints())
    if (constraint.position >= problem.block().first && constraint.position < problem.block().last)
      constraints_.push_back(constraint);
  for (const std::size_t value : problem.cut()) {
    Row row{value};
    for (std::size_t c = 0; c < constraints_.size(); ++c)
      for (const bool projects : {false, true}) {
        const Block& block = projects ? constraints_[c].mu : constraints_[c].lambda;
        if (value >= block.first && value < block.last) row = {value, c, value - block.first, projects};
      }
    const bool accelerated =
        row.constraint != kPlain && !row.projects && constraints_[row.constraint].condition.acceleration;
    if (accelerated) accelerated_.push_back(rows_.size());
    rows_.push_back(row);
  }
  for (const PlacedConstraint& constraint : constraints_) {
    const Constraint& c = constraint.condition;
    if (c.method != ConstraintMethod::weightedMultipliers) continue;
    const double sum = 1.0 + c.velocityWeight + c.accelerationWeight;
    weights_ = {1.0 / sum, c.velocityWeight / sum, c.accelerationWeight / sum};
  }
  for (const PlacedConstraint& constraint : constraints_) held_.push_back({constraint.position});
  placeOf_.resize(network.outputs().size());
  for (const Row& row : rows_)
    if (row.constraint == kPlain) wanted_.push_back(row.value);
  for (const PlacedConstraint& constraint : constraints_)
    for (const Block& block : {constraint.defects, constraint.defectRates, constraint.defectAccelerations})
      for (std::size_t value = block.first; value < block.last; ++value) wanted_.push_back(value);
  for (std::size_t place = 0; place < wanted_.size(); ++place) placeOf_[wanted_[place]] = place;
}

HeldConstraint ConditionRows::present(std::size_t constraint) const {
  HeldConstraint now{constraints_[constraint].position};
  now.size = held_[constraint].size;
  const auto largest = [&](const Block& block) {
    double most = 0.0;
    for (std::size_t value = block.first; value < block.last; ++value)
      most = std::fmax(most, std::fabs(network_.outputs()[value]));
    return most;
  };
  now.defect = largest(constraints_[constraint].defects);
  now.defectRate = largest(constraints_[constraint].defectRates);
  if (accepted_ || magnitudes_.empty()) return now;
  const Block& block = constraints_[constraint].defects;
  for (std::size_t value = block.first; value < block.last; ++value)
    now.size = std::fmax(now.size, magnitudes_[placeOf_[value]]);
  return now;
}

void ConditionRows::accept() {
  constexpr double kFastest = 1.1;  // a step; in an explosion motions grow with the defect
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const HeldConstraint now = present(i);
    double size = now.size;
    const Block& block = constraints_[i].defects;
    for (std::size_t value = block.first; accepted_ && !magnitudes_.empty() && value < block.last; ++value)
      size = std::fmax(size, std::fmin(kFastest * now.size, magnitudes_[placeOf_[value]]));
    held_[i] = {now.position, std::fmax(held_[i].defect, now.defect), std::fmax(held_[i].defectRate, now.defectRate),
                size};
  }
  accepted_ = true;
}

ConditionRows::Mix ConditionRows::mixOf(const Row& row, Level level) const {
  const Constraint& constraint = constraints_[row.constraint].condition;
  switch (constraint.method) {
    case ConstraintMethod::baumgarte:
      return {1.0, constraint.beta.value_or(0.5 * step_), constraint.gamma};
    case ConstraintMethod::stabilisedIndex2:
      return row.projects ? Mix{0.0, 1.0, 0.0} : Mix{1.0, 0.0, 0.0};
    case ConstraintMethod::weightedMultipliers:
      break;
  }
  return {level == Level::position ? 1.0 : 0.0, level == Level::velocity ? 1.0 : 0.0,
          level == Level::acceleration ? 1.0 : 0.0};
}

std::size_t ConditionRows::defectOf(const Row& row, std::size_t order) const {
  const PlacedConstraint& constraint = constraints_[row.constraint];
  const std::array blocks{constraint.defects, constraint.defectRates, constraint.defectAccelerations};
  return blocks.at(order).first + row.element;
}

template <class Use>
void ConditionRows::forDefects(const Row& row, Level level, Use use) const {
  const Mix mix = mixOf(row, level);
  for (std::size_t order = 0; order < mix.size(); ++order)
    if (mix.at(order) != 0.0) use(defectOf(row, order), mix.at(order));
}

void ConditionRows::linearise(const InterfaceProblem& problem, const std::vector<Sensitivity>& blocks) {
  step_ = problem.step().t1 - problem.step().t0;
  sent_.resize(rows_.size());
  problem.readSent(problem.cut(), sent_);
  gradients_.assign(wanted_.size(), {});
  for (const Derivative& d : problem.derivatives(blocks, wanted_)) gradients_[d.row].emplace_back(d.column, d.value);
  increments_ = problem.smallestIncrements(blocks);
  magnitudes_ = problem.largestTerms(blocks, wanted_);
}

std::vector<double> ConditionRows::residual(Level level) const {
  std::vector<double> result;
  result.reserve(rows_.size());
  for (std::size_t place = 0; place < rows_.size(); ++place) {
    const Row& row = rows_[place];
    if (row.constraint == kPlain) {
      result.push_back(sent_[place] - network_.outputs()[row.value]);
      continue;
    }
    double sum = 0.0;
    forDefects(row, level, [&](std::size_t defect, double weight) { sum += weight * network_.outputs()[defect]; });
    result.push_back(sum);
  }
  return result;
}

std::vector<double> ConditionRows::residualAfter(const InterfaceProblem& problem, Level level) {
  problem.readSent(problem.cut(), sent_);
  return residual(level);
}

std::vector<Derivative> ConditionRows::matrix(Level level) const {
  std::vector<Derivative> result;
  for (std::size_t place = 0; place < rows_.size(); ++place) {
    const Row& row = rows_[place];
    if (row.constraint == kPlain) {
      result.push_back({place, place, 1.0});
      for (const auto& [column, value] : gradients_[placeOf_[row.value]]) result.push_back({place, column, -value});
      continue;
    }
    forDefects(row, level, [&](std::size_t defect, double weight) {
      for (const auto& [column, value] : gradients_[placeOf_[defect]])
        result.push_back({place, column, weight * value});
    });
  }
  return result;
}

double ConditionRows::noise(Level level, std::size_t row, std::size_t column) const {
  constexpr double kRounding = 4.0 * std::numeric_limits<double>::epsilon();
  if (rows_[row].constraint == kPlain || increments_[column] == 0.0) return 0.0;
  double terms = 0.0;  // of the defects, which cancel
  forDefects(rows_[row], level,
             [&](std::size_t defect, double weight) { terms += weight * magnitudes_[placeOf_[defect]]; });
  return kRounding * terms / increments_[column];
}

std::vector<double> ConditionRows::accelerationMatrix(const InterfaceProblem& problem,
                                                      const std::vector<Sensitivity>& blocks) const {
  const std::size_t n = accelerated_.size();
  constexpr std::size_t kAcceleration = 2;
  std::vector<std::size_t> outputs;
  std::vector<std::size_t> columnOf(rows_.size(), n);
  for (std::size_t i = 0; i < n; ++i) {
    outputs.push_back(defectOf(rows_[accelerated_[i]], kAcceleration));
    columnOf[accelerated_[i]] = i;
  }
  std::vector<double> matrix(n * n, 0.0);
  for (const Derivative& d : problem.derivatives(blocks, outputs))
    if (columnOf[d.column] < n) matrix[d.row * n + columnOf[d.column]] = d.value;
  return matrix;
}

}  // namespace koppla::coupling
