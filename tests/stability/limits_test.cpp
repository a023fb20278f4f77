#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/native/rod.hpp"
#include "koppla/run/recursion.hpp"
#include "koppla/solver/integrate.hpp"

#include "support/figure.hpp"
#include "support/formula_subsystem.hpp"
#include "two_mass.hpp"

// Limits of stability of the two-mass oscillator with exactly integrated halves: Schmoll notes, 10.3.

namespace koppla::test {
namespace {

using coupling::AlgorithmKind;
constexpr AlgorithmKind kJacobi = AlgorithmKind::jacobi;
constexpr AlgorithmKind kGaussSeidel = AlgorithmKind::gaussSeidel;

/// Critical steps (s) for degree 0..5; none: stable up to 1 s.
using Limits = std::array<std::optional<double>, 6>;

struct LimitsOfMethod {
  std::string name;
  Split split;
  AlgorithmKind algorithm;
  bool secondFirst;
  Limits limits;
};

const std::vector<LimitsOfMethod> kTable21{
    {"jacobi",
     Split::forceDisplacement,
     kJacobi,
     false,
     {1.4353e-5, 2.4630e-4, 5.6650e-4, 3.8222e-4, 2.0163e-4, 1.1849e-4}},
    {"gauss-seidel-1-first",
     Split::forceDisplacement,
     kGaussSeidel,
     false,
     {1.5616e-5, 3.7083e-4, 7.6626e-4, 8.7161e-4, 7.7857e-4, 5.4276e-4}},
    {"gauss-seidel-2-first",
     Split::forceDisplacement,
     kGaussSeidel,
     true,
     {1.5616e-5, 2.9079e-4, 6.3531e-4, 6.5875e-4, 5.0248e-4, 3.4136e-4}},
    {"jacobi",
     Split::displacementDisplacement,
     kJacobi,
     false,
     {6.5141e-5, 3.6789e-4, 5.9045e-4, 8.7810e-4, 7.8451e-4, 5.3606e-4}},
    {"gauss-seidel-1-first",
     Split::displacementDisplacement,
     kGaussSeidel,
     false,
     {std::nullopt, 4.8553e-4, 7.7896e-4, 1.0211e-3, 1.0495e-3, 6.8007e-4}},
    {"gauss-seidel-2-first",
     Split::displacementDisplacement,
     kGaussSeidel,
     true,
     {std::nullopt, 4.8556e-4, 7.7894e-4, 1.0217e-3, 1.0501e-3, 6.7950e-4}},
    {"jacobi", Split::forceForce, kJacobi, false, {3.2546e-5, 2.8989e-4, 6.9511e-4, 7.1864e-4, 6.0379e-4, 4.6399e-4}},
};

const std::vector<LimitsOfMethod> kTable31{
    {"jacobi",
     Split::forceDisplacement,
     kJacobi,
     false,
     {2.3847e-5, 5.1598e-4, 1.2294e-3, 8.1781e-4, 4.1666e-4, 2.3002e-4}},
    {"gauss-seidel-1-first",
     Split::forceDisplacement,
     kGaussSeidel,
     false,
     {4.1397e-5, 7.6397e-4, 1.5670e-3, 1.8680e-3, 1.7105e-3, 1.1101e-3}},
    {"gauss-seidel-2-first",
     Split::forceDisplacement,
     kGaussSeidel,
     true,
     {4.1397e-5, 6.1945e-4, 1.3358e-3, 1.4536e-3, 1.1241e-3, 7.6742e-4}},
    {"jacobi",
     Split::displacementDisplacement,
     kJacobi,
     false,
     {1.2229e-4, 7.1158e-4, 8.2020e-4, 1.3281e-3, 1.6902e-3, 1.0469e-3}},
    {"gauss-seidel-1-first",
     Split::displacementDisplacement,
     kGaussSeidel,
     false,
     {std::nullopt, 9.3830e-4, 1.0960e-3, 1.5491e-3, 2.1832e-3, 1.3127e-3}},
    {"jacobi", Split::forceForce, kJacobi, false, {5.8018e-5, 5.5326e-4, 1.4344e-3, 1.5395e-3, 1.3172e-3, 8.9866e-4}},
};

/// The notes give five digits.
constexpr double kFourDigits = 1e-4;
constexpr double kShortest = 1e-6;  // s
constexpr double kLongest = 1.0;    // s

run::MacroStepRecursion recursionOf(const TwoMassCase& c) {
  run::Settings settings;
  settings.algorithm.kind = c.algorithm;
  settings.algorithm.degree = c.degree;
  settings.algorithm.reevaluate = c.reevaluate;
  core::Log log;
  return {twoMassSystem(c), settings, log};
}

std::optional<double> limitOf(const TwoMassCase& c) {
  return recursionOf(c).criticalStep({kShortest, kLongest});
}

std::string text(const Limits& limits) {
  std::vector<std::string> texts;
  for (const auto& limit : limits) texts.push_back(limit ? fmt::format("{:.4e}", *limit) : "none");
  return fmt::format("{} s", fmt::join(texts, ", "));
}

bool agree(const Limits& obtained, const Limits& expected) {
  for (std::size_t p = 0; p < expected.size(); ++p) {
    if (obtained[p].has_value() != expected[p].has_value()) return false;
    if (expected[p] && std::fabs(*obtained[p] / *expected[p] - 1.0) > kFourDigits) return false;
  }
  return true;
}

Limits computed(const LimitsOfMethod& method, const native::TwoMassOscillator& parameters) {
  Limits limits;
  for (unsigned p = 0; p < limits.size(); ++p) {
    const TwoMassCase c{.degree = p,
                        .algorithm = method.algorithm,
                        .split = method.split,
                        .startUp = coupling::StartUp::trivial,
                        .secondFirst = method.secondFirst,
                        .parameters = parameters};
    limits.at(p) = limitOf(c);
  }
  return limits;
}

/// Which requirement a row of the tables belongs to besides R17.
std::string_view requirementOf(Split split) {
  if (split == Split::displacementDisplacement) return "schmoll R4";
  return split == Split::forceForce ? "schmoll R5" : "schmoll R17";
}

TEST(StabilityLimits, AreThoseOfTheNotesForTable21) {
  for (const LimitsOfMethod& method : kTable21) {
    const Limits limits = computed(method, native::schmollTable21());
    const std::string figure = "limits-21-" + method.name;
    showFigure({requirementOf(method.split), figure, text(method.limits)}, text(limits), agree(limits, method.limits));
  }
}

TEST(StabilityLimits, AreThoseOfTheNotesForTable31) {
  for (const LimitsOfMethod& method : kTable31) {
    const Limits limits = computed(method, native::schmollTable31());
    const std::string figure = "limits-31-" + method.name;
    showFigure({requirementOf(method.split), figure, text(method.limits)}, text(limits), agree(limits, method.limits));
  }
}

TEST(StabilityLimits, OfGaussSeidelAreAboveThoseOfJacobi) {
  std::string which;
  for (const auto& parameters : {native::schmollTable21(), native::schmollTable31()})
    for (const Split split : {Split::forceDisplacement, Split::displacementDisplacement})
      for (unsigned p = 0; p <= 5; ++p) {
        TwoMassCase c{.degree = p,
                      .algorithm = kJacobi,
                      .split = split,
                      .startUp = coupling::StartUp::trivial,
                      .parameters = parameters};
        const double jacobi = limitOf(c).value_or(kLongest);
        c.algorithm = kGaussSeidel;
        if (!(limitOf(c).value_or(kLongest) > jacobi)) which += " p = " + std::to_string(p);
      }
  showFigure({"schmoll R17", "gauss-seidel-above-jacobi", "for every p"},
             which.empty() ? "for every p" : "not for" + which, which.empty());
}

TEST(StabilityLimits, RiseWhenOutputsAreEvaluatedOnceMore) {
  // Schmoll notes, 5.1.
  const Limits expected{4.406e-5, 3.197e-4, 7.302e-4, 7.747e-4, 6.605e-4, 4.930e-4};
  for (unsigned p = 0; p <= 5; ++p) {
    const TwoMassCase c{.degree = p, .algorithm = kJacobi, .startUp = coupling::StartUp::trivial, .reevaluate = true};
    const auto limit = limitOf(c);
    ASSERT_TRUE(limit);
    EXPECT_NEAR(*limit, *expected.at(p), 2e-4 * *expected.at(p)) << "degree " << p;  // four digits are given
  }
}

TEST(StabilityLimits, OfRungeKuttaMethodsAreThoseOfTheWholeModelAlone) {
  // Schmoll notes, 13.1.
  const std::array<std::pair<solver::Kind, double>, 5> expected{{{solver::Kind::ode1, 1.5822e-5},
                                                                 {solver::Kind::ode2, 3.2376e-4},
                                                                 {solver::Kind::ode3, 1.2584e-3},
                                                                 {solver::Kind::ode4, 1.9884e-3},
                                                                 {solver::Kind::ode5, 1.3302e-3}}};
  for (const auto& [kind, limit] : expected) {
    coupling::System system;
    system.members.push_back({"whole", solver::integrate(native::twoMassOscillator(), {.kind = kind}), {}});
    core::Log log;
    run::MacroStepRecursion recursion(std::move(system), {}, log);
    EXPECT_EQ(recursion.size(), 4U);
    const auto obtained = recursion.criticalStep({kShortest, kLongest});
    ASSERT_TRUE(obtained);
    EXPECT_NEAR(*obtained, limit, kFourDigits * limit) << solver::word(kind);
  }
}

/// The oscillator of table 3.1 with a rod of two elements.
run::MacroStepRecursion withRod(const native::Rod& rod, AlgorithmKind algorithm, unsigned degree) {
  const solver::IntegratorSettings exact{.kind = solver::Kind::exact};
  coupling::System system;
  system.members.push_back(
      {"body", solver::integrate(native::oscillatorBody(native::firstBody(native::schmollTable31())), exact), {}});
  system.members.push_back({"rod", solver::integrate(native::rod(rod), exact), {}});
  connect(system, {{"body.x", "rod.w"}, {"body.v", "rod.v"}, {"rod.f", "body.f"}});
  system.order = {0, 1};
  run::Settings settings;
  settings.algorithm.kind = algorithm;
  settings.algorithm.degree = degree;
  core::Log log;
  return {std::move(system), settings, log};
}

TEST(StabilityLimits, OfTheRodAreThoseOfItsTwoMassAnalogue) {
  for (const std::size_t row : {0U, 1U}) {
    const LimitsOfMethod& method = kTable31[row];
    Limits limits;
    for (unsigned p = 0; p < limits.size(); ++p)
      limits.at(p) = withRod({}, method.algorithm, p).criticalStep({kShortest, kLongest});
    showFigure({"schmoll R44", "limits-" + method.name, text(method.limits)}, text(limits),
               agree(limits, method.limits));
  }
}

TEST(StabilityLimits, FallWithTheStiffnessOfAPenalty) {
  std::string obtained;
  bool falls = true;
  double before = kLongest;
  for (const double stiffness : {1e6, 1e7, 1e8}) {
    native::Rod rod;
    rod.boundary = native::RodBoundary::penalty;
    rod.penaltyStiffness = stiffness;
    const auto limit = withRod(rod, kJacobi, 1).criticalStep({kShortest, kLongest});
    ASSERT_TRUE(limit);
    falls = falls && *limit < 0.9 * before;
    before = *limit;
    obtained += fmt::format("{:.3e} ", *limit);
  }
  showFigure({"schmoll R46", "penalty-limits", "falling with a penalty of 1e6, 1e7, 1e8 N/m"}, obtained + "s", falls);
}

}  // namespace
}  // namespace koppla::test
