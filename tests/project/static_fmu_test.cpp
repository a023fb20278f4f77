// Static FMUs that another subsystem's integrator calls as functions (Schmoll, sec. 4.2).

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include "koppla/core/file.hpp"
#include "koppla/project/project.hpp"
#include "koppla/project/reader.hpp"
#include "koppla/results/memory_recorder.hpp"

#include "problem_list.hpp"
#include "support/extremes.hpp"

namespace koppla::project {
namespace {

struct Course {
  results::Table table;
  subsystem::Effort effort;  ///< of the body, the spring's calls included

  [[nodiscard]] const std::vector<double>& of(const std::string& name) const {
    const results::Series* const series = table.find(name);
    if (series == nullptr) throw std::runtime_error("There is no '" + name + "' in the results.");
    return series->numbers;
  }
};

Course run(const std::string& text) {
  const core::TemporaryFolder folder("inside");
  core::writeWhole(folder.path() / "p.toml", text);
  core::Log log;
  results::MemoryRecorder recorder;
  run::Run run = makeRun(read(folder.path() / "p.toml", log), log, &recorder);
  run::Outcome outcome = run.initialise();
  if (outcome.ok()) outcome = run.simulate();
  if (!outcome.ok()) throw std::runtime_error(outcome.message);
  return {recorder.table(), run.statistics().members.at(0).effort};
}

std::string connection(const std::string& from, const std::string& to) {
  return "[[connections]]\nfrom = \"" + from + "\"\nto = \"" + to + "\"\n";
}

const std::string kNative = "model = \"hardening-spring\"\n";

std::string fmu(const std::string& name) {
  return "fmu = \"" KOPPLA_FMU_DIR "/" + name + ".fmu\"\n";
}

/// A body and, inside it, a spring of these lines.
std::string bodyWith(const std::string& spring, const std::string& body, const std::string& coupling) {
  return "format = 1\nresults = { variables = [\"*\"] }\n" + coupling +
         "[[subsystems]]\nname = \"body\"\nmodel = \"nonlinear-oscillator\"\nintegrator = \"bdf\"\norder = 4\n" + body +
         "[[subsystems]]\nname = \"spring\"\ninside = \"body\"\n" + spring;
}

/// Schmoll's oscillator (4.18)-(4.22) up to 5 ms, some three oscillations.
Course oscillate(
    const std::string& spring,
    const std::string& coupling = "simulation = { end = 0.005 }\nalgorithm = { kind = \"master-slave\" }\n") {
  const std::string tolerances = "rtol = 1e-6\natol = 1e-6\nmicro_step = 1e-4\nfirst_micro_step = 1e-7\n";
  return run(bodyWith(spring, tolerances + "jacobian = \"T\"\n", coupling) + connection("body.x", "spring.x") +
             connection("body.v", "spring.v") + connection("spring.f", "body.f"));
}

double largestDifference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return INFINITY;
  test::Largest difference;
  test::Largest scale;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference.see(std::fabs(a[i] - b[i]));
    scale.see(std::fabs(a[i]));
  }
  return difference / scale;
}

void expectSame(const Course& one, const Course& other) {
  EXPECT_EQ(one.effort.microSteps, other.effort.microSteps);
  EXPECT_EQ(one.effort.rejectedMicroSteps, other.effort.rejectedMicroSteps);
  EXPECT_EQ(one.effort.correctorIterations, other.effort.correctorIterations);
  EXPECT_EQ(one.effort.staticCalls, other.effort.staticCalls);
  EXPECT_GT(one.effort.staticCalls, 0U);
  EXPECT_LT(largestDifference(one.table.time, other.table.time), 1e-9);
  for (const char* name : {"body.x", "body.v", "spring.x", "spring.v", "spring.f"})
    EXPECT_LT(largestDifference(one.of(name), other.of(name)), 1e-9) << name;
}

class StaticFmu : public ::testing::TestWithParam<std::string> {
 protected:
  static std::string lines(const std::string& more = {}) {
    return "static_coupling = \"" + GetParam() + "\"\nparameters = { c = 8e4, alpha = 2.5, d = 2e-5 }\n" + more;
  }
};

TEST_P(StaticFmu, MovesTheBodyAsTheNativeModelDoes) {
  expectSame(oscillate(kNative + lines()), oscillate(fmu("HardeningSpring") + lines()));
}

TEST_P(StaticFmu, GivesTheSameWithOneInstanceForAll) {
  const Course usual = oscillate(fmu("HardeningSpring") + lines());
  expectSame(usual, oscillate(fmu("HardeningSpring") + lines("instances = 1\n")));
  expectSame(usual, oscillate(fmu("HardeningSpring") + lines("instances = 2\n")));
}

TEST_P(StaticFmu, GoesBackWithTheBodyInRepeatedSteps) {
  const std::string doubled =
      "simulation = { end = 0.005, step = 1e-4 }\nstep_control = { kind = \"double-step\", rtol = 1e-4 }\n";
  expectSame(oscillate(kNative + lines(), doubled), oscillate(fmu("HardeningSpring") + lines(), doubled));
}

