#include <algorithm>
#include <cmath>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "koppla/native/oscillator_body.hpp"
#include "koppla/native/oscillator_with_link.hpp"
#include "koppla/results/recorder.hpp"
#include "koppla/solver/integrate.hpp"

#include "support/extremes.hpp"
#include "support/figure.hpp"
#include "support/formula_subsystem.hpp"
#include "two_mass.hpp"

/// What a user of explicit coupling relies on beside its errors: trees, many variables, long runs, the error estimate.
namespace koppla::test::system_test {
namespace {

using coupling::AlgorithmKind;

std::unique_ptr<subsystem::Subsystem> exactly(std::unique_ptr<solver::Equations> equations) {
  return solver::integrate(std::move(equations), {.kind = solver::Kind::exact});
}

/// A root "s1" with equal leaves "s2", "s3", ..., each a part of what a single second mass would be: the whole moves as
/// the two-mass oscillator does.
coupling::System treeSystem(unsigned leaves, const native::TwoMassOscillator& whole) {
  native::OscillatorWithLink leaf = native::secondWithLink(whole);
  for (double* value : {&leaf.m, &leaf.c, &leaf.d, &leaf.ck, &leaf.dk}) *value /= leaves;
  coupling::System system;
  system.members.push_back({"s1", exactly(native::oscillatorBody(native::firstBody(whole))), {}});
  system.order = {0};
  std::vector<Link> links;
  for (unsigned i = 0; i < leaves; ++i) {
    const std::string name = fmt::format("s{}", i + 2);
    system.members.push_back({name, exactly(native::oscillatorWithLink(leaf)), {}});
    system.order.push_back(i + 1);
    links.insert(links.end(), {{"s1.x", name + ".x1"}, {"s1.v", name + ".v1"}, {name + ".f", "s1.f"}});
  }
  connect(system, links);
  return system;
}

class Rows final : public results::Recorder {
 public:
  void begin(const std::vector<results::Column>& columns) override {
    for (const results::Column& column : columns) names.push_back(column.name);
  }
  void row(double time, const core::Values& values) override {
    times.push_back(time);
    rows.push_back(values.reals);
  }
  void complete() override {}
  void abandon() override {}

  [[nodiscard]] std::size_t column(const std::string& name) const {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  }

  std::vector<std::string> names;
  std::vector<double> times;
  std::vector<std::vector<double>> rows;
};

struct Done {
  Rows rows;
  run::Statistics statistics;
};

std::unique_ptr<Done> simulate(coupling::System system, const run::Settings& settings) {
  auto done = std::make_unique<Done>();
  core::Log log;
  run::Run run(std::move(system), settings, log, &done->rows);
  EXPECT_TRUE(run.initialise().ok());
  EXPECT_TRUE(run.simulate().ok());
  done->statistics = run.statistics();
  return done;
}

run::Settings explicitly(AlgorithmKind kind, unsigned degree, double H, double end) {
  run::Settings settings;
  settings.algorithm.kind = kind;
  settings.algorithm.degree = degree;
  settings.algorithm.startUp = coupling::StartUp::trivial;
  settings.step = H;
  settings.end = end;
  return settings;
}

TEST(Tree, EqualLeavesDeliverEqualSignals) {
  for (const AlgorithmKind kind : {AlgorithmKind::jacobi, AlgorithmKind::gaussSeidel}) {
    const auto done = simulate(treeSystem(3, {}), explicitly(kind, 2, 1e-5, 0.05));
    std::size_t different = 0;
    for (const auto& row : done->rows.rows)
      for (const char* port : {"f", "x", "v"})
        for (const char* leaf : {"s3.", "s4."})
          if (row[done->rows.column(std::string(leaf) + port)] != row[done->rows.column(std::string("s2.") + port)])
            ++different;
    showEqual(
        {"schmoll R7", kind == AlgorithmKind::jacobi ? "jacobi" : "gauss-seidel", "no value of three leaves differs"},
        static_cast<double>(different), 0.0);
  }
}

/// Error of x1 of a tree at the end, against the oscillator it equals.
double errorOfTree(unsigned leaves, double H) {
  const native::TwoMassOscillator whole;
  const auto done = simulate(treeSystem(leaves, whole), explicitly(AlgorithmKind::jacobi, 1, H, 0.02));
  return std::fabs(done->rows.rows.back()[done->rows.column("s1.x")] - ExactTwoMass(whole).at(0.02)[0]);
}

TEST(Tree, ManyLeavesMoveAsOne) {
  // 40 leaves: 120 scalar coupling variables. Order 2 against the exact solution of the whole.
  const double order = std::log2(errorOfTree(40, 2e-5) / errorOfTree(40, 1e-5));
  showWithin({"schmoll R8", "variables", "order 2 +-0.2 with 120 coupling variables, p = 1"}, order, 2.0, 0.2);
  EXPECT_NEAR(std::log2(errorOfTree(3, 2e-5) / errorOfTree(3, 1e-5)), 2.0, 0.2);
}

TEST(LongRun, MillionsOfMacroStepsTakeNoMemory) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer keeps freed memory, so the process grows whatever the run does.";
#endif
  TwoMassCase c;
  c.H = 1e-7;
  c.degree = 2;
  run::Settings settings = explicitly(AlgorithmKind::jacobi, 2, 1e-7, 0.5);
  core::Log log;
  run::Run run(twoMassSystem(c), settings, log);
  ASSERT_TRUE(run.initialise().ok());
  const auto residentBytes = [] {
    std::ifstream file("/proc/self/statm");
    long pages = 0;
    file >> pages >> pages;
    return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE));
  };
  ASSERT_TRUE(run.simulate(0.05).ok());
  const double before = residentBytes();
  ASSERT_TRUE(run.simulate().ok());
  showEqual({"schmoll R48", "steps", "5 million macro steps of 1e-7 s"},
            static_cast<double>(run.statistics().acceptedSteps), 5e6);
  showAtMost({"schmoll R48", "growth", "at most 1 MB over the last 4.5 million"}, residentBytes() - before, 1e6);
}

