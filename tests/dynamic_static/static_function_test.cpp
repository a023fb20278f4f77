// A static subsystem as a function: what is called when, with which increments, on which threads.

#include "koppla/solver/static_function.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/solver/integrate.hpp"
#include "koppla/solver/join.hpp"
#include "koppla/subsystem/detail/wrapper.hpp"

#include "support/figure.hpp"
#include "support/formula_subsystem.hpp"
#include "support/message_of.hpp"

namespace koppla::test::static_function_test {
namespace {

using solver::StaticCoupling;
using solver::StaticFunction;
using solver::Visit;

using Output = std::function<std::vector<double>(const std::vector<double>&, double, const std::vector<double>&)>;

/// y1 = u1 u2, y2 = u1 - u2, unless another function is given.
std::unique_ptr<subsystem::Subsystem> product(Output output = {}) {
  Formula formula;
  formula.inputs = {"u1", "u2"};
  formula.outputs = {"y1", "y2"};
  formula.output = output ? std::move(output) : [](const auto&, double, const auto& u) {
    return std::vector<double>{u[0] * u[1], u[0] - u[1]};
  };
  return makeSubsystem(std::move(formula));
}

std::vector<std::unique_ptr<subsystem::Subsystem>> instancesOf(std::size_t count, const Output& output = {}) {
  std::vector<std::unique_ptr<subsystem::Subsystem>> instances;
  for (std::size_t i = 0; i < count; ++i) instances.push_back(product(output));
  return instances;
}

std::unique_ptr<StaticFunction> function(StaticCoupling coupling, std::size_t instances = 3, const Output& output = {},
                                         std::size_t threads = 1) {
  auto made = instancesOf(instances, output);
  const subsystem::Description& description = made.front()->describe();
  std::vector<subsystem::PortIndex> inputs{*description.find("u1"), *description.find("u2")};
  auto result = std::make_unique<StaticFunction>("part", std::move(made), std::move(inputs),
                                                 solver::StaticSettings{.coupling = coupling, .threads = threads});
  result->begin({0.0, 1.0, {}});
  return result;
}

std::vector<double> at(StaticFunction& function, double u1, double u2) {
  const std::vector<double> u{u1, u2};
  const std::span<const double> y = function.values(0.0, u);
  return {y.begin(), y.end()};
}

void call(StaticFunction& function, Visit visit, double u1, double u2) {
  const std::vector<double> u{u1, u2};
  if (function.visit(visit)) function.call(visit, 0.0, u);
}

enum class Comes : std::uint8_t { atOnce, withTheEndOfInitialisation, inSteps };

/// Its outputs are 0 until they come.
class Late final : public subsystem::detail::Wrapper {
 public:
  Late(std::unique_ptr<Subsystem> inner, Comes comes) : Wrapper(std::move(inner)), comes_(comes) {}
  subsystem::Status evaluate(double t, std::span<const double> u, std::span<double> y) override {
    u_.assign(u.begin(), u.end());
    if (comes_ == Comes::atOnce) return inner().evaluate(t, u, y);
    std::ranges::fill(y, 0.0);
    return subsystem::Status::ok;
  }
  subsystem::Status readOutputs(std::span<double> y) override {
    return comes_ == Comes::inSteps ? subsystem::Status::ok : inner().evaluate(0.0, u_, y);
  }
  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) override {
    return inner().advance(step, u, y);
  }

 private:
  Comes comes_;
  std::vector<double> u_;
};

std::unique_ptr<StaticFunction> watched(Comes comes, const Output& output = {}) {
  std::vector<std::unique_ptr<subsystem::Subsystem>> instances;
  instances.push_back(std::make_unique<Late>(product(output), comes));
  const subsystem::Description& description = instances.front()->describe();
  std::vector<subsystem::PortIndex> inputs{*description.find("u1"), *description.find("u2")};
  auto made = std::make_unique<StaticFunction>("part", std::move(instances), std::move(inputs),
                                               solver::StaticSettings{.coupling = StaticCoupling::full});
  made->watchBy(std::make_unique<Late>(product(output), comes));
  made->begin({0.0, 1.0, {}});
  return made;
}

/// As FMUs are.
class ThreadBound final : public subsystem::detail::Wrapper {
 public:
  explicit ThreadBound(std::unique_ptr<Subsystem> wrapped) : Wrapper(std::move(wrapped)) {
    description().capabilities.threadBound = true;
  }
  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) override {
    return inner().advance(step, u, y);
  }
};

TEST(StaticFunction, OneThatMustStayOnItsThreadKeepsTheIntegratorThere) {
  for (const bool bound : {false, true}) {
    std::vector<std::unique_ptr<subsystem::Subsystem>> instances;
    instances.push_back(bound ? std::make_unique<ThreadBound>(product()) : product());
    std::vector<solver::JoinedPart> parts;
    parts.push_back(
        {"part", std::make_unique<StaticFunction>("part", std::move(instances), std::vector<subsystem::PortIndex>{},
                                                  solver::StaticSettings{.coupling = StaticCoupling::full})});
    const auto joined = solver::integrate(solver::join(std::move(parts), {}), {});
    EXPECT_EQ(joined->describe().capabilities.threadBound, bound);
  }
}

