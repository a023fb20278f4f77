#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace koppla::native::detail {

/// A square matrix with two diagonals on either side of the main one, factorised in place with row interchanges:
/// central differences leave next to nothing on the main diagonal. Allocates only when it is made.
class BandMatrix {
 public:
  static constexpr std::size_t kReach = 2;  ///< diagonals on either side

  explicit BandMatrix(std::size_t size) : size_(size), band_(size * kWidth, 0.0), pivots_(size, 0) {}

  void setZero();
  /// |row - column| <= kReach; before factorise().
  double& operator()(std::size_t row, std::size_t column) { return band_[row * kWidth + column + kReach - row]; }

  /// A singular matrix shows as values that are not finite in what solve() gives.
  void factorise();
  /// Replaces the right-hand side by the solution; after factorise().
  void solve(std::span<double> b) const;

 private:
  // Interchanges fill as many diagonals above as there are below.
  static constexpr std::size_t kFilled = 2 * kReach;
  static constexpr std::size_t kWidth = kReach + 1 + kFilled;

  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    return band_[row * kWidth + column + kReach - row];
  }

  std::size_t size_;
  std::vector<double> band_;         ///< row by row, from the lowest diagonal to the highest filled one
  std::vector<std::size_t> pivots_;  ///< the row that was interchanged with row k in step k
};

}  // namespace koppla::native::detail