/// Rms over all steps of the true local coupling error of one connection: what its consumer was given against the exact
/// course that begins at the states of the last macro point.
double trueError(const Rows& rows, const std::string& output, unsigned degree, bool interpolated, double H) {
  const native::TwoMassOscillator p;
  ExactTwoMass exact(p);
  const std::size_t column = rows.column(output);
  const std::size_t quantity = output == "s2.f" ? 4 : output == "s1.v" ? 1 : 0;
  double sum = 0.0;
  std::size_t steps = 0;
  for (std::size_t n = 30; n + 1 < rows.rows.size(); ++n) {
    const std::array<double, 4> z{rows.rows[n][rows.column("s1.x")], rows.rows[n][rows.column("s1.v")],
                                  rows.rows[n][rows.column("s2.x")], rows.rows[n][rows.column("s2.v")]};
    const auto approximated = [&](double s) {
      // Lagrange's formula through the samples n + shift, n + shift - 1, ...
      const double shift = interpolated ? 1.0 : 0.0;
      double value = 0.0;
      for (unsigned i = 0; i <= degree; ++i) {
        double weight = 1.0;
        for (unsigned j = 0; j <= degree; ++j)
          if (j != i) weight *= (s - (shift - j)) / (static_cast<double>(j) - static_cast<double>(i));
        value += weight * rows.rows[n + (interpolated ? 1 : 0) - i][column];
      }
      return value;
    };
    test::Largest largest;
    const std::vector<double> points =
        interpolated ? std::vector{0.125, 0.25, 0.375, 0.5, 0.625, 0.75} : std::vector{1.0};
    for (const double s : points) {
      const double error = approximated(s) - exact.after(z, s * H)[quantity];
      largest.see(std::fabs(error));
    }
    sum += largest * largest;
    ++steps;
  }
  return std::sqrt(sum / static_cast<double>(steps));
}

TEST(ErrorEstimate, IsNearTheTrueLocalCouplingError) {
  test::Smallest least;
  test::Largest most;
  for (const AlgorithmKind kind : {AlgorithmKind::jacobi, AlgorithmKind::gaussSeidel})
    for (unsigned p = 0; p <= 3; ++p) {
      const double H = p == 0 ? 5e-6 : 1e-5;
      TwoMassCase c;
      c.degree = p;
      run::Settings settings = explicitly(kind, p, H, 0.05);
      settings.algorithm.startUp = coupling::StartUp::analytic;
      const auto done = simulate(twoMassSystem(c), settings);
      ASSERT_EQ(done->statistics.connections.size(), 3U);
      for (const run::ConnectionStatistics& connection : done->statistics.connections) {
        EXPECT_EQ(connection.interpolated, kind == AlgorithmKind::gaussSeidel && connection.from != "s2.f");
        if (connection.interpolated && p == 0) continue;  // held at the end's value: its error is at the beginning
        const double ratio = connection.rms / trueError(done->rows, connection.from, p, connection.interpolated, H);
        EXPECT_GT(ratio, 0.2) << connection.from << " p = " << p;
        EXPECT_LT(ratio, 5.0) << connection.from << " p = " << p;
        least.see(ratio);
        most.see(ratio);
      }
    }
  showFigure({"overview S3", "error-estimate", "within a factor 5 of the true local coupling error, p = 0..3"},
             fmt::format("{:.2f} to {:.2f}", double(least), double(most)), least > 0.2 && most < 5.0);
}

