// The default start-up: order p + 1 for every degree p, where members take short steps; else what is said of it. Two
// problems with closed forms: an LC circuit and a damped pair with feed-through. Schmoll's oscillator is in
// tests/multirate/start_up_test.cpp.

#include <atomic>
#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/native/linear_state_space.hpp"
#include "koppla/solver/integrate.hpp"
#include "koppla/subsystem/detail/wrapper.hpp"

#include "fmu_system.hpp"
#include "support/extremes.hpp"

namespace koppla::run::full_order_test {
namespace {

using coupling::AlgorithmKind;
using coupling::StartUp;
using subsystem::Capabilities;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// x' = a x + u, y = x + d u, solved exactly.
struct Lag {
  double a;
  double d = 0.0;
  double x0 = 0.0;
};

/// Two of them; what each delivers goes to the other with a factor: u1 = toFirst y2, u2 = toSecond y1. The second has
/// no feed-through, so that x' = M x.
struct Pair {
  Lag first;
  Lag second;
  double toFirst;
  double toSecond;

  /// exp(M t) x0 of a matrix with complex eigenvalues s +- i w: e^(s t) (cos(w t) I + sin(w t) / w (M - s I)) x0.
  [[nodiscard]] std::pair<double, double> at(double t) const {
    const double m11 = first.a;
    const double m12 = toFirst;
    const double m21 = toSecond;
    const double m22 = second.a + toSecond * first.d * toFirst;
    const double s = (m11 + m22) / 2.0;
    const double w = std::sqrt(m11 * m22 - m12 * m21 - s * s);
    const double grown = std::exp(s * t);
    const auto component = [&](double own, double rate) {
      return grown * (std::cos(w * t) * own + std::sin(w * t) / w * (rate - s * own));
    };
    const double x1 = component(first.x0, m11 * first.x0 + m12 * second.x0);
    const double x2 = component(second.x0, m21 * first.x0 + m22 * second.x0);
    return {x1 + first.d * toFirst * x2, x2};
  }
};

/// Current and voltage: L i' = u, C u' = -i with L = C = 1.
const Pair kCircuit{{0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 1.0, -1.0};
/// The first one's output depends on its input at once.
const Pair kDamped{{-1.0, 0.1, 1.0}, {-2.0, 0.0, 0.5}, 1.0, -1.0};

/// The same as far as it can.
class Limited final : public subsystem::detail::Wrapper {
 public:
  Limited(std::unique_ptr<Subsystem> inner, const std::function<void(Capabilities&)>& limit)
      : Wrapper(std::move(inner)) {
    limit(description().capabilities);
  }
  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) override {
    EXPECT_LE(u.degree, describe().capabilities.inputDerivatives);
    return inner().advance(step, u, y);
  }
};

std::unique_ptr<subsystem::Subsystem> member(const Lag& lag, const std::function<void(Capabilities&)>& limit) {
  native::LinearStateSpace model{.inputs = {"u"}, .outputs = {"y"}};
  model.A = {{lag.a}};
  model.B = {{1.0}};
  model.C = {{1.0}};
  model.D = {{lag.d}};
  model.x0 = {lag.x0};
  auto solved = solver::integrate(native::linearStateSpace(model), {.kind = solver::Kind::exact});
  if (!limit) return solved;
  return std::make_unique<Limited>(std::move(solved), limit);
}

coupling::System systemOf(const Pair& pair, const std::function<void(Capabilities&)>& limit = {}) {
  coupling::System system;
  system.members.push_back({"first", member(pair.first, limit), {}});
  system.members.push_back({"second", member(pair.second, limit), {}});
  koppla::test::connect(system, {{"second.y", "first.u", pair.toFirst}, {"first.y", "second.u", pair.toSecond}});
  return system;
}

Settings settingsOf(AlgorithmKind kind, unsigned degree, double H) {
  Settings settings;
  settings.end = 2.0;
  settings.step = H;
  settings.algorithm.kind = kind;
  settings.algorithm.degree = degree;
  settings.algorithm.rtol = 1e-13;
  return settings;
}

struct Done {
  std::vector<double> times;
  std::vector<double> first;
  std::vector<double> second;
  Statistics statistics;
  std::vector<std::string> warnings;
  std::vector<std::string> infos;
};

Done simulate(coupling::System system, const Settings& settings) {
  Done done;
  core::Log log;
  log.addSink([&done](core::Severity severity, std::string_view, std::string_view message) {
    (severity == core::Severity::warning ? done.warnings : done.infos).emplace_back(message);
  });
  koppla::test::MemoryRecorder rows;
  run::Run run(std::move(system), settings, log, &rows);
  EXPECT_TRUE(run.initialise().ok());
  EXPECT_TRUE(run.simulate().ok());
  done.times = rows.times;
  done.first = rows.of("first.y");
  done.second = rows.of("second.y");
  done.statistics = run.statistics();
  return done;
}

/// The largest in both outputs, at all communication points, the first ones included.
double errorOf(const Pair& pair, const Done& done) {
  koppla::test::Largest largest;
  for (std::size_t row = 0; row < done.times.size(); ++row) {
    const auto [first, second] = pair.at(done.times[row]);
    largest.see(std::fabs(done.first[row] - first), std::fabs(done.second[row] - second));
  }
  return largest;
}

double orderOf(const Pair& pair, AlgorithmKind kind, unsigned degree,
               const std::function<void(Capabilities&)>& limit = {}) {
  constexpr double kH = 0.025;
  const auto error = [&](double H) {
    return errorOf(pair, simulate(systemOf(pair, limit), settingsOf(kind, degree, H)));
  };
  return std::log2(error(kH) / error(kH / 2.0));
}

TEST(FullOrder, HasEveryDegreeOfExplicitCoupling) {
  for (const AlgorithmKind kind : {AlgorithmKind::jacobi, AlgorithmKind::gaussSeidel})
    for (const Pair* pair : {&kCircuit, &kDamped})
      for (unsigned p = 0; p <= 5; ++p)
        EXPECT_NEAR(orderOf(*pair, kind, p), p + 1.0, 0.2) << p << (pair == &kCircuit ? " circuit" : " damped");
}

TEST(FullOrder, HasEveryDegreeOfIteratedCoupling) {
  for (const AlgorithmKind kind : {AlgorithmKind::newton, AlgorithmKind::iteratedJacobi, AlgorithmKind::semiImplicit})
    for (unsigned p = 1; p <= 5; ++p) EXPECT_NEAR(orderOf(kDamped, kind, p), p + 1.0, 0.2) << p;
}

/// Nobody who looks at the results sees the steps inside macro steps, nor do those who count macro steps.
TEST(FullOrder, IsReachedBetweenCommunicationPoints) {
  constexpr unsigned kShort = 15 * 3;  // degree 3: p (m + 1) with m = 14, in place of 3
  const Done done = simulate(systemOf(kCircuit), settingsOf(AlgorithmKind::jacobi, 3, 0.25));
  EXPECT_THAT(done.times, ElementsAre(0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0));
  EXPECT_EQ(done.statistics.acceptedSteps, 8U);
  EXPECT_EQ(done.statistics.smallestStep, 0.25);
  EXPECT_EQ(done.statistics.largestStep, 0.25);
  EXPECT_EQ(done.statistics.algorithm.count, 8U - 3U + kShort);
  EXPECT_EQ(done.statistics.members[0].step.count, 8U - 3U + kShort);
  EXPECT_THAT(done.warnings, IsEmpty());
}

TEST(FullOrder, NeedsNothingWhereNoPastIsNeeded) {
  const auto solutions = [](AlgorithmKind kind, unsigned degree) {
    return simulate(systemOf(kCircuit), settingsOf(kind, degree, 0.25)).statistics.algorithm.count;
  };
  EXPECT_EQ(solutions(AlgorithmKind::jacobi, 0), 8U);
  for (const unsigned p : {1U, 2U}) EXPECT_EQ(solutions(AlgorithmKind::newton, p), 8U) << "interpolation has order 3";
}

/// y = cos t with equal steps: extrapolation of degree p is off by H^(p+1) at the end of a step, the largest derivative
/// being 1. A first step of degree 0 would be off by H.
TEST(FullOrder, LeavesAnEstimateOfTheStepsThatFollow) {
  constexpr double kH = 0.05;
  for (unsigned p = 1; p <= 4; ++p) {
    const Statistics statistics = simulate(systemOf(kCircuit), settingsOf(AlgorithmKind::jacobi, p, kH)).statistics;
    for (const ConnectionStatistics& connection : statistics.connections)
      EXPECT_NEAR(connection.largest / std::pow(kH, p + 1.0), 1.0, 0.1) << connection.from << ' ' << p;
  }
}

TEST(FullOrder, IsToldWhereStepsHaveOneLength) {
  const auto limit = [](Capabilities& capabilities) { capabilities.variableStep = false; };
  const auto warnings = [&](AlgorithmKind kind, unsigned degree) {
    return simulate(systemOf(kCircuit, limit), settingsOf(kind, degree, 0.25)).warnings;
  };
  EXPECT_THAT(
      warnings(AlgorithmKind::jacobi, 3),
      ElementsAre("start-up: the first steps cannot be short, since these subsystems take steps of one length only: "
                  "first, second. So they have polynomials of lower degrees, and the coupling is of order 2, not 4 as "
                  "algorithm.degree = 3 promises. Choose algorithm.degree = 1, which has that order too, or, where the "
                  "exact solution is known, algorithm.start_up = \"analytic\"."));
  EXPECT_THAT(warnings(AlgorithmKind::newton, 4), ElementsAre(HasSubstr("is of order 3, not 5")));
  EXPECT_THAT(warnings(AlgorithmKind::jacobi, 1), IsEmpty());
  EXPECT_THAT(warnings(AlgorithmKind::newton, 2), IsEmpty());
  EXPECT_NEAR(orderOf(kCircuit, AlgorithmKind::jacobi, 4, limit), 2.0, 0.2);
  EXPECT_NEAR(orderOf(kCircuit, AlgorithmKind::newton, 4, limit), 3.0, 0.2);
}

/// Means of polynomials, straight lines and parabolas in their place: how far that is from the whole polynomials.
TEST(FullOrder, IsToldWhereInputsAreOfALowerDegree) {
  for (const auto& [taken, order] : {std::pair(0U, 2), std::pair(1U, 2), std::pair(2U, 4), std::pair(3U, 4)}) {
    const auto limit = [taken](Capabilities& capabilities) { capabilities.inputDerivatives = taken; };
    const auto difference = [&](double H) {
      const Settings settings = settingsOf(AlgorithmKind::jacobi, 5, H);
      return simulate(systemOf(kCircuit, limit), settings).first.back() -
             simulate(systemOf(kCircuit), settings).first.back();
    };
    EXPECT_NEAR(std::log2(difference(0.1) / difference(0.05)), order, 0.2) << taken;
    const Done done = simulate(systemOf(kCircuit, limit), settingsOf(AlgorithmKind::jacobi, 5, 0.25));
    EXPECT_THAT(done.infos, Contains(HasSubstr(fmt::format(", and the coupling is of order {}, not 6.", order))))
        << taken;
  }
}

TEST(FullOrder, IsNotForProgramsWhoseStepsAreCalls) {
  const auto limit = [](Capabilities& capabilities) { capabilities.ownProcess = true; };
  const Done done = simulate(systemOf(kCircuit, limit), settingsOf(AlgorithmKind::jacobi, 2, 0.25));
  EXPECT_EQ(done.statistics.algorithm.count, 8U);
  EXPECT_THAT(done.warnings,
              ElementsAre(AllOf(HasSubstr("a call of a program: first, second."), HasSubstr("order 2, not 3"))));
}

TEST(FullOrder, IsKeptWithSlopes) {
  const auto error = [](unsigned degree, double H) {
    Settings settings = settingsOf(AlgorithmKind::jacobi, degree, H);
    settings.algorithm.samples = coupling::Samples::valuesAndSlopes;
    return errorOf(kCircuit, simulate(systemOf(kCircuit), settings));
  };
  for (unsigned p = 1; p <= 4; ++p) EXPECT_NEAR(std::log2(error(p, 0.05) / error(p, 0.025)), p + 1.0, 0.2) << p;
}

/// Refuses to go past an instant in one step, or asks to end there.
class Border final : public subsystem::detail::Wrapper {
 public:
  Border(std::unique_ptr<Subsystem> inner, double border, bool asks)
      : Wrapper(std::move(inner)), border_(border), asks_(asks) {}
  void enterInitialisation(const subsystem::Experiment& experiment) override {
    ending_ = experiment.ending;
    Wrapper::enterInitialisation(experiment);
  }
  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) override {
    if (!asks_ && step.t0 < border_ && border_ < step.t1) return {subsystem::Status::discard, border_};
    ends_ = asks_ && step.t1 >= border_;
    if (ends_) *ending_ = true;
    return inner().advance(step, u, y);
  }
  [[nodiscard]] bool asksToEnd() const override { return ends_; }

