// Two masses with a rigid, massless link between them (Lu, sec. 3.1 and 3.3): what methods 1, 2 and 3 compute, against
// the exact solution and regression values.

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/extremes.hpp"
#include "support/figure.hpp"
#include "two_masses.hpp"

namespace koppla::test::rigid_link_test {
namespace {

/// At H = 1e-3 s: x1, v1, lambda at 0.1 s.
struct Regression {
  RigidLink link;
  double x1, v1, lambda;
};
const std::vector<Regression> kIndex3{{baumgarte(0.0, 0.0), 1.5364960873, -65.0053006902, 311.21744759}};
const std::vector<Regression> kIndex2{{baumgarte(2e-3, 0.0), 1.5364922299, -65.0072450092, 307.28384213}};
const std::vector<Regression> kIndex1{{baumgarte(2e-3, 1e-6), 1.5364806577, -65.0071879244, 307.28217162},
                                      {baumgarte(2e-3, 1e-6, 1), 1.5364961003, -65.0092336195, 295.47120184}};
const std::vector<Regression> kMethod2{{weightedMultipliers(1.0, 0.0), 1.5364951281, -65.0072585538, 307.28426326},
                                       {weightedMultipliers(1.0, 1.0), 1.5364893508, -65.0072227873, 307.28345489},
                                       {weightedMultipliers(1.0, 1.0, 1), 1.5364960886, -65.0092346666, 295.47119545}};
const std::vector<Regression> kMethod3{{stabilisedIndex2(), 1.5364760809, -65.0091735482, 307.25762640}};

double relative(double obtained, double expected) {
  return std::fabs(obtained / expected - 1.0);
}

/// The largest relative deviation, of the motion and of the multiplier.
struct Deviation {
  test::Largest motion;
  test::Largest lambda;

  [[nodiscard]] double largest() const { return test::largestOf(motion, lambda); }
};

Deviation deviationOf(const std::vector<Regression>& rows, const solver::IntegratorSettings& integrator) {
  Deviation deviation;
  for (const Regression& row : rows) {
    RigidLink link = row.link;
    link.integrator = integrator;
    const Motion motion = simulate(link, 0.1);
    EXPECT_TRUE(motion.outcome.ok()) << motion.outcome.message;
    if (!motion.outcome.ok()) return {};  // no number
    const std::size_t i = motion.at(0.1);
    deviation.motion.see(relative(motion.x1[i], row.x1), relative(motion.v1[i], row.v1));
    deviation.lambda.see(relative(motion.lambda[i], row.lambda));
  }
  return deviation;
}

TEST(RigidLink, ValuesAreThoseOfTheTableForEveryMethod) {
  const solver::IntegratorSettings exactly{.kind = solver::Kind::exact};
  showAtMost({"lu R15", "index-3", "x1, v1, lambda of the table within 1e-8"}, deviationOf(kIndex3, exactly).largest(),
             1e-8);
  showAtMost({"lu R15", "index-2", "x1, v1, lambda of the table within 1e-8"}, deviationOf(kIndex2, exactly).largest(),
             1e-8);
  showAtMost({"schmoll R65", "constraints", "a rigid link: values of Lu's table within 1e-8"},
             deviationOf(kMethod3, exactly).largest(), 1e-8);
  showAtMost({"lu R15", "index-1", "x1, v1, lambda of the table within 1e-8, k = 0, 1"},
             deviationOf(kIndex1, exactly).largest(), 1e-8);
  showAtMost({"lu R23", "values-method-2", "x1, v1, lambda of 3 rows of the table within 1e-8"},
             deviationOf(kMethod2, exactly).largest(), 1e-8);
  showAtMost({"lu R17", "values", "x1, v1, lambda of the table within 1e-8"}, deviationOf(kMethod3, exactly).largest(),
             1e-8);
}

TEST(RigidLink, MembersWithSolversOfTheirOwnGiveTheSameValues) {
  std::vector<Regression> all;
  for (const auto* rows : {&kIndex3, &kIndex2, &kIndex1, &kMethod2, &kMethod3})
    all.insert(all.end(), rows->begin(), rows->end());
  showAtMost({"lu R23", "values-ode5", "24 values of the table within 1e-6"},
             deviationOf(all, {.kind = solver::Kind::ode5}).largest(), 1e-6);
  showAtMost({"lu R23", "values-adams", "24 values of the table within 1e-6, tolerance 1e-10"},
             deviationOf(all, {.kind = solver::Kind::cvodeAdams, .rtol = 1e-10, .atol = 1e-10}).largest(), 1e-6);
  showAtMost({"lu R23", "values-radau", "24 values of the table within 1e-6, tolerance 1e-10"},
             deviationOf(all, {.kind = solver::Kind::radau, .rtol = 1e-10, .atol = 1e-10}).largest(), 1e-6);
  // Multipliers that are found from positions magnify a solver's error by 2 m / H^2, so they ask for more.
  showAtMost({"lu R23", "values-bdf", "16 values of x1, v1 within 1e-6, tolerance 1e-10"},
             deviationOf(all, {.kind = solver::Kind::cvodeBdf, .rtol = 1e-10, .atol = 1e-10}).motion, 1e-6);
}

/// What a run is away from the exact solution: relative RMS errors over all macro points, the multiplier against the
/// exact one at the end and in the middle of its step, and the largest defects.
struct Errors {
  double x, v, lambda, lambdaInTheMiddle;
  test::Largest position, velocity;

