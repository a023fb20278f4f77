// examples/reference-point: a body on a bushing that another subsystem computes, coupled by six components at a
// reference point, against the same bushing in one system with the body.

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "simulation.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::test::reference_point_test {
namespace {

constexpr double kCoarse = 1e-3;  // s
constexpr double kFine = 5e-4;    // s

std::filesystem::path project(const std::string& name) {
  return std::filesystem::path(KOPPLA_EXAMPLES_DIR) / "reference-point" / (name + ".toml");
}

results::Table run(const std::string& name, double step, const Changes& others = {}) {
  return simulate(project(name), steps(step, 4, {"machine"}) + others);
}

const results::Table& whole() {
  static const results::Table table = run("whole", kFine);
  return table;
}

/// Of the body's position and angles.
double error(const results::Table& table) {
  return errorOf(
      table, whole(),
      {{"machine.body.position", "machine.body.position"}, {"machine.body.rotation", "machine.body.rotation"}});
}

TEST(ReferencePoint, SixComponentsAreExchanged) {
  // The bushing takes position, velocity, rotation and angular velocity, or all but the rotation.
  showFigure({"schmoll R47", "components", "the body takes 6 forces and moments, its partner 12 values of its motion"},
             text(countsOf(project("rotation"), {})), countsOf(project("rotation"), {}) == Counts{6, 12, 18});
  showFigure(
      {"schmoll R47", "components-angular-velocity", "6 and 9 where rotation is coupled by angular velocity only"},
      text(countsOf(project("angular-velocity"), {})), countsOf(project("angular-velocity"), {}) == Counts{6, 9, 15});
}

TEST(ReferencePoint, TheCoupledBodyMovesLikeTheWholeSystem) {
  for (const std::string name : {"rotation", "angular-velocity"}) {
    test::Smallest lowest;
    for (const std::string kind : {"gauss-seidel", "jacobi", "semi-implicit"}) {
      const auto errorAt = [&](double step) { return error(run(name, step, {"algorithm.kind=" + kind})); };
      const double fine = errorAt(kFine);
      EXPECT_LE(fine, 1e-3) << name << " " << kind << ": angles are up to 0.4 rad";
      lowest.see(orderOf(errorAt(kCoarse), fine));
    }
    showFigure({"schmoll R47", name,
                "explicit and semi-implicit coupling, k = 1: converges to the whole system, order >= 1.9"},
               std::to_string(lowest), lowest >= 1.9);
  }
  EXPECT_GE(largest(whole(), "machine.body.rotation"), 0.3) << "far from small angles";
}

/// How far the orientation that the bushing finds from angular velocities goes astray, as an angle (rad).
double drift(const results::Table& table) {
  const auto angles = elements(table, "machine.body.rotation");
  test::Largest result;
  for (std::size_t row = 0; row < table.time.size(); ++row) {
    const auto about = [&](std::size_t axis) {
      return Eigen::AngleAxisd(angles[axis]->numbers[row], Eigen::Vector3d::Unit(static_cast<Eigen::Index>(axis)));
    };
    const auto own = [&](const char* name) { return table.find(name)->numbers[row]; };
    const Eigen::Quaterniond body = about(0) * about(1) * about(2);
    const Eigen::Quaterniond bushing(own("bushing.q0"), own("bushing.q1"), own("bushing.q2"), own("bushing.q3"));
    result.see(body.angularDistance(bushing));
  }
  return result;
}

TEST(ReferencePoint, AnOrientationFromAngularVelocitiesDriftsLessThanTheCouplingErrs) {
  const results::Table coarse = run("angular-velocity", kCoarse);
  const results::Table fine = run("angular-velocity", kFine);
  showAtMost({"schmoll R47", "drift",
              "rotation by angular velocity only: over 1 s its drift stays below the error of the motion"},
             drift(coarse) / error(coarse), 1.0);
  showFigure({"schmoll R47", "drift-order", "the drift shrinks with the order of the coupling, >= 1.9 with k = 1"},
             std::to_string(orderOf(drift(coarse), drift(fine))), orderOf(drift(coarse), drift(fine)) >= 1.9);
}

TEST(ReferencePoint, TheReadmeTellsTheErrors) {
  struct Stated {
    std::string project;
    double step;
    unsigned degree;
    double error;
  };
  for (const Stated& stated :
       {Stated{"rotation", kCoarse, 1, 6.6e-4}, Stated{"rotation", kFine, 1, 1.7e-4},
        Stated{"angular-velocity", kCoarse, 1, 6.8e-4}, Stated{"angular-velocity", kFine, 1, 1.7e-4},
        Stated{"rotation", kCoarse, 0, 6.7e-3}, Stated{"angular-velocity", kCoarse, 0, 1.7e-2}})
    EXPECT_NEAR(error(run(stated.project, stated.step, {"algorithm.degree=" + std::to_string(stated.degree)})),
                stated.error, 0.05 * stated.error)
        << stated.project << " " << stated.step << " " << stated.degree;
  const results::Table astray = run("angular-velocity", kCoarse);
  EXPECT_NEAR(drift(astray) / error(astray), 0.5, 0.05);
}

}  // namespace
}  // namespace koppla::test::reference_point_test
