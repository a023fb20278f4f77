// The heat exchanger, coupled by hand from wall temperatures of 0 degC: the reference data of the notes, sec. 12.3.

#include "koppla/native/heat_exchanger.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "model_access.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::native::heat_exchanger_test {
namespace {

constexpr std::size_t kCells = 70;
constexpr std::size_t kHotOut = 3 * kCells + 2;  // in what the flow gives
constexpr std::size_t kColdOut = 3 * kCells + 3;

struct Coupled {
  std::vector<double> fromFlow;
  std::vector<double> walls;  // tube, then shell
  double K = 0.0;             // ratio of the last two changes of all wall temperatures
};

Coupled iterated(std::int32_t radialCells, int iterations) {
  const auto flow = heatExchangerFlow({.radialCells = radialCells});
  const auto walls = heatExchangerWalls();
  Coupled coupled{.fromFlow = {}, .walls = std::vector<double>(2 * kCells, 0.0)};
  double before = 0.0;
  for (int i = 0; i < iterations; ++i) {
    coupled.fromFlow = test::outputsOf(*flow, {}, coupled.walls);
    std::vector<double> next =
        test::outputsOf(*walls, {}, {coupled.fromFlow.begin(), coupled.fromFlow.begin() + 3 * kCells + 2});
    double change = 0.0;
    for (std::size_t k = 0; k < next.size(); ++k) change += std::pow(next[k] - coupled.walls[k], 2);
    coupled.K = std::sqrt(change / before);
    before = change;
    coupled.walls = std::move(next);
  }
  return coupled;
}

TEST(HeatExchanger, HasTheTemperaturesOfTheNote) {
  const Coupled coupled = iterated(12, 200);
  EXPECT_NEAR(coupled.fromFlow[3 * kCells], 2582.1, 0.05);
  EXPECT_NEAR(coupled.fromFlow[3 * kCells + 1], 679.5, 0.05);
  const std::vector<std::pair<double, double>> pairs{
      {coupled.fromFlow[kHotOut], 79.1416},  {coupled.fromFlow[kColdOut], 20.9263},   {coupled.walls[0], 79.4331},
      {coupled.walls[35], 62.7729},          {coupled.walls[kCells - 1], 45.8578},    {coupled.walls[kCells], 12.4785},
      {coupled.walls[kCells + 35], 10.4078}, {coupled.walls[2 * kCells - 1], 10.0404}};
  test::Largest worst;
  for (const auto& [obtained, expected] : pairs) worst.see(std::fabs(obtained - expected));
  test::showAtMost({"jung 29", "reference", "8 temperatures of the note within its last digit, 5e-5 K"}, worst, 5.1e-5);
}

TEST(HeatExchanger, CouplesTheMoreStronglyTheFinerTheRings) {
  test::showWithin({"jung 29", "K", "spectral radius 0.8735 with 12 radial cells"}, iterated(12, 100).K, 0.8735, 6e-5);
  EXPECT_NEAR(iterated(6, 80).K, 0.7420, 6e-5);
  EXPECT_NEAR(iterated(20, 200).K, 0.9244, 6e-5);
}

TEST(HeatExchanger, WhatTheHotStreamLosesTheColdOneAndTheSurroundingsTake) {
  const HeatExchangerFlow flow;
  const Coupled coupled = iterated(12, 250);
  const double capacity = flow.density * flow.heatCapacity;
  const double lost = capacity * flow.hotFlow * (flow.hotInlet - coupled.fromFlow[kHotOut]);
  const double taken = capacity * flow.coldFlow * (coupled.fromFlow[kColdOut] - flow.coldInlet);
  const HeatExchangerWalls walls;
  double radiated = 0.0;
  for (std::size_t i = 0; i < kCells; ++i)
    radiated += walls.emissivity * 5.67e-8 * 2.0 * M_PI * walls.geometry.shell * walls.shellShare *
                (walls.geometry.length / kCells) *
                (std::pow(coupled.walls[kCells + i] + 273.15, 4) - std::pow(walls.surroundings + 273.15, 4));
  EXPECT_LT(radiated, 0.0) << "the shell is colder than its surroundings";
  EXPECT_NEAR(taken + radiated, lost, 1e-8 * lost);
}

}  // namespace
}  // namespace koppla::native::heat_exchanger_test
