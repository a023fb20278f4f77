#include "koppla/mapping/operator.hpp"

#include <gtest/gtest.h>
#include <support/allocations.hpp>

#include "koppla/core/error.hpp"

namespace koppla::mapping {
namespace {

using Numbers = std::vector<double>;

/// | 2 0 1 |
/// | 0 3 0 |
Operator sample() {
  SparseRows rows;
  rows.append(0, 2.0);
  rows.append(2, 1.0);
  rows.endRow();
  rows.append(1, 3.0);
  rows.endRow();
  return {rows, 3};
}

TEST(Operator, MultipliesScalarsAndVectorsOfAnySize) {
  const Operator map = sample();
  for (const std::size_t components : {1U, 2U, 3U, 5U}) {
    Numbers values(3 * components);
    Numbers expected(2 * components);
    for (std::size_t c = 0; c < components; ++c) {
      const double scale = static_cast<double>(c) + 1.0;
      values[c] = scale;
      values[components + c] = 10.0 * scale;
      values[2 * components + c] = 100.0 * scale;
      expected[c] = 102.0 * scale;
      expected[components + c] = 30.0 * scale;
    }
    Numbers result(2 * components, -1.0);
    map.apply(values, result, components);
    EXPECT_EQ(result, expected) << components;
  }
}

TEST(Operator, TransposesRowsToColumns) {
  const Operator turned = sample().transposed();
  EXPECT_EQ(turned.rows(), 3U);
  EXPECT_EQ(turned.columns(), 2U);
  Numbers result(3);
  turned.apply(Numbers{1.0, 10.0}, result);
  EXPECT_EQ(result, (Numbers{2.0, 30.0, 1.0}));
}

/// Rows and columns without entries, columns with several; of many components, too.
TEST(Operator, IsWhatItsEntriesSay) {
  const std::vector<Numbers> matrix{{0, 0, 0, 0}, {0, 2, 0, -3}, {0, 5, 0.5, 7}, {0, 0, 0, 0}, {0, -1, 4, 0}};
  SparseRows rows;
  for (const Numbers& row : matrix) {
    for (std::uint32_t column = 0; column < 4; ++column)
      if (row[column] != 0.0) rows.append(column, row[column]);
    rows.endRow();
  }
  const Operator map(rows, 4);
  const Operator turned = map.transposed();
  EXPECT_EQ(turned.rows(), 4U);
  EXPECT_EQ(turned.columns(), 5U);
  EXPECT_EQ(turned.entries().starts, (std::vector<std::size_t>{0, 0, 3, 5, 7}));
  EXPECT_EQ(turned.entries().columns, (std::vector<std::uint32_t>{1, 2, 4, 2, 4, 1, 2}));
  EXPECT_EQ(turned.entries().weights, (Numbers{2, 5, -1, 0.5, 4, -3, 7}));
  for (std::size_t components = 1; components <= 4; ++components) {
    Numbers values(4 * components), expected(5 * components, 0.0), result(5 * components, 77.0);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0 + static_cast<double>(i * i);
    for (std::size_t row = 0; row < 5; ++row)
      for (std::size_t column = 0; column < 4; ++column)
        for (std::size_t c = 0; c < components; ++c)
          expected[row * components + c] += matrix[row][column] * values[column * components + c];
    map.apply(values, result, components);
    EXPECT_EQ(result, expected) << components;
  }
}

TEST(Operator, IsAppliedWithoutAllocation) {
  const Operator map = sample();
  const Numbers values(15, 1.0);
  Numbers result(10);
  const std::size_t before = koppla::test::allocations();
  map.apply(std::span(values).first(3), std::span(result).first(2));
  map.apply(std::span(values).first(9), std::span(result).first(6), 3);
  map.apply(values, result, 5);
  EXPECT_EQ(koppla::test::allocations(), before);
}

TEST(Operator, RefusesArraysThatDoNotFit) {
  const Operator map = sample();
  Numbers result(2);
  EXPECT_THROW(map.apply(Numbers{1.0, 2.0}, result), core::InternalError);
  EXPECT_THROW(map.apply(Numbers(9), result, 3), core::InternalError);
  Numbers three(3);
  EXPECT_THROW(map.apply(three, three), core::InternalError);
  EXPECT_THROW(map.apply(Numbers(6), result, 2), core::InternalError);
  SparseRows rows;
  rows.append(3, 1.0);
  rows.endRow();
  EXPECT_THROW(Operator(rows, 3), core::InternalError);
  EXPECT_NO_THROW(Operator(rows, 4));
}

TEST(Operator, RefusesEntriesThatDoNotFitTogether) {
  const SparseRows good{{0, 1, 2}, {0, 1}, {1.0, 2.0}};
  EXPECT_NO_THROW(Operator(good, 2));
  EXPECT_NO_THROW(Operator(SparseRows{}, 0));
  const auto refuses = [&](auto damage) {
    SparseRows rows = good;
    damage(rows);
    EXPECT_THROW(Operator(rows, 2), core::InternalError);
  };
  refuses([](SparseRows& rows) { rows = {{}, {}, {}}; });
  refuses([](SparseRows& rows) { rows.starts.front() = 1; });
  refuses([](SparseRows& rows) { rows.starts.back() = 1; });
  refuses([](SparseRows& rows) { rows.weights.pop_back(); });
  refuses([](SparseRows& rows) { rows.columns.push_back(0); });
  refuses([](SparseRows& rows) { rows.starts = {0, 2, 1, 2}; });
  refuses([](SparseRows& rows) { rows.columns[1] = 2; });
  refuses([](SparseRows& rows) { rows.columns[0] = 2; });
}

}  // namespace
}  // namespace koppla::mapping