INSTANTIATE_TEST_SUITE_P(By, StaticFmu, ::testing::Values("full", "last-corrector", "predictor"), [](const auto& one) {
  std::string name = one.param;
  std::erase(name, '-');
  return name;
});

TEST(OneStaticFmu, IsRecordedWithTheForceOfTheMotionBesideIt) {
  const Course inside = oscillate(fmu("HardeningSpring") + "static_coupling = \"predictor\"\n");
  ASSERT_GT(inside.table.time.size(), 100U);
  test::Largest worst;
  for (std::size_t i = 0; i < inside.table.time.size(); ++i) {
    const double x = inside.of("spring.x")[i];
    const double v = inside.of("spring.v")[i];
    EXPECT_EQ(x, inside.of("body.x")[i]);
    EXPECT_EQ(v, inside.of("body.v")[i]);
    EXPECT_EQ(inside.of("spring.f")[i], inside.of("body.f")[i]);
    const double f = -1e5 * std::copysign(std::expm1(3.0 * std::fabs(x)), x) - 1e-5 * v * v * v;
    worst.see(std::fabs(inside.of("spring.f")[i] - f));
  }
  // The error test of order k = 4 bounds the way from the predictor, where the spring is linearised, to the step's end:
  // dx <= (k + 1) sqrt(2) tol (1 + |x|), 2.1e-5 m. The spring's second derivative is 9e5 exp(6) N/m2 at most.
  const double dx = 5.0 * std::sqrt(2.0) * 1e-6 * 3.0;
  EXPECT_LT(worst, 0.5 * 9e5 * std::exp(6.0) * dx * dx);  // 0.08 N of 4e7 N
}

TEST(OneStaticFmu, IsCalledForEveryRightHandSideOfExplicitMethods) {
  const Course course =
      run("format = 1\nsimulation = { end = 0.0025, step = 0.0025 }\n[[subsystems]]\nname = \"body\"\n"
          "model = \"nonlinear-oscillator\"\nintegrator = \"ode4\"\nmicro_step = 1e-6\n"
          "[[subsystems]]\nname = \"spring\"\ninside = \"body\"\n" +
          fmu("HardeningSpring") + connection("body.x", "spring.x") + connection("body.v", "spring.v") +
          connection("spring.f", "body.f"));
  EXPECT_NEAR(course.of("body.x").back(), 0.567580249799, 1e-6);  // Schmoll's note, 15.5, in extended precision
  EXPECT_NEAR(course.of("body.v").back(), -3830.677351611, 1e-3);
  EXPECT_NEAR(static_cast<double>(course.effort.staticCalls), 4.0 * 2500.0, 2.0);  // and the values at both ends
}

/// x'' = -100 x from x = 1: cos(10 t).
Course swing(const std::string& name) {
  return run(bodyWith(fmu(name) + "static_coupling = \"predictor\"\nparameters = { k = -100.0 }\n",
                      "rtol = 1e-8\natol = 1e-8\nparameters = { c = 0, d = 0, x0 = 1, v0 = 0 }\n",
                      "simulation = { end = 1.0, step = 0.1 }\n") +
             connection("body.x", "spring.u") + connection("spring.y", "body.f"));
}

TEST(OneStaticFmu, MayBeOneThatCanBeInstantiatedOncePerProcessOnly) {
  const Course once = swing("OncePerProcess");
  ASSERT_EQ(once.table.time.size(), 11U);
  for (std::size_t i = 0; i < once.table.time.size(); ++i)
    EXPECT_NEAR(once.of("body.x")[i], std::cos(10.0 * once.table.time[i]), 1e-4) << i;
  const Course often = swing("Gain");
  EXPECT_EQ(once.of("body.x"), often.of("body.x"));
  EXPECT_EQ(once.effort.staticCalls, often.effort.staticCalls);
}

/// Its output is computed in steps, so that it would answer the same for ever where it stays.
TEST(OneStaticFmu, ThatAnswersInStepsOnlyIsFoundAtTheStartUnlessTheUserSaysHowManyInstancesThereAre) {
  const auto outcome = [](const std::string& options) {
    const Reading reading = parse(
        "format = 1\nsimulation = { end = 0.1, step = 0.1 }\n[[subsystems]]\nname = \"a\"\nmodel = \"expressions\"\n"
        "inputs = { u = 0.0 }\nstates = { x = 1.0 }\nderivatives = { x = \"-u\" }\noutputs = { y = \"x\" }\n"
        "[[subsystems]]\nname = \"b\"\ninside = \"a\"\n" +
            fmu("DifferenceQuotient") + options + connection("a.y", "b.u") + connection("b.y", "a.u"),
        "loop.toml");
    EXPECT_EQ(test::mistakes(reading), test::ProblemList{});
    core::Log log;
    run::Run run = makeRun(reading.project, log);
    return run.initialise();
  };
  const run::Outcome watched = outcome("");
  EXPECT_FALSE(watched.ok());
  EXPECT_NE(watched.message.find("'b' cannot be solved inside an integrator"), std::string::npos) << watched.message;
  for (const char* options : {"instances = 1\n", "instances = 2\n"}) {
    const run::Outcome unwatched = outcome(options);
    EXPECT_TRUE(unwatched.ok()) << unwatched.message;
  }
}

}  // namespace
}  // namespace koppla::project
