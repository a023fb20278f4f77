// The estimated coupling error of every connection against the true one: the input that was used minus the output of
// its source in the same run, the largest over each step. Subsystems are linear and solved exactly, so that their
// outputs are known at any time in a step.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "koppla/native/linear_state_space.hpp"
#include "koppla/run/run.hpp"
#include "koppla/solver/integrate.hpp"
#include "koppla/subsystem/detail/wrapper.hpp"
#include "koppla/subsystem/subdivided.hpp"

#include "support/formula_subsystem.hpp"

namespace koppla::run::true_errors_test {
namespace {

using coupling::AlgorithmKind;
using subsystem::Step;
using subsystem::Trajectory;

constexpr int kPoints = 16;  // in a macro step

/// What was seen of one member, by macro step and point; of an input the end of one piece and the beginning of the
/// next.
struct Seen {
  std::map<std::pair<long, int>, std::array<double, 2>> input;
  std::map<std::pair<long, int>, double> output;
};

/// Notes what a member with one input and one output is sent and does inside its steps.
class Watched final : public subsystem::detail::Wrapper {
 public:
  Watched(std::unique_ptr<Subsystem> inner, double macroStep, unsigned taken, Seen& seen)
      : Wrapper(std::move(inner)), macroStep_(macroStep), seen_(seen) {
    description().capabilities.inputDerivatives = taken;
    description().capabilities.outputDerivatives = 0;
  }

  subsystem::StepResult advance(const Step& step, Trajectory u, std::span<double> y) override {
    const std::vector<double> before = inner().states();
    const auto macro = static_cast<long>(std::floor(step.t0 / macroStep_ + 1e-6));
    const double h = step.t1 - step.t0;
    for (int k = 0; k <= kPoints; ++k) {
      const double s = ((static_cast<double>(macro) + static_cast<double>(k) / kPoints) * macroStep_ - step.t0) / h;
      if (s < -1e-6 || s > 1.0 + 1e-6) continue;
      note(macro, k, std::clamp(s, 0.0, 1.0), step, u);
      inner().setStates(before);
    }
    return inner().advance(step, u, y);
  }

 private:
  void note(long macro, int k, double s, const Step& step, Trajectory u) {
    if (u.count > 0) {
      std::array<double, 2>& sides = seen_.input[{macro, k}];
      const bool betweenPieces = k > 0 && k < kPoints && (s < 1e-6 || s > 1.0 - 1e-6);
      if (betweenPieces)
        sides.at(s < 0.5 ? 1 : 0) = u.value(0, s);
      else
        sides.fill(u.value(0, s));
    }
    if (s <= 1e-6 && k > 0) return;  // the end of the piece before
    std::vector<double> part(u.coefficients, u.coefficients + std::size_t{u.count} * (u.degree + 1));
    for (std::uint32_t power = 1; power <= u.degree; ++power)
      for (std::uint32_t i = 0; i < u.count; ++i) part[power * u.count + i] *= std::pow(s, power);
    std::array<double, 1> y{};
    const double t = step.t0 + std::fmax(s, 1e-9) * (step.t1 - step.t0);
    inner().advance({step.t0, t, false}, {part.data(), u.count, u.degree}, y);
    seen_.output[{macro, k}] = y[0];
  }