/// Outputs that stay at 0 where they should be u1 u2 and u1 - u2.
TEST(StaticFunction, OutputsThatDoNotFollowFromInputsInInitialisationAreAFailure) {
  for (const Comes comes : {Comes::withTheEndOfInitialisation, Comes::inSteps}) {
    const auto made = watched(comes);
    for (int again = 0; again < 2; ++again) {
      const std::string message = messageOf<core::SubsystemError>([&] { at(*made, 4.0, 7.0); });
      EXPECT_THAT(message, ::testing::HasSubstr("'part' cannot be solved inside an integrator"));
      EXPECT_THAT(message, ::testing::HasSubstr("y1, y2 did not answer to a change of u1 = 4, u2 = 7,"));
    }
  }
}

/// y1 = max(u1, 10) at its stop, where it is right to be silent.
TEST(StaticFunction, OutputsThatAreRightNotToChangeAreNone) {
  const Output stopped = [](const auto&, double, const auto& u) {
    return std::vector<double>{std::fmax(u[0], 10.0), u[1]};
  };
  const auto made = watched(Comes::atOnce, stopped);
  EXPECT_EQ(at(*made, 3.0, 5.0)[0], 10.0);
  EXPECT_EQ(at(*made, 4.0, 7.0)[0], 10.0);
  EXPECT_EQ(at(*made, 12.0, 7.0)[0], 12.0);
}

TEST(StaticFunction, IsCalledWhereItsCouplingSaysSo) {
  using enum Visit;
  const std::vector<std::pair<StaticCoupling, std::vector<Visit>>> expected{
      {StaticCoupling::full, {iterate, renewal}},
      {StaticCoupling::lastCorrector, {started, accepted}},
      {StaticCoupling::predictor, {predicted}}};
  for (const auto& [coupling, visits] : expected)
    for (const Visit visit : {started, predicted, iterate, renewal, accepted, held}) {
      const auto made = function(coupling);
      call(*made, visit, 1.0, 2.0);
      EXPECT_EQ(made->calls() > 0, std::ranges::count(visits, visit) > 0) << static_cast<int>(visit);
    }
}

TEST(StaticFunction, IsLinearAroundItsLastCall) {
  for (const std::size_t instances : {1U, 2U, 3U}) {
    const auto made = function(StaticCoupling::predictor, instances);
    call(*made, Visit::predicted, 3.0, 5.0);
    const std::vector<double> y = at(*made, 4.0, 7.0);
    EXPECT_NEAR(y[0], 3.0 * 5.0 + 5.0 * 1.0 + 3.0 * 2.0, 1e-6);  // u1 u2 + u2 du1 + u1 du2, not 4 * 7
    EXPECT_NEAR(y[1], -3.0, 1e-7);
    EXPECT_EQ(made->calls(), 1U) << "probes belong to the call";
  }
}

TEST(StaticFunction, WithoutALinearisationEveryNewInputIsACall) {
  const auto made = function(StaticCoupling::predictor);
  EXPECT_EQ(at(*made, 4.0, 7.0)[0], 28.0);
  EXPECT_EQ(at(*made, 4.0, 7.0)[0], 28.0);
  EXPECT_EQ(made->calls(), 1U);
  EXPECT_EQ(at(*made, 4.0, 8.0)[0], 32.0);
  EXPECT_EQ(made->calls(), 2U);
}

TEST(StaticFunction, WhileTimeIsHeldItIsExactAndKeepsItsLinearisation) {
  const auto made = function(StaticCoupling::lastCorrector);
  call(*made, Visit::accepted, 3.0, 5.0);
  made->visit(Visit::held);
  EXPECT_EQ(at(*made, 4.0, 7.0)[0], 28.0);
  made->visit(Visit::predicted);
  EXPECT_NEAR(at(*made, 4.0, 7.0)[0], 26.0, 1e-6);
}

/// C calls at the end of the last step; what holds time itself must go on from there.
TEST(StaticFunction, TimeIsPartOfALinearisationThatLiesBack) {
  const auto made = function(StaticCoupling::lastCorrector, 1, [](const auto&, double t, const auto& u) {
    return std::vector<double>{3.0 * t + u[0], u[1]};
  });
  const std::vector<double> u{1.0, 2.0};
  ASSERT_TRUE(made->visit(Visit::accepted));
  made->call(Visit::accepted, 0.5, u);
  EXPECT_NEAR(made->values(0.75, u)[0], 3.0 * 0.75 + 1.0, 1e-6);
  EXPECT_EQ(made->calls(), 1U);
}

