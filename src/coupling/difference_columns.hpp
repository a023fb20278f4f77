#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "koppla/coupling/acceleration.hpp"
#include "koppla/coupling/approximation.hpp"

namespace koppla::coupling {

/// Differences between successive iterations, newest first: columns of V (of the residual, weighted) and of W (of the
/// answers, not weighted), with the decomposition V = Q R kept up to date. Only Q, W and R are stored: two vectors a
/// column. A vector is allocated when a column first needs it; from the capacity on nothing is allocated. Each
/// operation is linear in the number of rows and goes through memory in chunks that stay in the cache.
class DifferenceColumns {
 public:
  /// At most `capacity` columns, and never more than rows.
  DifferenceColumns(std::size_t rows, std::size_t capacity);

  struct Pair {
    std::span<double> residual;  ///< of V
    std::span<double> answer;    ///< of W
  };

  /// Memory of the column to come, to be filled before insert(). Where all places are taken the oldest column goes.
  [[nodiscard]] Pair stage();
  /// Makes the staged column the newest; `step` is the number of the macro step it belongs to. A column that is zero or
  /// not finite is not taken: false.
  bool insert(std::uint64_t step);

  /// Drops columns that add little to the newer ones, from the newest to the oldest; how many.
  unsigned filter(Filter kind, double limit);
  void dropOldest();
  /// Drops all columns of steps before `step`, or of `step`; how many.
  unsigned dropBefore(std::uint64_t step);
  unsigned dropStep(std::uint64_t step);
  void clear() { count_ = 0; }

  /// Least-squares solution c of V c = -residual; valid until the next call of anything. A column that depends on newer
  /// ones within rounding gets 0, so that there is a solution without filter as well.
  [[nodiscard]] std::span<const double> solve(std::span<const double> residual);
  /// vector += W c
  void addAnswers(std::span<const double> c, std::span<double> vector) const;

  /// Multiplies the rows of V in each field by its factor and decomposes anew: quadratic in the number of columns.
  void rescale(std::span<const Block> fields, std::span<const double> factors);

  /// For V^+ = R^-1 Q^T, adds to W what the map of other columns gives here, W += W' V'^+ V, and takes the span of V
  /// out of it, Q' -= Q Q^T Q'. With it the oldest term of a sum of such maps is dropped without a change of what the
  /// sum gives on the columns that stay. `other` has no decomposition afterwards: only absorb and clear are allowed.
  void absorb(DifferenceColumns& other);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// 0 is the newest.
  [[nodiscard]] std::uint64_t step(std::size_t column) const { return steps_[column]; }
  [[nodiscard]] std::span<const double> q(std::size_t column) const { return q_[column]; }
  [[nodiscard]] std::span<const double> answer(std::size_t column) const { return w_[column]; }
  [[nodiscard]] double r(std::size_t row, std::size_t column) const { return r_[column * capacity_ + row]; }

 private:
  /// Of columns i and i + 1 of Q, and of the same rows of R.
  struct Rotation {
    std::size_t i;
    double c;
    double s;
  };

  [[nodiscard]] double& entry(std::size_t row, std::size_t column) { return r_[column * capacity_ + row]; }
  [[nodiscard]] double columnNorm(std::size_t column) const;
  /// What must be taken from vector `index` of Q, not yet normalised, to make it orthogonal to those before. Leaves the
  /// parts along them in along_, what is still to be taken in correction_; the length of the rest, or 0 where only
  /// rounding is left.
  double orthogonalise(std::size_t index);
  /// Any unit vector orthogonal to those before.
  void complete(std::size_t index);
  void finish(std::size_t index, double length);
  void rotate(std::size_t i, double a, double b, std::size_t from, std::size_t to);
  void applyRotations(std::size_t first, std::size_t size);
  void applyRotations();
  void bringToFront(double length);
  void remove(std::size_t column);
  template <class Predicate>
  unsigned removeIf(Predicate predicate);
  void backSubstitute(std::span<double> values) const;
  void recover();
  void decompose();

  std::size_t rows_;
  std::size_t capacity_;
  std::size_t count_ = 0;
  std::vector<std::vector<double>> q_;
  std::vector<std::vector<double>> w_;
  std::vector<double> r_;  ///< column by column
  std::vector<std::uint64_t> steps_;
  std::vector<double> along_;
  std::vector<double> setAside_;
  std::vector<double> correction_;
  std::vector<double> coefficients_;
  std::vector<double> table_;  ///< of absorb
  std::vector<Rotation> rotations_;
};

}  // namespace koppla::coupling