  double macroStep_;
  Seen& seen_;
};

using Matrix = std::vector<std::vector<double>>;

/// One input u, one output y, no feed-through.
native::LinearStateSpace model(Matrix A, Matrix B, Matrix C, std::vector<double> x0) {
  return {.inputs = {"u"}, .outputs = {"y"}, .A = std::move(A), .B = std::move(B), .C = std::move(C), .x0 = x0};
}

native::LinearStateSpace mass() {  // v' = F
  return model({{0.0}}, {{1.0}}, {{1.0}}, {1.0});
}
native::LinearStateSpace spring() {  // F' = -9 v
  return model({{0.0}}, {{-9.0}}, {{1.0}}, {0.0});
}
native::LinearStateSpace damped() {  // x'' = -4 x - 0.4 x' + u
  return model({{0.0, 1.0}, {-4.0, -0.4}}, {{0.0}, {1.0}}, {{1.0, 0.0}}, {1.0, 0.0});
}
native::LinearStateSpace lag() {
  return model({{-2.0}}, {{2.0}}, {{-1.0}}, {0.5});
}

struct Case {
  AlgorithmKind kind = AlgorithmKind::jacobi;
  unsigned degree = 0;
  unsigned taken = subsystem::kMaxDegree;
  double microStep = 0.0;
  double rtol = 1e-5;
  bool doubles = false;  ///< every step is done as two halves as well, which are kept
};

struct Compared {
  std::string what;
  double ofRms;
  double ofLargest;
};

std::unique_ptr<subsystem::Subsystem> member(const native::LinearStateSpace& model, const Case& c, double H,
                                             Seen& seen) {
  std::unique_ptr<subsystem::Subsystem> made =
      solver::integrate(native::linearStateSpace(model), {.kind = solver::Kind::exact});
  made = std::make_unique<Watched>(std::move(made), H, c.taken, seen);
  return c.microStep > 0.0 ? subsystem::subdivide(std::move(made), c.microStep) : std::move(made);
}

double truth(const Seen& source, const Seen& consumer, bool rms) {
  std::map<long, double> perStep;
  for (const auto& [place, sides] : consumer.input)
    for (const double used : sides)
      perStep[place.first] = std::fmax(perStep[place.first], std::fabs(used - source.output.at(place)));
  double sum = 0.0;
  double largest = 0.0;
  for (const auto& [step, error] : perStep) {
    sum += error * error;
    largest = std::fmax(largest, error);
  }
  return rms ? std::sqrt(sum / static_cast<double>(perStep.size())) : largest;
}

std::vector<Compared> compare(const native::LinearStateSpace& first, const native::LinearStateSpace& second,
                              const Case& c) {
  const double H = 0.02;
  Seen a;
  Seen b;
  coupling::System system;
  system.members.push_back({"a", member(first, c, H, a), {}});
  system.members.push_back({"b", member(second, c, H, b), {}});
  test::connect(system, {{"a.y", "b.u"}, {"b.y", "a.u"}});
  system.order = {0, 1};
  Settings settings;
  settings.end = 1.0;
  settings.step = H;
  settings.algorithm.kind = c.kind;
  settings.algorithm.degree = c.degree;
  settings.algorithm.rtol = c.rtol;
  if (c.doubles) {
    settings.stepControl.kind = stepping::StepControlKind::doubleStep;
    settings.stepControl.rtol = 1e3;  // all steps pass
    settings.stepControl.maxStep = H;
  }
  core::Log log;
  Run run(std::move(system), settings, log);
  Outcome outcome = run.initialise();
  if (outcome.ok()) outcome = run.simulate();
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  std::vector<Compared> result;
  for (const ConnectionStatistics& connection : run.statistics().connections) {
    const bool forward = connection.from == "a.y";
    const Seen& source = forward ? a : b;
    const Seen& consumer = forward ? b : a;
    result.push_back({connection.from, connection.rms / truth(source, consumer, true),
                      connection.largest / truth(source, consumer, false)});
  }
  return result;
}

std::string describe(const Case& c) {
  return "algorithm " + std::to_string(static_cast<int>(c.kind)) + ", degree " + std::to_string(c.degree) + ", taken " +
         std::to_string(c.taken) + ", micro step " + std::to_string(c.microStep) + ", rtol " + std::to_string(c.rtol);
}

/// Trivial start-up included, in whose steps nothing but differences of the first values is known.
void expectNear(const Case& c) {
  constexpr double kFactor = 3.5;
  for (const auto& compared : {compare(mass(), spring(), c), compare(damped(), lag(), c)}) {
    ASSERT_EQ(compared.size(), 2U);
    for (const Compared& connection : compared)
      for (const double ratio : {connection.ofRms, connection.ofLargest}) {
        EXPECT_GT(ratio, 1.0 / kFactor) << describe(c) << ": " << connection.what;
        EXPECT_LT(ratio, kFactor) << describe(c) << ": " << connection.what;
      }
  }
}

TEST(TrueErrors, AreMetByTheEstimatesOfExplicitAlgorithms) {
  for (const AlgorithmKind kind : {AlgorithmKind::jacobi, AlgorithmKind::gaussSeidel})
    for (const unsigned degree : {0U, 1U, 2U, 3U, 4U}) expectNear({.kind = kind, .degree = degree});
}

/// With a loose tolerance what iterations leave open is larger than what interpolation is off.
TEST(TrueErrors, AreMetByTheEstimatesOfImplicitAlgorithms) {
  for (const AlgorithmKind kind : {AlgorithmKind::iteratedGaussSeidel, AlgorithmKind::iteratedJacobi,
                                   AlgorithmKind::newton, AlgorithmKind::semiImplicit})
    for (const unsigned degree : {0U, 1U, 3U})
      for (const double rtol : {1e-3, 1e-5, 1e-10}) expectNear({.kind = kind, .degree = degree, .rtol = rtol});
}

/// Who takes values only, or lines, is off by the distance to the course that it cannot follow.
TEST(TrueErrors, AreMetWhereInputsAreFitted) {
  for (const AlgorithmKind kind : {AlgorithmKind::jacobi, AlgorithmKind::gaussSeidel, AlgorithmKind::newton})
    for (const unsigned degree : {1U, 2U, 3U}) {
      expectNear({.kind = kind, .degree = degree, .taken = 0});
      expectNear({.kind = kind, .degree = degree, .taken = 0, .microStep = 0.005});
      expectNear({.kind = kind, .degree = degree, .taken = 1});
    }
}

TEST(TrueErrors, AreMetWhereStepsAreHalvedToBeTested) {
  for (const unsigned degree : {0U, 1U, 2U}) {
    Case c{.degree = degree};
    c.doubles = true;
    expectNear(c);
  }
}

}  // namespace
}  // namespace koppla::run::true_errors_test
