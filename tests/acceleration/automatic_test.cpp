#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "support/figure.hpp"

#include "loops.hpp"

namespace koppla {
namespace {

test::Outcome byDefault(const test::Loop& loop, const test::Conduct& conduct) {
  const auto accelerator = coupling::automaticAcceleration({.size = loop.start.size()});
  accelerator->begin();
  return test::iterate(loop, nullptr, *accelerator, conduct);
}

TEST(Automatic, CalibrationCounts) {
  for (const double tolerance : {1e-3, 1e-6}) {
    double sum = 0.0;
    for (const test::Loop& loop : test::calibrationLoops()) {
      const test::Outcome plain = test::relaxOne(loop, test::unrelaxed(), {.tolerance = tolerance});
      const test::Outcome ours = byDefault(loop, {.tolerance = tolerance});
      fmt::print("{} {:g}: {} -> {} result {} root {}\n", loop.name, tolerance, plain.iterations, ours.iterations, ours.result[0], test::root(loop));
      sum += double(ours.iterations) / plain.iterations;
    }
    fmt::print("mean {}\n", sum / 25);
  }
  for (const test::Loop& loop : test::b480Loops()) { const test::Outcome ours = byDefault(loop, {.tolerance = 1e-6}); fmt::print("{} {}\n", loop.name, ours.iterations);}
  for (double g : {-100.0, -10.0, -1.0, -0.1, 0.1, 0.5, 0.9, 0.99, 0.999}) { const test::Outcome ours = byDefault(test::gainLoop(g), {.tolerance = 1e-9}); fmt::print("gain {} {}\n", g, ours.iterations);}
  const test::Loop both = test::together(test::verticalPlate(125), test::horizontalPlate(125));
  const test::Outcome ours = byDefault(both, {.tolerance = 1e-6});
  fmt::print("both {} {}\n", ours.iterations, ours.result);
}

}  // namespace
}  // namespace koppla
