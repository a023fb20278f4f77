#include <vector>

#include <gtest/gtest.h>

#include "koppla/native/catalogue.hpp"
#include "koppla/native/expressions.hpp"

#include "model_access.hpp"
#include "support/allocations.hpp"

namespace koppla::native {
namespace {

/// Allocations of a hundred evaluations, the first ones included.
std::size_t allocationsOf(const solver::Equations& model) {
  const std::vector<double> x(model.stateCount(), 0.5), u(test::countScalars(model, subsystem::Causality::input), 0.25);
  std::vector<double> dx(x.size()), y(test::countScalars(model, subsystem::Causality::output));
  const std::size_t before = koppla::test::allocations();
  for (int i = 0; i < 100; ++i) {
    model.derivatives(0.1 * i, x, u, dx);
    model.outputs(0.1 * i, x, u, y);
  }
  return koppla::test::allocations() - before;
}

TEST(NativeModels, EvaluateWithoutAllocation) {
  const std::size_t before = koppla::test::allocations();
  const auto formulas = expressions({.inputs = {{"u"}, {"w"}},
                                     .parameters = {{"k", 2.0}},
                                     .states = {{"x", 1.0, "-k*x^3 + sin(u*w) + (t < 0.5 ? min(x, u, w) : exp(-t))"}},
                                     .outputs = {{"y", "sqrt(x*x + 1) + u"}, {"one", "1"}}});
  EXPECT_GT(koppla::test::allocations(), before) << "nothing is counted";
  EXPECT_EQ(allocationsOf(*formulas), 0U);
  EXPECT_EQ(allocationsOf(*makeBuiltIn("rod", {{"elements", 8}})), 0U);
  EXPECT_EQ(allocationsOf(*makeBuiltIn("foam-column")), 0U);
  EXPECT_EQ(allocationsOf(*makeBuiltIn("oscillator-body")), 0U);
  EXPECT_EQ(allocationsOf(*makeBuiltIn("journal-bearing")), 0U);
  EXPECT_EQ(allocationsOf(*makeBuiltIn("rotor")), 0U);
}

}  // namespace
}  // namespace koppla::native
