// The four-bar linkage in space, welded in its coupler: the note on Lu's thesis, section 8.7.

#include <array>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "simulation.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::test::four_bar_test {
namespace {

constexpr double kAllowed = 1.5;

/// How the subsystems hold their own joints.
enum class Inside : std::uint8_t {
  plain,      ///< setting (i): accelerations only, four micro steps per macro step
  stabilised  ///< setting (ii): Baumgarte with a rate of 50 1/s, one micro step
};

const results::Table& reference() {
  static const results::Table whole = simulate(wholeSystem("joined-four-bar"), {});
  return whole;
}

struct Deviations {
  double pose, position, velocity;  ///< error of rod 2, defects of the weld
};

Deviations run(double step, double beta, Inside inside) {
  const bool isPlain = inside == Inside::plain;
  Changes changes = steps(step, isPlain ? 4 : 1, {"left", "right"}) + Changes{fmt::format("weld.beta={}", beta)};
  for (const std::string subsystem : {"left", "right"}) {
    changes.push_back(subsystem + ".integrator=ode4");
    if (!isPlain) changes = changes + Changes{subsystem + ".constraints=baumgarte", subsystem + ".rate=50"};
  }
  const results::Table table = simulate(mechanism("spatial-four-bar"), changes);
  return {errorOf(table, reference(),
                  {{"left.rod2.position", "whole.rod2.position"}, {"left.rod2.rotation", "whole.rod2.rotation"}}),
          largest(table, "weld.position_defect"), largest(table, "weld.velocity_defect")};
}

TEST(FourBarInSpace, TheWholeSystemFollowsTheReference) {
  struct Row {
    double t;
    std::array<double, 3> position, angles;
  };
  // Printed with seven decimals.
  for (const Row& row : {Row{0.5, {0.2539205, 0.2513000, 0.9999864}, {1.5707965, -0.7801844, 0.0}},
                         Row{1.0, {0.2821454, 0.2602744, 0.9990996}, {1.5708675, -0.7434068, 0.0}},
                         Row{1.5, {0.3650994, 0.2832149, 0.9888992}, {1.5734276, -0.6417399, 0.0}},
                         Row{2.0, {0.5449843, 0.3191988, 0.9297859}, {1.6033070, -0.4433776, 0.0}}}) {
    const auto index = static_cast<std::size_t>(std::lround(row.t / 1e-3));
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(elements(reference(), "whole.rod2.position")[k]->numbers.at(index), row.position[k], 6e-8);
      EXPECT_NEAR(elements(reference(), "whole.rod2.rotation")[k]->numbers.at(index), row.angles[k], 6e-8);
    }
  }
}

TEST(FourBarInSpace, ErrorsAndDefectsStayWithinThoseOfTheNote) {
  struct Row {
    double step, beta;
    Deviations plain, stabilised;
  };
  constexpr std::array kRows{Row{1e-2, 5e-3, {1.1e-7, 1.8e-7, 3.6e-5}, {4.0e-7, 4.3e-7, 8.6e-5}},
                             Row{4e-3, 2e-3, {6.9e-9, 1.1e-8, 5.7e-6}, {1.1e-8, 1.4e-8, 6.8e-6}},
                             Row{4e-3, 5e-4, {1.7e-9, 2.9e-9, 5.7e-6}, {5.2e-9, 3.4e-9, 6.8e-6}},
                             Row{2e-3, 5e-4, {4.3e-10, 7.2e-10, 1.4e-6}, {6.1e-10, 7.5e-10, 1.5e-6}},
                             Row{1e-3, 5e-4, {1.1e-10, 1.8e-10, 3.6e-7}, {1.2e-10, 1.8e-10, 3.6e-7}}};
  test::Largest share;
  for (const Row& row : kRows) {
    for (const Inside inside : {Inside::plain, Inside::stabilised}) {
      const bool isPlain = inside == Inside::plain;
      const Deviations obtained = run(row.step, row.beta, inside);
      const Deviations& tabulated = isPlain ? row.plain : row.stabilised;
      const std::string setting = isPlain ? "i" : "ii";
      SCOPED_TRACE(fmt::format("H = {}, beta = {}, setting ({})", row.step, row.beta, setting));
      for (const auto& [own, printed] :
           {std::pair(obtained.pose, tabulated.pose), std::pair(obtained.position, tabulated.position),
            std::pair(obtained.velocity, tabulated.velocity)}) {
        EXPECT_LE(own, kAllowed * printed);
        share.see(own / printed);
      }
      if (row.step == 1e-3) {
        showAtMost({"lu R31", "pose-fine-" + setting, "H = 1e-3 s, beta = 5e-4 s: pose error <= 1e-9"}, obtained.pose,
                   1e-9);
        showAtMost({"lu R31", "defect-fine-" + setting, "H = 1e-3 s, beta = 5e-4 s: |g| <= 3e-10"}, obtained.position,
                   3e-10);
      }
      if (row.step == 1e-2) {
        const double limit = isPlain ? 1.7e-7 : 6e-7;
        showAtMost({"lu R31", "pose-coarse-" + setting,
                    fmt::format("H = 1e-2 s, beta = 5e-3 s, setting ({}): pose error <= {}", setting, limit)},
                   obtained.pose, limit);
      }
    }
  }
  showAtMost({"lu R31", "table", "five pairs of H and beta, both settings: pose, |g|, |g'| <= 1.5 times the table"},
             share, kAllowed);
}

}  // namespace
}  // namespace koppla::test::four_bar_test