TEST(StaticFunction, IncrementsCanBeGivenForTinyUnits) {
  std::vector<std::vector<double>> seen;
  auto instances = instancesOf(1, [&seen](const auto&, double, const auto& u) {
    seen.push_back(u);
    return std::vector<double>{u[0], u[1]};
  });
  const auto u1 = *instances.front()->describe().find("u1"), u2 = *instances.front()->describe().find("u2");
  StaticFunction made("part", std::move(instances), {u1, u2},
                      {.coupling = StaticCoupling::predictor, .increment = 1e-15});
  made.begin({0.0, 1.0, {}});
  seen.clear();
  call(made, Visit::predicted, 0.0, 200.0);
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_DOUBLE_EQ(seen[1][0], 1e-15);
  EXPECT_NEAR(seen[2][1] - 200.0, 2e-13, 5e-14);
}

TEST(StaticFunction, IncrementsAreThoseOfTheNote) {
  std::vector<std::vector<double>> seen;
  const auto made = function(StaticCoupling::predictor, 1, [&seen](const auto&, double, const auto& u) {
    seen.push_back(u);
    return std::vector<double>{u[0], u[1]};
  });
  seen.clear();
  call(*made, Visit::predicted, 0.25, -300.0);
  ASSERT_EQ(seen.size(), 3U);
  const double root = std::sqrt(std::numeric_limits<double>::epsilon());
  showFigure({"schmoll R50", "increments", "sqrt(eps) max(1, |y|): 1.49e-8 at 0.25, 4.47e-6 at -300"},
             fmt::format("{:.3g}, {:.3g}", seen[1][0] - 0.25, seen[2][1] + 300.0),
             std::fabs((seen[1][0] - 0.25) / root - 1.0) < 1e-6 &&
                 std::fabs((seen[2][1] + 300.0) / (300.0 * root) - 1.0) < 1e-6);
}

/// Calls that wait for each other come to an end only if they run at the same time.
class Meeting {
 public:
  explicit Meeting(int expected) : expected_(expected) {}

  bool attend() {
    std::unique_lock lock(mutex_);
    ++present_;
    arrived_.notify_all();
    return arrived_.wait_for(lock, std::chrono::seconds(20), [this] { return present_ >= expected_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  int present_ = 0;
  int expected_;
};

TEST(StaticFunction, ValueAndProbesRunAtTheSameTime) {
  Meeting meeting(3);
  std::atomic<bool> first = true;
  std::atomic<int> alone = 0;
  const auto made = function(
      StaticCoupling::predictor, 3,
      [&](const auto&, double, const auto& u) {
        if (first)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));  // that this is worth a thread is measured first
        else if (!meeting.attend())
          ++alone;
        return std::vector<double>{u[0] * u[1], u[0]};
      },
      3);
  for (int n = 0; n < 4; ++n) call(*made, Visit::predicted, 1.0 + n, 2.0);
  first = false;
  call(*made, Visit::predicted, 2.0, 3.0);
  showEqual({"schmoll R51", "parallel", "N_y + 1 = 3 instances at the same time; evaluations that waited in vain: 0"},
            alone, 0.0);
  EXPECT_NEAR(at(*made, 2.5, 3.0)[0], 7.5, 1e-6);
}

TEST(StaticFunction, ThreadsChangeNothing) {
  const auto heavy = [](const auto&, double, const auto& u) {
    double sum = u[0];
    for (int i = 1; i < 40000; ++i) sum += std::sin(sum + u[1]) / i;
    return std::vector<double>{sum, u[1]};
  };
  const auto serial = function(StaticCoupling::predictor, 3, heavy, 1);
  const auto parallel = function(StaticCoupling::predictor, 3, heavy, 2);
  for (int n = 0; n < 10; ++n) {
    call(*serial, Visit::predicted, 0.1 * n, 1.0);
    call(*parallel, Visit::predicted, 0.1 * n, 1.0);
    EXPECT_EQ(at(*serial, 0.1 * n + 0.01, 1.1), at(*parallel, 0.1 * n + 0.01, 1.1));
  }
}

TEST(StaticFunction, SaysWhoFailedAndWhere) {
  const auto made = function(StaticCoupling::predictor, 1, [](const auto&, double, const auto& u) {
    return std::vector<double>{std::log(u[0]), u[1]};
  });
  try {
    call(*made, Visit::predicted, -1.0, 2.5);
    FAIL();
  } catch (const core::SubsystemError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("'part'"), testing::HasSubstr("not a finite number"),
                                             testing::HasSubstr("u1 = -1, u2 = 2.5")));
  }
  call(*made, Visit::predicted, 1.0, 2.5);  // and can be called again
  EXPECT_NEAR(at(*made, 1.0, 2.5)[0], 0.0, 1e-12);
}

}  // namespace
}  // namespace koppla::test::static_function_test
