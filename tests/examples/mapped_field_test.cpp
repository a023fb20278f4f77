// examples/mapped-field. Theory: each lane cools exponentially, and the face is halfway between gas and coolant.

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/mapping/points.hpp"

#include "example_run.hpp"

namespace koppla::test::mapped_field_test {
namespace {

constexpr double kCoolant = 300.0;  // K
constexpr int kNodes = 71;

TEST(MappedFieldExample, KeepsTheHeatAndMeetsTheTheory) {
  const ExampleRun run = runExample("mapped-field/mapped");
  ASSERT_EQ(run.command.exitCode, 0) << run.command.errors;
  for (std::size_t row = 0; row < run.table.time.size(); ++row)
    EXPECT_NEAR(run.of("wall.heat")[row], run.of("fluid.heat")[row], 1e-9);
  EXPECT_NEAR(run.of("fluid.heat").back(), 250.0 * 300.0 * (1.0 - std::exp(-0.5)), 10.0);
  EXPECT_NEAR(run.of("fluid.outlet").back(), kCoolant + 300.0 * std::exp(-0.5), 0.05);

  const mapping::Points wall = mapping::readPoints(examplesFolder() / "mapped-field/wall/wall.msh", "wetted");
  ASSERT_EQ(wall.size(), static_cast<std::size_t>(kNodes));
  double squares = 0.0;
  double heat = 0.0;
  for (int i = 0; i < kNodes; ++i) {
    const auto [x, y, z] = wall.positions[static_cast<std::size_t>(i)];
    const double expected = kCoolant + 0.5 * (200.0 + 400.0 * y) * std::exp(-0.5 * x);
    const double error = run.of(fmt::format("wall.T[{}]", i + 1)).back() - expected;
    EXPECT_LE(std::fabs(error), 10.0) << i;
    squares += error * error / kNodes;
    heat += run.of(fmt::format("wall.Q[{}]", i + 1)).back();
  }
  EXPECT_LE(std::sqrt(squares), 3.0);
  // What is recorded of the input is what arrived.
  EXPECT_NEAR(heat, run.of("wall.heat").back(), 1e-9);
  EXPECT_LE(run.evaluations(), 30);
}

TEST(MappedFieldExample, IsToldByCheck) {
  const CommandResult check = checkExample("mapped-field/mapped");
  ASSERT_EQ(check.exitCode, 0) << check.errors;
  EXPECT_NE(check.output.find("mapping: fluid.Q -> wall.Q: linear, conservative, from 640 to 71 points"),
            std::string::npos)
      << check.output;
  EXPECT_NE(check.output.find("mapping: wall.T -> fluid.T: linear, consistent, from 71 to 640 points"),
            std::string::npos);
  const CommandResult json = command({"check", (examplesFolder() / "mapped-field/mapped.toml").string(), "--json"});
  const auto mappings = nlohmann::json::parse(json.output).at("mappings");
  ASSERT_EQ(mappings.size(), 2U);
  EXPECT_EQ(mappings[0],
            (nlohmann::json{{"from", "fluid.Q"}, {"to", "wall.Q"}, {"kind", "linear"}, {"form", "conservative"}}));
}

}  // namespace
}  // namespace koppla::test::mapped_field_test