 private:
  double border_;
  bool asks_;
  bool ends_ = false;
  std::atomic<bool>* ending_ = nullptr;
};

coupling::System withBorder(double border, bool asks) {
  coupling::System system = systemOf(kCircuit);
  system.members[0].subsystem = std::make_unique<Border>(std::move(system.members[0].subsystem), border, asks);
  return system;
}

/// All go to where it got, then on; that point is none of theirs who look at macro steps.
TEST(FullOrder, SurvivesADiscardedStep) {
  Settings settings = settingsOf(AlgorithmKind::jacobi, 3, 0.25);
  settings.onDiscard = OnDiscard::shorten;
  const Done discarded = simulate(withBorder(0.1, false), settings);
  const Done smooth = simulate(systemOf(kCircuit), settings);
  EXPECT_EQ(discarded.statistics.discardedSteps, 1U);
  EXPECT_EQ(discarded.statistics.acceptedSteps, 8U);
  EXPECT_THAT(discarded.times, ElementsAre(0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0));
  EXPECT_LT(errorOf(kCircuit, discarded), 1.5 * errorOf(kCircuit, smooth));
}

/// A run that ends inside its first macro step has its last row there.
TEST(FullOrder, EndsWhereAMemberAsks) {
  const Done done = simulate(withBorder(0.1, true), settingsOf(AlgorithmKind::jacobi, 2, 0.25));
  EXPECT_THAT(done.times, ElementsAre(0.0, 0.125)) << "the first short step that reaches 0.1 s";
}

TEST(FullOrder, CanBeInterruptedOnItsWay) {
  core::Log log;
  koppla::test::MemoryRecorder rows;
  run::Run run(systemOf(kCircuit), settingsOf(AlgorithmKind::jacobi, 2, 0.25), log, &rows);
  ASSERT_TRUE(run.initialise().ok());
  run.interrupt();
  const Outcome outcome = run.simulate();
  EXPECT_EQ(outcome.kind, OutcomeKind::interrupted);
  EXPECT_THAT(outcome.message, HasSubstr("during start-up."));
  EXPECT_EQ(rows.times.size(), 1U) << "no row inside a macro step";
}

}  // namespace
}  // namespace koppla::run::full_order_test
