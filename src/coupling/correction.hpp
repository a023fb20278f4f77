#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "koppla/coupling/interface_problem.hpp"

namespace koppla::coupling {

/// Solves linearised coupling conditions: sparse, scaled so that equations of all units count alike, and with a look at
/// whether they determine their unknowns at all.
class Correction {
 public:
  Correction();
  ~Correction();
  Correction(const Correction&) = delete;
  Correction& operator=(const Correction&) = delete;

  /// How wrong an entry of that row and column may be.
  using Noise = std::function<double(std::size_t row, std::size_t column)>;

  /// Entries of the same place add up.
  void factorise(std::size_t size, const std::vector<Derivative>& entries, const Noise& noise);
  /// Rows that repeat or contradict each other, or say nothing, the worst first; empty: the solution is determined.
  [[nodiscard]] const std::vector<std::size_t>& dependentRows() const { return dependent_; }
  /// Whether entries as wrong as the noise would explain the dependence: then it may be none.
  [[nodiscard]] bool drowned() const { return drowned_; }
  /// x := -matrix^-1 x, where the solution is determined.
  void solve(std::span<double> x) const;

 private:
  struct Factors;
  [[nodiscard]] bool scale(const std::vector<Derivative>& entries);
  [[nodiscard]] double smallestSingularValue(int iterations);
  void name();

  std::size_t size_ = 0;
  std::vector<double> rowScale_;
  std::vector<double> columnScale_;
  std::vector<std::size_t> dependent_;
  bool drowned_ = false;
  /// The combination of rows that is nearest to nothing; a good guess for the next matrix.
  std::vector<double> combination_;
  std::unique_ptr<Factors> factors_;
};

}  // namespace koppla::coupling