  [[nodiscard]] std::array<double, 6> all() const { return {x, v, lambda, lambdaInTheMiddle, position, velocity}; }
};

Errors errorsOf(RigidLink link, double H) {
  link.H = H;
  const Motion motion = simulate(link);
  EXPECT_TRUE(motion.outcome.ok()) << motion.outcome.message;
  const auto [x, v] = relativeErrors(link, motion);
  Errors errors{x, v, 0.0, 0.0, {}, {}};
  double scale = 0.0;
  for (std::size_t i = 1; i < motion.t.size(); ++i) {
    const double atEnd = exactForce(link, motion.t[i]);
    errors.lambda += std::pow(motion.lambda[i] - atEnd, 2);
    errors.lambdaInTheMiddle += std::pow(motion.lambda[i] - exactForce(link, motion.t[i] - 0.5 * H), 2);
    scale += atEnd * atEnd;
    errors.position.see(std::fabs(motion.x2[i] - motion.x1[i]));
    errors.velocity.see(std::fabs(motion.v2[i] - motion.v1[i]));
  }
  errors.lambda = std::sqrt(errors.lambda / scale);
  errors.lambdaInTheMiddle = std::sqrt(errors.lambdaInTheMiddle / scale);
  return errors;
}

TEST(RigidLink, ErrorsAreThoseOfTheTable) {
  static constexpr std::array kSteps{1e-2, 5e-3, 1e-3, 1e-4};  // s
  constexpr double kUnstable = -1.0;
  struct Row {
    const char* figure;
    RigidLink link;
    std::array<double, kSteps.size()> x, v;
  };
  const std::vector<Row> table{
      {"errors-index-3", baumgarte(0.0, 0.0), {6.6e-6, 4.1e-7, 6.6e-10, 6e-14}, {4.7e-3, 1.2e-3, 4.8e-5, 4.8e-7}},
      {"errors-index-2-0.2", baumgarte(0.2, 0.0), {2.7e-3, 6.7e-4, 2.7e-5, 2.7e-7}, {2.2e-3, 5.5e-4, 2.2e-5, 2.2e-7}},
      {"errors-index-2-0.02", baumgarte(0.02, 0.0), {1.3e-3, 3.2e-4, 1.3e-5, 1.3e-7}, {2.9e-3, 7.3e-4, 3.0e-5, 3.0e-7}},
      {"errors-index-2-0.002",
       baumgarte(0.002, 0.0),
       {1.5e-4, 3.8e-5, 1.5e-6, 1.5e-8},
       {2.8e-3, 6.8e-4, 2.7e-5, 2.7e-7}},
      {"errors-index-1-0.1", baumgarte(0.2, 1e-2), {6.3e-2, 3.0e-2, 5.7e-3, 5.7e-4}, {5.4e-2, 2.7e-2, 5.4e-3, 5.4e-4}},
      {"errors-index-1-0.01",
       baumgarte(0.02, 1e-4),
       {5.4e-3, 2.4e-3, 4.2e-4, 4.1e-5},
       {6.4e-3, 2.8e-3, 5.2e-4, 5.1e-5}},
      {"errors-index-1-0.001",
       baumgarte(0.002, 1e-6),
       {2.0e-4, 6.1e-5, 6.1e-6, 4.7e-7},
       {2.8e-3, 6.9e-4, 3.1e-5, 1.1e-6}},
      {"errors-index-1-0.001-k1",
       baumgarte(0.002, 1e-6, 1),
       {kUnstable, kUnstable, 2.0e-8, 2.0e-10},
       {kUnstable, kUnstable, 3.0e-8, 3.0e-10}},
      {"errors-method-2-10",
       weightedMultipliers(1.0, 0.0),
       {3.9e-4, 4.8e-5, 3.8e-7, 3.8e-10},
       {2.8e-3, 6.8e-4, 2.7e-5, 2.7e-7}},
      {"errors-method-2-11",
       weightedMultipliers(1.0, 1.0),
       {2.9e-3, 3.5e-4, 2.7e-6, 2.7e-9},
       {5.0e-3, 9.3e-4, 2.9e-5, 2.7e-7}},
      {"errors-method-2-11-k1",
       weightedMultipliers(1.0, 1.0, 1),
       {3.5e-5, 2.1e-6, 3.3e-9, 3.3e-13},
       {3.8e-5, 2.9e-6, 8.8e-9, 2.7e-12}},
      {"errors-method-3", stabilisedIndex2(), {1.8e-3, 4.5e-4, 1.8e-5, 1.8e-7}, {1.8e-3, 4.6e-4, 1.9e-5, 1.9e-7}},
      {"errors-method-3-0.9",
       stabilisedIndex2(0.9),
       {9.1e-4, 1.8e-4, 6.2e-6, 6.0e-8},
       {3.6e-3, 8.9e-4, 3.5e-5, 3.5e-7}}};
  // Distance in units of the second digit; rounding over a thousand and more steps is allowed for.
  const auto unitsFrom = [](double expected, double obtained) {
    constexpr double kRounding = 2e-13;
    const double unit = std::pow(10.0, std::floor(std::log10(expected) + 1e-9) - 1.0);
    return std::fabs(obtained - expected) / (unit + kRounding);
  };
  for (const Row& row : table) {
    test::Largest units;
    for (std::size_t i = 0; i < kSteps.size(); ++i) {
      if (row.x.at(i) == kUnstable) {
        RigidLink link = row.link;
        link.H = kSteps.at(i);
        EXPECT_GT(spectralRadius(link), 1.0) << row.figure;
        continue;
      }
      const Errors errors = errorsOf(row.link, kSteps.at(i));
      units.see(unitsFrom(row.x.at(i), errors.x), unitsFrom(row.v.at(i), errors.v));
    }
    showAtMost({"lu R23", row.figure, "relative RMS errors of x1, v1 within 1 in the last digit"}, units, 1.0);
  }
}

TEST(RigidLink, ErrorsFallWithThePowersOfTheStepThatTheMethodsPromise) {
  struct Range {
    double least, most;
  };
  constexpr Range kNotSaid{-HUGE_VAL, HUGE_VAL};
  constexpr auto kOrder = [](double order) { return Range{order, order}; };
  struct Row {
    const char* figure;
    RigidLink link;
    double coarse, fine;  // s
    Range x, v, lambda, lambdaInTheMiddle, position, velocity;
  };
  const Range zero = kNotSaid;  // defects are rounding, see the test of defects
  const std::vector<Row> table{
      {"orders-index-3", baumgarte(0, 0), 5e-3, 1e-3, kOrder(4), kOrder(2), kOrder(1), kOrder(1), zero, kOrder(2)},
      {"orders-index-2", baumgarte(2e-3, 0), 1e-3, 1e-4, kOrder(2), kOrder(2), kOrder(1), kOrder(2), kOrder(2),
       kOrder(2)},
      {"orders-index-1-0.1", baumgarte(0.2, 1e-2), 1e-3, 1e-4, kOrder(1), kOrder(1), kOrder(1), kOrder(1), kOrder(1),
       kOrder(1)},
      {"orders-index-1-0.01", baumgarte(0.02, 1e-4), 1e-3, 1e-4, kOrder(1), kOrder(1), kOrder(1), kOrder(1), kOrder(1),
       kOrder(1)},
      {"orders-index-1-k1", baumgarte(2e-3, 1e-6, 1), 1e-3, 1e-4, kOrder(2), kOrder(2), kOrder(2), kNotSaid, kOrder(2),
       kOrder(2)},
      {"orders-method-2-10", weightedMultipliers(1, 0), 1e-3, 1e-4, kOrder(3), kOrder(2), kOrder(1), kOrder(1.5),
       kOrder(3), kOrder(2)},
      {"orders-method-2-11", weightedMultipliers(1, 1), 1e-3, 1e-4, kOrder(3), kOrder(2), kOrder(1), kOrder(1.5),
       kOrder(3), kOrder(2)},
      {"orders-method-2-11-k1",
       weightedMultipliers(1, 1, 1),
       5e-3,
       1e-3,
       kOrder(4),
       {3.5, 4.0},
       kOrder(2),
       kNotSaid,
       kOrder(4),
       kOrder(3)},
      {"orders-method-3", stabilisedIndex2(), 1e-3, 1e-4, kOrder(2), kOrder(2), kOrder(1), kOrder(2), zero, zero},
      {"orders-method-3-0.9", stabilisedIndex2(0.9), 1e-3, 1e-4, kOrder(2), kOrder(2), kOrder(1), kOrder(1.5),
       kOrder(3), kOrder(2)},
      {"orders-method-3-0.9-k1",
       stabilisedIndex2(0.9, 1),
       1e-3,
       1e-4,
       kOrder(2),
       kOrder(2),
       {1.5, 2.0},
       kNotSaid,
       kOrder(3),
       kOrder(2)}};
  for (const Row& row : table) {
    const auto coarse = errorsOf(row.link, row.coarse).all();
    const auto fine = errorsOf(row.link, row.fine).all();
    const std::array ranges{row.x, row.v, row.lambda, row.lambdaInTheMiddle, row.position, row.velocity};
    std::string demanded;
    std::string obtained;
    bool holds = true;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const auto [least, most] = ranges.at(i);
      if (std::isinf(least)) continue;
      const double order = std::log(coarse.at(i) / fine.at(i)) / std::log(row.coarse / row.fine);
      constexpr std::array kNames{"x", "v", "lambda", "lambda in the middle", "g", "g'"};
      demanded += fmt::format("{}{} {}", demanded.empty() ? "" : ", ", kNames.at(i), least);
      if (most > least) demanded += fmt::format("-{}", most);
      obtained += fmt::format("{}{:.2f}", obtained.empty() ? "" : ", ", order);
      holds = holds && order >= least - 0.15 && order <= most + 0.15;
    }
    showFigure({"lu R23", row.figure, "+-0.15: " + demanded}, obtained, holds);
  }
}

TEST(RigidLink, MethodOneOfIndexOneLosesAnOrder) {
  const RigidLink link = baumgarte(0.2, 1e-2);
  const double order = std::log10(errorsOf(link, 1e-3).x / errorsOf(link, 1e-4).x);
  showFigure({"lu R23", "order-loss", "order of x at most 1.1 for tau = 0.1 s, k = 0"}, fmt::format("{:.3f}", order),
             order <= 1.1);
}

TEST(RigidLink, DefectsAreSmallAndDoNotGrowWithTime) {
  struct Row {
    const char* figure;
    RigidLink link;
    double position, velocity;
    double units;  // of the last digit, m and m/s
    double unitsOfVelocity;
  };
  for (const Row& row : {Row{"defects-index-2", baumgarte(2e-3, 0.0), 7.0e-6, 3.5e-3, 1e-7, 1e-4},
                         Row{"defects-index-1", baumgarte(2e-3, 1e-6), 2.9e-5, 5.5e-3, 1e-6, 1e-4},
                         Row{"defects-method-2", weightedMultipliers(1.0, 1.0), 1.55e-5, 5.4e-3, 1e-7, 1e-4},
                         Row{"defects-index-3", baumgarte(0.0, 0.0), 0.0, 7.7e-3, 1e-14, 1e-4}}) {
    const Errors errors = errorsOf(row.link, 1e-3);
    showFigure({"lu R23", row.figure, fmt::format("largest defects {} m, {} m/s", row.position, row.velocity)},
               fmt::format("{:.3g} m, {:.3g} m/s", double(errors.position), double(errors.velocity)),
               std::fabs(errors.position - row.position) <= row.units &&
                   std::fabs(errors.velocity - row.velocity) <= row.unitsOfVelocity);
    const Motion motion = simulate(row.link);
    const auto largestDefect = [&](double from, double to) {
      test::Largest largest;
      for (std::size_t i = motion.at(from); i <= motion.at(to); ++i)
        largest.see(std::fabs(motion.v2[i] - motion.v1[i]));
      return largest;
    };
    EXPECT_LT(largestDefect(0.5, 1.0), largestDefect(0.0, 0.5)) << row.figure;
  }
}

TEST(RigidLink, MethodThreeMeetsPositionsAndVelocitiesAtEveryMacroPoint) {
  test::Largest position;
  test::Largest velocity;
  for (const double H : {1e-2, 5e-3, 1e-3, 1e-4}) {
    const Errors errors = errorsOf(stabilisedIndex2(), H);
    position.see(errors.position);
    velocity.see(errors.velocity);
  }
  showAtMost({"lu R17", "position", "|x2 - x1| at most 1e-12 m"}, position, 1e-12);
  showAtMost({"lu R17", "velocity", "|v2 - v1| at most 1e-11 m/s"}, velocity, 1e-11);
}

TEST(RigidLink, RelaxationOfAllIsThatOfMultipliersWhereThereIsNothingElse) {
  RigidLink link = stabilisedIndex2(0.9, 1);
  const Motion multipliers = simulate(link);
  link.settings.relaxed = coupling::Relaxed::all;
  const Motion all = simulate(link);
  EXPECT_EQ(all.x1, multipliers.x1);
  EXPECT_EQ(all.lambda, multipliers.lambda);
  link.settings.relaxation = 1.0;
  EXPECT_NE(simulate(link, 0.1).lambda.back(), all.lambda[all.at(0.1)]);
}

TEST(RigidLink, MethodOneIsMethodTwoWithOtherWeights) {
  const auto G = [](const RigidLink& link) {
    const TwoMasses& p = link.masses;
    const std::vector<double> w = endPolynomial(link.degree);
    const Response first = responseTo(p.m1, p.c1, p.d1, link.H, w);
    const Response second = responseTo(p.m2, p.c2, p.d2, link.H, w);
    return Response{-first.x - second.x, -first.v - second.v, -first.a - second.a};
  };
  test::Largest largest;
  for (const unsigned degree : {0U, 1U})
    for (const double tau : {1e-2, 1e-3}) {
      const RigidLink method1 = baumgarte(2.0 * tau, tau * tau, degree);
      const Response g = G(method1);
      const RigidLink method2 = weightedMultipliers(*method1.beta * g.v / g.x, method1.gamma * g.a / g.x, degree);
      const Motion first = simulate(method1);
      const Motion second = simulate(method2);
      largest.see(relativeDistance(first, second), relativeDistance(first.lambda, second.lambda));
    }
  showAtMost({"lu R16", "equality", "x, v, lambda over 1 s equal to 1e-12, k = 0, 1"}, largest, 1e-12);
}

TEST(RigidLink, EveryMemberRunsTwiceAndOncePerMultiplier) {
  for (const bool formulas : {false, true}) {
    bool all = true;
    std::string counts;
    for (RigidLink link : {baumgarte(2e-3, 1e-6), weightedMultipliers(1.0, 1.0), stabilisedIndex2()}) {
      if (formulas) link.settings.sensitivities = coupling::SensitivityKind::formulas;
      const double expected =
          formulas ? 2.0 : (link.method == coupling::ConstraintMethod::stabilisedIndex2 ? 4.0 : 3.0);
      const Motion motion = simulate(link, 0.1);
      for (const std::size_t member : {0U, 1U}) {
        const double perStep = static_cast<double>(motion.statistics.members[member].step.count) /
                               static_cast<double>(motion.statistics.acceptedSteps);
        all = all && perStep == expected;
        counts += fmt::format("{}{}", counts.empty() ? "" : (member == 0 ? ", " : " + "), perStep);
      }
    }
    showFigure({"lu R8", formulas ? "rigid-formulas" : "rigid",
                formulas ? "2 + 2 in methods 1, 2, 3" : "3 + 3 in methods 1, 2; 4 + 4 in method 3"},
               counts, all);
  }
}

TEST(RigidLink, TwoLinksBetweenTheSameMassesAreNamedAsRedundant) {
  // Where accelerations are told it shows in the multipliers at the start, else in the first step.
  for (const bool accelerations : {true, false}) {
    std::string messages;
    bool named = true;
    for (const RigidLink& link :
         {baumgarte(0.0, 0.0), baumgarte(2e-3, 0.0), weightedMultipliers(1.0, 0.0), stabilisedIndex2()}) {
      coupling::System system = systemOf(link);
      addRigidLink(system, link, "another");
      if (!accelerations)
        for (coupling::Constraint& constraint : system.constraints) constraint.acceleration.reset();
      const Motion motion = simulate(std::move(system), settingsOf(link, 0.1));
      EXPECT_EQ(motion.t.size() > 0, !accelerations);
      const std::string& message = motion.outcome.message;
      named = named && !motion.outcome.ok() &&
              (message.starts_with("The joints joint, another are redundant at 0 s") ||
               message.starts_with("The joints another, joint are redundant at 0 s"));
      messages = message.substr(0, message.find(':'));
    }
    showFigure({"lu R7", accelerations ? "redundant-start" : "redundant-step",
                "an error that names the joints 'joint' and 'another' in methods 1, 2, 3"},
               messages, named);
  }
}

}  // namespace
}  // namespace koppla::test::rigid_link_test