TEST(ErrorEstimate, NamesTheConnectionThatLimitsTheStep) {
  // x1 is the second integral of the force and v1 the first: the force holds most of the fast mode, x1 the least.
  TwoMassCase c;
  run::Settings settings = explicitly(AlgorithmKind::jacobi, 2, 1e-5, 0.05);
  settings.algorithm.startUp = coupling::StartUp::analytic;
  const auto done = simulate(twoMassSystem(c), settings);
  EXPECT_EQ(done->statistics.connections.front().from, "s2.f");
  EXPECT_EQ(done->statistics.connections.front().to, "s1.f");
  EXPECT_EQ(done->statistics.connections.back().from, "s1.x");
}

TEST(Recording, CouplingVariablesAndStepsCanBeReadOffTheRows) {
  run::Settings settings = explicitly(AlgorithmKind::jacobi, 2, 1e-5, 0.01);
  settings.stepControl.kind = stepping::StepControlKind::predictorCorrector;
  settings.stepControl.estimate = stepping::Estimate::schmoll;
  settings.stepControl.grow = 4.0;
  settings.stepControl.minStep = 1e-6;
  settings.stepControl.atol = settings.stepControl.rtol = 1e-4;
  const auto done = simulate(twoMassSystem({}), settings);
  for (const char* name : {"s1.x", "s1.v", "s2.f"}) EXPECT_LT(done->rows.column(name), done->rows.names.size());
  test::Smallest smallest;
  test::Largest largest;
  for (std::size_t i = 1; i < done->rows.times.size(); ++i) {
    smallest.see(done->rows.times[i] - done->rows.times[i - 1]);
    largest.see(done->rows.times[i] - done->rows.times[i - 1]);
  }
  EXPECT_EQ(smallest, done->statistics.smallestStep);
  EXPECT_EQ(largest, done->statistics.largestStep);
  showEqual({"schmoll R38", "rows", "one row with all coupling variables per macro point"},
            static_cast<double>(done->rows.times.size()), static_cast<double>(done->statistics.acceptedSteps) + 1.0);
}

TEST(Statistics, CountWhatSolversAndMacroStepsDo) {
  TwoMassCase c;
  for (solver::IntegratorSettings* settings : {&c.first, &c.second}) {
    settings->kind = solver::Kind::ode4;
    settings->microStep = 1e-6;
  }
  const auto done = simulate(twoMassSystem(c), explicitly(AlgorithmKind::jacobi, 1, 1e-5, 0.01));
  const run::MemberStatistics& member = done->statistics.members.front();
  showEqual({"schmoll R33", "macro-steps", "1000 of 1e-5 s to 0.01 s"},
            static_cast<double>(done->statistics.acceptedSteps), 1000.0);
  EXPECT_EQ(member.step.count, 1000U);
  EXPECT_EQ(done->statistics.repeatedSteps, 0U);
  showFigure({"schmoll R33", "times", "wall clock and processor time are told"},
             done->statistics.wallClock > 0.0 && done->statistics.cpu > 0.0 ? "both" : "not both",
             done->statistics.wallClock > 0.0 && done->statistics.cpu > 0.0);
  showEqual({"schmoll R33", "micro-steps", "10 per macro step"}, static_cast<double>(member.effort.microSteps),
            10000.0);
  showEqual({"schmoll R33", "right-hand-sides", "4 per micro step"}, static_cast<double>(member.effort.rightHandSides),
            40000.0);
}

TEST(Parallel, ThreadsChangeNoBit) {
  std::vector<std::vector<std::vector<double>>> results;
  for (const unsigned threads : {1U, 2U, 5U})
    for (const AlgorithmKind kind : {AlgorithmKind::jacobi, AlgorithmKind::iteratedJacobi}) {
      run::Settings settings = explicitly(kind, 1, 1e-5, 0.002);
      settings.threads = threads;
      coupling::System system = treeSystem(4, {});
      // Leaves that are worth a thread.
      Formula busy = gain(1.0);
      busy.step = [](auto&, double, double, const auto&) { usleep(300); };
      system.members.push_back({"busy1", makeSubsystem(busy), {}});
      system.members.push_back({"busy2", makeSubsystem(busy), {}});
      connect(system, {{"s1.x", "busy1.u"}, {"s1.v", "busy2.u"}});
      system.order.insert(system.order.end(), {5, 6});
      results.push_back(simulate(std::move(system), settings)->rows.rows);
    }
  for (std::size_t i = 2; i < results.size(); ++i) EXPECT_EQ(results[i], results[i % 2]);
}

}  // namespace
}  // namespace koppla::test::system_test
