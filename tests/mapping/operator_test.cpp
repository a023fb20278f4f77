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
  SparseRows rows;
  rows.append(3, 1.0);
  rows.endRow();
  EXPECT_THROW(Operator(rows, 3), core::InternalError);
}

}  // namespace
}  // namespace koppla::mapping
