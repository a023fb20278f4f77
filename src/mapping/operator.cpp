#include "koppla/mapping/operator.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "koppla/core/error.hpp"

namespace koppla::mapping {

Operator::Operator(SparseRows entries, std::size_t columns) : entries_(std::move(entries)), columns_(columns) {
  const bool fits = !entries_.starts.empty() && entries_.starts.front() == 0 &&
                    entries_.starts.back() == entries_.columns.size() &&
                    entries_.columns.size() == entries_.weights.size() && std::ranges::is_sorted(entries_.starts) &&
                    std::ranges::all_of(entries_.columns, [&](std::uint32_t column) { return column < columns_; });
  if (!fits) throw core::InternalError("The entries of a mapping do not fit together.");
}

template <std::size_t components>
void Operator::applyFixed(std::span<const double> values, std::span<double> result) const {
  const std::uint32_t* const columns = entries_.columns.data();
  const double* const weights = entries_.weights.data();
  for (std::size_t row = 0; row < rows(); ++row) {
    std::array<double, components> sum{};
    for (std::size_t k = entries_.starts[row]; k < entries_.starts[row + 1]; ++k)
      for (std::size_t c = 0; c < components; ++c) sum[c] += weights[k] * values[columns[k] * components + c];
    for (std::size_t c = 0; c < components; ++c) result[row * components + c] = sum[c];
  }
}

void Operator::apply(std::span<const double> values, std::span<double> result, std::size_t components) const {
  if (values.size() != columns() * components || result.size() != rows() * components)
    throw core::InternalError("A mapping is applied to arrays of other sizes than its own.");
  if (components == 1) return applyFixed<1>(values, result);
  if (components == 3) return applyFixed<3>(values, result);
  std::ranges::fill(result, 0.0);
  for (std::size_t row = 0; row < rows(); ++row)
    for (std::size_t k = entries_.starts[row]; k < entries_.starts[row + 1]; ++k)
      for (std::size_t c = 0; c < components; ++c)
        result[row * components + c] += entries_.weights[k] * values[entries_.columns[k] * components + c];
}

Operator Operator::transposed() const {
  SparseRows turned;
  turned.starts.assign(columns_ + 1, 0);
  turned.columns.resize(entries_.columns.size());
  turned.weights.resize(entries_.weights.size());
  for (const std::uint32_t column : entries_.columns) ++turned.starts[column + 1];
  for (std::size_t i = 0; i < columns_; ++i) turned.starts[i + 1] += turned.starts[i];
  std::vector<std::size_t> next(turned.starts.begin(), turned.starts.end() - 1);
  for (std::size_t row = 0; row < rows(); ++row)
    for (std::size_t k = entries_.starts[row]; k < entries_.starts[row + 1]; ++k) {
      const std::size_t place = next[entries_.columns[k]]++;
      turned.columns[place] = static_cast<std::uint32_t>(row);
      turned.weights[place] = entries_.weights[k];
    }
  return {std::move(turned), rows()};
}

}  // namespace koppla::mapping
