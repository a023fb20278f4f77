// What the approximation of each connection costs, against sums that are written down in the test.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/subsystem/detail/wrapper.hpp"

#include "field_member.hpp"
#include "fmu_system.hpp"

namespace koppla::run::connection_errors_test {
namespace {

using coupling::AlgorithmKind;
using test_support::FieldMember;
using ::testing::IsEmpty;

/// Takes polynomials.
class Following final : public subsystem::detail::Wrapper {
 public:
  explicit Following(std::unique_ptr<Subsystem> inner) : Wrapper(std::move(inner)) {
    description().capabilities.inputDerivatives = subsystem::kMaxDegree;
  }
  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) override {
    return inner().advance(step, u, y);
  }
};

/// source.y = (t^2, 10 t, 5), and two that take it, one before and one after it in the order of steps.
coupling::System fields() {
  coupling::System system;
  const auto ignore = [](double, std::span<const double>) { return std::vector<double>{}; };
  system.members.push_back({"early", std::make_unique<FieldMember>(3, 0, ignore), {}});
  system.members.push_back({"source",
                            std::make_unique<FieldMember>(0, 3,
                                                          [](double t, std::span<const double>) {
                                                            return std::vector<double>{t * t, 10.0 * t, 5.0};
                                                          }),
                            {}});
  system.members.push_back({"late", std::make_unique<FieldMember>(3, 0, ignore), {}});
  return system;
}

coupling::Connection element(std::size_t from, std::size_t toMember, std::size_t to, double scale) {
  coupling::Connection connection{{1, 0}, {toMember, 0}, scale};
  connection.fromElement = from;
  connection.toElement = to;
  return connection;
}

/// Four steps of 0.25 s, or others.
std::vector<ConnectionStatistics> errorsOf(coupling::System system, Settings settings) {
  if (settings.step == 0.0) settings.step = 0.25;
  core::Log log;
  run::Run run(std::move(system), settings, log);
  EXPECT_TRUE(run.initialise().ok());
  EXPECT_THAT(run.statistics().connections, IsEmpty()) << "nothing is known yet";
  EXPECT_TRUE(run.simulate().ok());
  return run.statistics().connections;
}

/// Held values are off by what comes: t^2 by (1, 3, 5, 7) / 16, 10 t by 2.5 in every step, 5 by nothing. Ranges of what
/// came: 15/16, 7.5 and 0.
TEST(ConnectionErrors, AreThoseOfHeldValues) {
  coupling::System system = fields();
  system.order = {0, 1, 2};
  system.connections = {element(0, 0, 0, -2.0), element(1, 0, 1, 1.0), element(2, 0, 2, 1.0)};
  Settings settings;
  settings.algorithm.kind = AlgorithmKind::jacobi;
  const auto c = errorsOf(std::move(system), settings);
  ASSERT_EQ(c.size(), 3U);
  const double rms = std::sqrt((1.0 + 9.0 + 25.0 + 49.0) / 4.0) / 16.0;
  // The largest in relation to its range comes first: 0.333 of 10 t, 0.306 of t^2.
  EXPECT_EQ(c[0].from, "source.y[2]");
  EXPECT_EQ(c[0].to, "early.u[2]");
  EXPECT_DOUBLE_EQ(c[0].rms, 2.5);
  EXPECT_DOUBLE_EQ(c[0].largest, 2.5);
  EXPECT_EQ(c[0].whenLargest, 0.25) << "the first one";
  EXPECT_DOUBLE_EQ(c[0].relative, 1.0 / 3.0);
  EXPECT_FALSE(c[0].constant);
  EXPECT_EQ(c[1].from, "source.y[1]");
  EXPECT_EQ(c[1].to, "early.u[1]");
  EXPECT_DOUBLE_EQ(c[1].rms, 2.0 * rms);
  EXPECT_DOUBLE_EQ(c[1].largest, 14.0 / 16.0);
  EXPECT_EQ(c[1].whenLargest, 1.0);
  EXPECT_DOUBLE_EQ(c[1].relative, rms * 16.0 / 15.0);
  EXPECT_FALSE(c[1].constant);
  EXPECT_EQ(c[2].from, "source.y[3]");
  EXPECT_EQ(c[2].rms, 0.0);
  EXPECT_EQ(c[2].largest, 0.0);
  EXPECT_EQ(c[2].relative, 0.0);
  EXPECT_TRUE(c[2].constant);
  EXPECT_EQ(c[2].value, 5.0);
  for (const ConnectionStatistics& connection : c) EXPECT_FALSE(connection.interpolated);
}

/// Of a whole field the worst of its elements; it is constant where all are.
TEST(ConnectionErrors, OfAFieldAreTheWorstOfItsElements) {
  coupling::System system = fields();
  koppla::test::connect(system, {{"source.y", "late.u", 4.0}});
  Settings settings;
  settings.algorithm.kind = AlgorithmKind::jacobi;
  const auto c = errorsOf(std::move(system), settings);
  ASSERT_EQ(c.size(), 1U);
  EXPECT_EQ(c[0].from, "source.y");
  EXPECT_EQ(c[0].to, "late.u");
  EXPECT_DOUBLE_EQ(c[0].rms, 10.0);
  EXPECT_DOUBLE_EQ(c[0].largest, 10.0);
  EXPECT_EQ(c[0].whenLargest, 0.25);
  EXPECT_DOUBLE_EQ(c[0].relative, 1.0 / 3.0);
  EXPECT_FALSE(c[0].constant);
  EXPECT_DOUBLE_EQ(c[0].value, 1.0) << "of its first element";
  coupling::System constant = fields();
  constant.members[1].subsystem = std::make_unique<FieldMember>(0, 3, [](double, std::span<const double>) {
    return std::vector<double>{2.0, 3.0, 4.0};
  });
  koppla::test::connect(constant, {{"source.y", "late.u"}});
  const auto all = errorsOf(std::move(constant), settings);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_TRUE(all[0].constant);
  EXPECT_EQ(all[0].value, 2.0);
}

/// Who comes later in a sequence interpolates: the line through both ends of t^2 is off by H^2 |s (s - 1)|, 1/64 at
/// most, and that through both ends of 10 t by nothing, in the first step as well. What is extrapolated is a constant
/// there, which is off by t^2 at the end; later lines are off by 2 H^2.
TEST(ConnectionErrors, OfInterpolationAreThoseInsideTheStep) {
  coupling::System system = fields();
  for (const std::size_t consumer : {0U, 2U})
    system.members[consumer].subsystem = std::make_unique<Following>(std::move(system.members[consumer].subsystem));
  system.order = {0, 1, 2};
  system.connections = {element(0, 0, 0, 1.0), element(1, 0, 1, 1.0), element(2, 0, 2, 1.0),
                        element(0, 2, 0, 1.0), element(1, 2, 1, 1.0), element(2, 2, 2, 1.0)};
  Settings settings;
  settings.algorithm.kind = AlgorithmKind::gaussSeidel;
  settings.algorithm.degree = 1;
  settings.algorithm.startUp = coupling::StartUp::trivial;
  const auto c = errorsOf(std::move(system), settings);
  ASSERT_EQ(c.size(), 6U);
  const auto of = [&](const std::string& from, const std::string& to) {
    for (const ConnectionStatistics& connection : c)
      if (connection.from == from && connection.to == to) return connection;
    ADD_FAILURE() << from << " " << to;
    return ConnectionStatistics{};
  };
  const auto early = of("source.y[1]", "early.u[1]");
  EXPECT_FALSE(early.interpolated);
  EXPECT_NEAR(early.largest, 2.0 / 16.0, 1e-12);
  EXPECT_NEAR(early.rms, std::sqrt((1.0 + 3.0 * 4.0) / 4.0) / 16.0, 1e-12);
  const auto late = of("source.y[1]", "late.u[1]");
  EXPECT_TRUE(late.interpolated);
  EXPECT_NEAR(late.largest, 1.0 / 64.0, 1e-12);
  EXPECT_NEAR(late.rms, std::sqrt((1.0 + 1.0 + 1.0 + 1.0) / 4.0) / 64.0, 1e-12);
  EXPECT_NEAR(late.relative, late.rms * 16.0 / 15.0, 1e-12);
  EXPECT_NEAR(of("source.y[2]", "early.u[2]").largest, 2.5, 1e-12) << "of the first step";
  EXPECT_NEAR(of("source.y[2]", "late.u[2]").largest, 0.0, 1e-12);
}

/// A line of slope 10 / s that is replaced by its mean is off by half a step of it, at both ends.
TEST(ConnectionErrors, OfValuesInPlaceOfCoursesAreTheDistanceToTheMean) {
  coupling::System system = fields();
  system.order = {0, 1, 2};
  system.connections = {element(0, 2, 0, 1.0), element(1, 2, 1, 1.0), element(2, 2, 2, 1.0)};
  Settings settings;
  settings.algorithm.kind = AlgorithmKind::gaussSeidel;
  settings.algorithm.degree = 1;
  const auto c = errorsOf(std::move(system), settings);
  const auto line = std::ranges::find(c, "source.y[2]", &ConnectionStatistics::from);
  ASSERT_NE(line, c.end());
  EXPECT_NEAR(line->largest, 10.0 * 0.25 / 2.0, 1e-12);
  EXPECT_NEAR(line->rms, 10.0 * 0.25 / 2.0, 1e-12);
}

/// Two outputs that are as small beside the input as rounding is: one jumps to and fro, the other moves steadily.
TEST(ConnectionErrors, OfRoundingAreNeverFirst) {
  coupling::System system;
  const auto ignore = [](double, std::span<const double>) { return std::vector<double>{}; };
  const auto small = [](double t, std::span<const double>) {
    const bool even = std::fmod(t * 32.0, 2.0) < 0.5;
    return std::vector<double>{even ? 1e-10 : 0.0, 1e-10 * t};
  };
  const auto large = [](double t, std::span<const double>) { return std::vector<double>{1e6 * (1.0 + t)}; };
  system.members.push_back({"large", std::make_unique<FieldMember>(0, 1, large), {}});
  system.members.push_back({"source", std::make_unique<FieldMember>(1, 2, small), {}});
  system.members.push_back({"sink", std::make_unique<FieldMember>(2, 0, ignore), {}});
  koppla::test::connect(system, {{"large.y", "source.u"}, {"source.y", "sink.u"}});
  const coupling::Connection whole = system.connections.back();
  for (const std::size_t i : {0U, 1U}) {
    if (i > 0) system.connections.push_back(whole);
    system.connections.back().fromElement = system.connections.back().toElement = i;
  }
  Settings settings;
  settings.step = 1.0 / 32.0;
  settings.algorithm.kind = AlgorithmKind::jacobi;
  const auto c = errorsOf(std::move(system), settings);
  ASSERT_EQ(c.size(), 3U);
  EXPECT_EQ(c.back().from, "source.y[1]");
  EXPECT_TRUE(c.back().constant);
  EXPECT_EQ(c.back().relative, 0.0);
  for (const std::size_t other : {0U, 1U}) EXPECT_NEAR(c[other].relative, 1.0 / 31.0, 1e-6) << c[other].from;
}

/// The estimate is of one polynomial over a step: of a waveform there is none.
TEST(ConnectionErrors, OfAWaveformAreNotTold) {
  Settings settings;
  settings.step = 0.25;
  settings.algorithm.kind = AlgorithmKind::iteratedGaussSeidel;
  for (const unsigned waveform : {1U, 2U}) {
    settings.algorithm.waveform = waveform;
    core::Log log;
    run::Run run(koppla::test::makeSystem({{"x", koppla::test::integrator(-1.0, 1.0)}, {"g", koppla::test::gain(1.0)}},
                                          {{"x.y", "g.u"}, {"g.y", "x.u"}}),
                 settings, log);
    ASSERT_TRUE(run.initialise().ok());
    ASSERT_TRUE(run.simulate().ok());
    EXPECT_EQ(run.statistics().connections.size(), waveform == 1 ? 2U : 0U);
  }
}

}  // namespace
}  // namespace koppla::run::connection_errors_test
