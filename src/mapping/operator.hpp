#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace koppla::mapping {

/// A sparse matrix by rows: the entries of row i are those from starts[i] up to starts[i + 1].
struct SparseRows {
  std::vector<std::size_t> starts{0};
  std::vector<std::uint32_t> columns;
  std::vector<double> weights;

  void append(std::uint32_t column, double weight) {
    columns.push_back(column);
    weights.push_back(weight);
  }
  void endRow() { starts.push_back(columns.size()); }
};

/// A linear map from values at the points of one mesh (columns) to values at those of another (rows).
class Operator {
 public:
  /// Throws core::InternalError unless the arrays fit together.
  Operator(SparseRows entries, std::size_t columns);

  [[nodiscard]] std::size_t rows() const { return entries_.starts.size() - 1; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] const SparseRows& entries() const { return entries_; }

  /// Writes to `result` what the map makes of `values`, without allocation. A point has `components` values side by
  /// side. The two must not overlap. Throws core::InternalError where the sizes do not fit.
  void apply(std::span<const double> values, std::span<double> result, std::size_t components = 1) const;

  [[nodiscard]] Operator transposed() const;

 private:
  template <std::size_t components>
  void applyFixed(std::span<const double> values, std::span<double> result) const;

  SparseRows entries_;
  std::size_t columns_;
};

}  // namespace koppla::mapping
