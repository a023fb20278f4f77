// The calibration pairs of Jung: fixed points and slopes of his 25 models, and of model B with its third point at 480
// degC, as recomputed in the notes.

#include <functional>
#include <numbers>

#include <gtest/gtest.h>

#include "koppla/native/hinged_plate.hpp"
#include "koppla/native/radiating_wall.hpp"

#include "model_access.hpp"

namespace koppla::native {
namespace {

using Loop = std::function<double(double)>;

double valueOf(const solver::Equations& model, double u) {
  return test::outputsOf(model, {}, {u})[0];
}

/// x = F(x) between the two, by bisection: it finds the fixed points that repel the iteration as well.
double fixedPoint(const Loop& F, double low, double high) {
  const auto excess = [&F](double x) { return F(x) - x; };
  const bool risesFirst = excess(low) > 0.0;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    ((excess(middle) > 0.0) == risesFirst ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double slope(const Loop& F, double x) {
  const double h = 1e-5 * x;
  return (F(x + h) - F(x - h)) / (2.0 * h);
}

struct ThermalCase {
  Emissivity emissivity;
  double lambda;    // W/(m.K)
  double T1, q, g;  // degC, W/m2, -
};

TEST(RadiatingWall, HasTheFixedPointsAndSlopesOfTheNote) {
  using enum Emissivity;
  const std::vector<ThermalCase> table{
      {constant, 5.0, 360.4730, 6976.35, -0.9231},  {constant, 6.5, 378.9591, 7867.66, -0.7741},
      {constant, 8.0, 392.7211, 8582.31, -0.6696},  {constant, 9.5, 403.4577, 9171.51, -0.5916},
      {constant, 11.0, 412.1142, 9667.43, -0.5308}, {a, 5.0, 370.0235, 6498.82, -0.8448},
      {a, 6.5, 387.9046, 7286.20, -0.7056},         {a, 8.0, 401.1176, 7910.59, -0.6083},
      {a, 9.5, 411.3618, 8420.63, -0.5360},         {a, 11.0, 419.5770, 8846.53, -0.4798},
      {b, 8.0, 427.1677, 5826.59, -0.6770},         {b, 9.5, 434.4237, 6229.75, -0.5998},
      {b, 11.0, 440.2738, 6569.89, -0.5393},        {b480, 5.0, 404.2160, 4789.198, -1.4500},
      {b480, 6.5, 414.4112, 5563.273, -1.2218},     {b480, 8.0, 422.3250, 6214.003, -1.0635},
      {b480, 9.5, 428.7112, 6772.432, -0.9456},     {b480, 11.0, 434.0086, 7259.059, -0.8537}};
  for (const ThermalCase& row : table) {
    const auto wall = wallConduction({.conductivity = row.lambda});
    const auto face = radiatingFace({.emissivity = row.emissivity});
    const Loop F = [&](double q) { return valueOf(*face, valueOf(*wall, q)); };
    const double q = fixedPoint(F, 0.0, 20000.0);
    // Half a unit of the last digit that is printed.
    EXPECT_NEAR(valueOf(*wall, q), row.T1, 0.5e-4) << row.T1;
    EXPECT_NEAR(q, row.q, row.emissivity == b480 ? 0.5e-3 : 0.5e-2) << row.T1;
    EXPECT_NEAR(slope(F, q), row.g, 0.5e-4) << row.T1;
  }
}

TEST(RadiatingWall, StartsWithTheFirstRowsOfTheTrace) {
  // Without relaxation before the second iteration, q = 50 at the start.
  const auto wall = wallConduction();
  const auto face = radiatingFace();
  EXPECT_EQ(wall->describe().ports[test::portOf(*wall, "q")].start, core::Value(50.0));
  EXPECT_NEAR(valueOf(*wall, 50.0), 499.0, 1e-12);
  EXPECT_NEAR(valueOf(*face, 499.0), 15789.26777288, 1e-8);
  EXPECT_NEAR(valueOf(*wall, 15789.26777288), 184.21464454, 1e-8);
  EXPECT_NEAR(valueOf(*face, 184.21464454), 1649.83978885, 1e-6);
}

TEST(HingedPlate, HasTheFixedPointsAndSlopesOfTheNote) {
  struct Row {
    double rho, vertical, verticalSlope, horizontal, horizontalSlope;
  };
  const std::vector<Row> table{
      {65.0, 0.52291456, -0.301428, 4.402632e-05, 0.603571},  {80.0, 0.60921518, -0.425081, 6.787392e-05, 0.742857},
      {95.0, 0.68381122, -0.557295, 1.480885e-04, 0.882143},  {110.0, 0.74844776, -0.695084, 0.3563220872, 0.957269},
      {125.0, 0.80472999, -0.836461, 0.9315292521, 0.692491}, {140.0, 0.85403261, -0.980116, 1.2215276560, 0.444874}};
  const double phi0 = 0.001 * std::numbers::pi / 180.0;
  for (const Row& row : table) {
    const auto upright = plateFlow({.rest = PlateRest::vertical, .density = row.rho});
    const auto plate = hingedPlate();
    const Loop vertical = [&](double phi) { return valueOf(*plate, valueOf(*upright, phi)); };
    const double standing = fixedPoint(vertical, 0.0, 1.5);
    EXPECT_NEAR(standing, row.vertical, 0.5e-8) << row.rho;
    EXPECT_NEAR(slope(vertical, standing), row.verticalSlope, 0.5e-6) << row.rho;

    const auto flat = plateFlow({.rest = PlateRest::horizontal, .density = row.rho});
    const auto tilted = hingedPlate({.restAngle = phi0});
    const Loop horizontal = [&](double phi) { return valueOf(*tilted, valueOf(*flat, phi)); };
    const double lifted = fixedPoint(horizontal, 0.0, 1.5);
    EXPECT_NEAR(lifted, row.horizontal, row.horizontal < 0.1 ? 1e-6 * row.horizontal : 1e-9) << row.rho;
    EXPECT_NEAR(slope(horizontal, lifted), row.horizontalSlope, 0.5e-6) << row.rho;
  }
}

}  // namespace
}  // namespace koppla::native
