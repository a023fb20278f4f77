// Richardson's estimates from three runs: against errors C h^q that are written down, and against exact solutions.

#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/study/certification.hpp"
#include "koppla/study/measured_run.hpp"
#include "koppla/study/repetition.hpp"

#include "support/mass_on_spring.hpp"
#include "support/message_of.hpp"

namespace koppla::study::certificate_test {
namespace {

using ::testing::HasSubstr;

TEST(ObservedOrder, IsThatOfThePower) {
  for (const double q : {0.5, 1.0, 2.0, 5.0})
    for (const std::array<double, 3>& h : {std::array{0.4, 0.2, 0.1}, std::array{0.4, 0.17, 0.11}}) {
      const double first = std::pow(h[0], q) - std::pow(h[1], q);
      const double second = std::pow(h[1], q) - std::pow(h[2], q);
      EXPECT_NEAR(observedOrder(first / second, h), q, 1e-9) << q;
    }
}

/// y = sin t with the error C h^q at every instant.
struct Runs {
  results::Series series;
  std::vector<double> times;
  std::vector<double> half;
  std::vector<double> quarter;
};

Runs runsWith(double C, double q) {
  Runs runs;
  runs.series.name = "a.y";
  for (int i = 0; i <= 20; ++i) {
    const double t = 0.1 * i;
    runs.times.push_back(t);
    const auto value = [&](double h) { return std::sin(t) + C * t * std::pow(h, q); };
    runs.series.numbers.push_back(value(1.0));
    runs.half.push_back(value(0.5));
    runs.quarter.push_back(value(0.25));
  }
  return runs;
}

CertifiedVariable certified(const Runs& runs, run::OrderRange nominal, const LeftOpen& open = {}) {
  return certify(runs.series, runs.times, {&runs.series.numbers, &runs.half, &runs.quarter}, {1.0, 0.5, 0.25}, nominal,
                 open);
}

TEST(Certificate, IsTheErrorWhereItsOrderIsExpected) {
  for (const double q : {0.8, 1.0, 1.25}) {
    const CertifiedVariable variable = certified(runsWith(0.01, q), {1, 1});
    EXPECT_TRUE(variable.isCertified()) << variable.doubt;
    EXPECT_NEAR(variable.order, q, 1e-6);
    EXPECT_NEAR(variable.error, 0.02, 1e-9) << "C t h^q at t = 2, h = 1";
    EXPECT_NEAR(variable.when, 2.0, 1e-12);
  }
  EXPECT_TRUE(certified(runsWith(0.01, 2.9), {1, 3}).isCertified()) << "one of two orders";
}

/// Shorter runs that explode may differ as an order asks by chance.
TEST(Certificate, IsRefusedWhereTheErrorIsLargerThanTheValues) {
  EXPECT_TRUE(certified(runsWith(0.1, 1.0), {1, 1}).isCertified());
  Runs runs = runsWith(0.0, 1.0);
  for (std::size_t i = 0; i < runs.times.size(); ++i) {
    runs.half[i] += 100.0 * runs.times[i];
    runs.quarter[i] += 150.0 * runs.times[i];  // as order 1 does
  }
  const CertifiedVariable variable = certified(runs, {1, 1});
  EXPECT_NEAR(variable.order, 1.0, 1e-9);
  EXPECT_FALSE(variable.isCertified());
  EXPECT_THAT(variable.doubt, HasSubstr("larger than the values"));
}

TEST(Certificate, IsRefusedWhereTheOrderIsAnother) {
  EXPECT_THAT(certified(runsWith(0.01, 1.0), {2, 2}).doubt,
              HasSubstr("falls with order 1, more slowly than with order 2"));
  EXPECT_THAT(certified(runsWith(0.01, 2.0), {1, 1}).doubt,
              HasSubstr("falls with order 2 where 1 is expected, so parts of it may cancel"));
  EXPECT_THAT(certified(runsWith(0.01, 3.0), {2, 4}).doubt, HasSubstr("falls with order 3 where 2 or 4 is expected"));
}

/// "Within a third" where the order stays: an error of order 2 taken for one of order 1.
TEST(Certificate, TellsAnErrorOfHigherOrderWithinAThird) {
  const double error = 0.02;  // C t h^q at t = 2, h = 1
  for (const double q : {1.4, 2.0, 3.0}) {
    const CertifiedVariable variable = certified(runsWith(0.01, q), {1, 1});
    EXPECT_FALSE(variable.isCertified()) << q;
    EXPECT_THAT(variable.doubt, HasSubstr("right within a third"));
    EXPECT_NEAR(variable.error, error, error / 3.0) << q;
  }
}

TEST(Certificate, NamesTheOptionThatLeavesSoMuchOpen) {
  EXPECT_THAT(certified(runsWith(1e-6, 0.1), {1, 1}, {1e-5, 0.0, "algorithm.rtol"}).doubt,
              HasSubstr("Tighten algorithm.rtol"));
  EXPECT_THAT(certified(runsWith(1e-6, 0.1), {1, 1}, {0.0, 1e-5, "rtol in [[convergence]]"}).doubt,
              HasSubstr("Tighten rtol in [[convergence]]"));
}

/// A jump that half the step meets as well as a quarter: explicit runs leave nothing open that could be tightened.
TEST(Certificate, IsRefusedWhereOnlyTheRunDiffers) {
  Runs runs = runsWith(0.0, 1.0);
  runs.series.numbers[5] += 1.0;
  const CertifiedVariable variable = certified(runs, {1, 1});
  EXPECT_THAT(variable.doubt, HasSubstr("only the run itself differs"));
  EXPECT_NEAR(variable.error, 1.0, 1e-12);
}

TEST(Certificate, OfWhatDiffersByRoundingNeedsNoOrder) {
  const CertifiedVariable variable = certified(runsWith(1e-14, 0.0), {3, 3});
  EXPECT_TRUE(variable.isCertified()) << variable.doubt;
  EXPECT_TRUE(std::isnan(variable.order));
  EXPECT_LT(variable.error, 1e-13);
}

project::Project massOnSpring(const std::string& settings) {
  core::Log log;
  return project::readText("format = 1\n" + settings + std::string(test::kMassOnSpring), "p.toml", log);
}

const Certifying kTwoAtOnce{.jobs = 2};

struct Judged {
  Certificate certificate;
  double trueError = 0.0;  ///< largest of mass.v at the rows of the run
};

Judged judge(const project::Project& plan) {
  const FinishedRun run = runToEnd(plan);
  EXPECT_TRUE(run.outcome.ok()) << run.outcome.message;
  const auto certificate = certify({plan, run.table, run.statistics.acceptedSteps}, kTwoAtOnce);
  EXPECT_TRUE(certificate.has_value());
  Judged result{certificate.value_or(Certificate{})};
  const results::Series* const v = run.table.find("mass.v");
  for (std::size_t i = 0; i < run.table.time.size(); ++i)
    result.trueError = std::fmax(result.trueError, std::fabs(v->numbers[i] - std::cos(3.0 * run.table.time[i])));
  return result;
}

void expectWithinAFactorOfTwo(const std::string& settings) {
  const Judged judged = judge(massOnSpring(settings));
  ASSERT_EQ(judged.certificate.failure, "") << settings;
  ASSERT_EQ(judged.certificate.variables.size(), 2U) << settings;
  const CertifiedVariable& v = judged.certificate.variables[0];
  EXPECT_EQ(v.name, "mass.v");
  EXPECT_TRUE(v.isCertified()) << settings << ": " << v.doubt << " " << v.order;
  EXPECT_GT(v.error / judged.trueError, 0.5) << settings;
  EXPECT_LT(v.error / judged.trueError, 2.0) << settings;
}

TEST(Certificate, MeetsTheTrueErrorOfFixedSteps) {
  const std::string simulation = "simulation = { end = 3.0, step = 0.01 }\n";
  for (const char* algorithm :
       {R"({ kind = "jacobi" })", R"({ kind = "gauss-seidel" })", R"({ kind = "jacobi", degree = 1 })",
        R"({ kind = "newton", rtol = 1e-10 })", R"({ kind = "iterated-gauss-seidel", degree = 1, rtol = 1e-10 })",
        R"({ kind = "semi-implicit", degree = 1 })"})
    expectWithinAFactorOfTwo(simulation + "algorithm = " + algorithm + "\n");
}

/// Rows that are farther apart than steps, and not at all steps of the shorter ones.
TEST(Certificate, ComparesAtTheRowsOfTheRun) {
  expectWithinAFactorOfTwo(
      "simulation = { end = 3.0, step = 0.01 }\nalgorithm = { kind = \"jacobi\" }\nresults = { interval = 0.025 }\n");
}

/// An error of order H^2 is a quarter with half the step, also where the degree is that of step control.
TEST(Certificate, DividesTolerancesWhereTheyChooseTheSteps) {
  for (const char* degree : {", degree = 1", ""}) {
    const std::string settings = "simulation = { end = 3.0, step = 0.01 }\nalgorithm = { kind = \"jacobi\"" +
                                 std::string(degree) + " }\nstep_control = { kind = \"double-step\", rtol = 1e-5 }\n";
    expectWithinAFactorOfTwo(settings);
    const std::array<double, 3> steps = judge(massOnSpring(settings)).certificate.meanSteps;
    EXPECT_NEAR(steps[0] / steps[1], 2.0, 0.2) << degree;
    EXPECT_NEAR(steps[1] / steps[2], 2.0, 0.2) << degree;
  }
}

/// A jump that only the run has, and repetitions that differ by less than algorithm.rtol = 1e-3 of it, but by more than
/// the tenth of step_control.rtol that iterations of tested steps leave open.
TEST(Certificate, BlamesIterationsForNoMoreThanTheyLeaveOpen) {
  const project::Project plan = massOnSpring(
      "simulation = { end = 3.0, step = 0.01 }\nalgorithm = { kind = \"newton\", rtol = 1e-3 }\n"
      "step_control = { kind = \"double-step\", rtol = 1e-3 }\n");
  FinishedRun run = runToEnd(plan);
  results::Series& v = run.table.series.front();
  ASSERT_EQ(v.name, "mass.v");
  v.numbers[5] += 1.0;
  const auto certificate = certify({plan, run.table, run.statistics.acceptedSteps}, kTwoAtOnce);
  ASSERT_TRUE(certificate.has_value());
  EXPECT_THAT(certificate->variables.front().doubt, HasSubstr("only the run itself differs"));
}

/// Groups are tested in place of what [algorithm] says.
TEST(Certificate, BlamesTheGroupsThatEndIterations) {
  const Judged judged =
      judge(massOnSpring("simulation = { end = 3.0, step = 0.01 }\nalgorithm = { kind = \"iterated-gauss-seidel\", "
                         "degree = 3, predictor = "
                         "0 }\n[[convergence]]\nname = \"all\"\nvariables = [\"*\"]\nrtol = 1e-2\n"));
  ASSERT_EQ(judged.certificate.variables.size(), 2U);
  EXPECT_THAT(judged.certificate.variables.front().doubt, HasSubstr("Tighten rtol in [[convergence]]"));
}

/// A square wave that is low at all ends of steps of 0.08 s, 0.04 s and 0.02 s, and high for 60 % of the time:
/// y' = 10 (u - y) comes near 0.6, not 0.
constexpr const char* kWaveInTime = R"toml(format = 1
simulation = { end = 2.0, step = 0.08 }
[[subsystems]]
name = "wave"
model = "expressions"
outputs = { u = "(abs(t*50-rint(t*50)) > 0.2 ? 1 : 0)" }
[[subsystems]]
name = "lag"
model = "expressions"
inputs = { u = 0.0 }
outputs = { y = "y" }
states = { y = 0.0 }
derivatives = { y = "10*(u-y)" }
[[connections]]
from = "wave.u"
to = "lag.u"
)toml";

TEST(Certificate, SeesWhatHappensInTimeWithHalvedSteps) {
  core::Log log;
  const project::Project plan = project::readText(kWaveInTime, "p.toml", log);
  const FinishedRun run = runToEnd(plan);
  const auto certificate = certify({plan, run.table, run.statistics.acceptedSteps}, kTwoAtOnce);
  ASSERT_TRUE(certificate.has_value());
  ASSERT_EQ(certificate->variables.size(), 2U);
  const CertifiedVariable& y = certificate->variables.back();
  EXPECT_EQ(y.name, "lag.y");
  EXPECT_GT(y.error, 0.5);
  EXPECT_THAT(y.doubt, HasSubstr("in time with them"));
}

/// As of an FMU that declares something else when it is opened for a third of the step.
TEST(Certificate, IsNoneOfAVariableThatTheThirdDoesNotKnow) {
  core::Log log;
  project::Project plan = project::readText(kWaveInTime, "p.toml", log);
  const FinishedRun run = runToEnd(plan);
  Certifying how = kTwoAtOnce;
  how.progress = [&](unsigned done, unsigned of) {
    if (done > 0 || of > 1) return;  // halves and quarters
    plan.subsystems.back().name.value = plan.connections.front().to.subsystem = "late";
  };
  const auto certificate = certify({plan, run.table, run.statistics.acceptedSteps}, how);
  ASSERT_TRUE(certificate.has_value());
  ASSERT_EQ(certificate->variables.size(), 2U);
  const CertifiedVariable& y = certificate->variables.back();
  EXPECT_EQ(y.name, "lag.y");
  EXPECT_FALSE(y.isCertified());
  EXPECT_THAT(y.doubt, HasSubstr("missing when the run was repeated"));
}

TEST(Certificate, IsNoneOfARunThatCannotBeRepeated) {
  project::Project plan = massOnSpring("simulation = { end = 1.0, step = 0.01 }\nalgorithm = { kind = \"jacobi\" }\n");
  const FinishedRun run = runToEnd(plan);
  plan.settings.explosionLimit = 0.5;  // below what v is
  const auto certificate = certify({plan, run.table, run.statistics.acceptedSteps}, kTwoAtOnce);
  ASSERT_TRUE(certificate.has_value());
  EXPECT_THAT(certificate->failure, HasSubstr("The run with 1/2 of the step did not complete. "));
  EXPECT_FALSE(certificate->isWhole());
  EXPECT_THAT(certificateText(*certificate), HasSubstr("not certified: The run with 1/2"));
}

/// As of an FMU that declares something else the next time it is opened.
TEST(Certificate, IsNoneOfAVariableThatRepetitionsDoNotKnow) {
  const project::Project plan =
      massOnSpring("simulation = { end = 1.0, step = 0.01 }\nalgorithm = { kind = \"jacobi\" }\n");
  FinishedRun run = runToEnd(plan);
  run.table.series.front().name = "mass.w";
  const auto certificate = certify({plan, run.table, run.statistics.acceptedSteps}, kTwoAtOnce);
  ASSERT_TRUE(certificate.has_value());
  ASSERT_EQ(certificate->variables.size(), 2U);
  EXPECT_EQ(certificate->variables.front().name, "mass.w");
  EXPECT_FALSE(certificate->variables.front().isCertified());
  EXPECT_TRUE(certificate->variables.back().isCertified());
  EXPECT_FALSE(certificate->isWhole());
  const std::string text = certificateText(*certificate);
  EXPECT_THAT(text, HasSubstr("not certified: mass.w: it was missing when the run was repeated."));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("nan")));
}

TEST(Certificate, IsNoneOfAnInterruptedRepetition) {
  const project::Project plan =
      massOnSpring("simulation = { end = 1.0, step = 0.01 }\nalgorithm = { kind = \"jacobi\" }\n");
  const FinishedRun run = runToEnd(plan);
  EXPECT_FALSE(
      certify({plan, run.table, run.statistics.acceptedSteps}, {.interrupted = [] { return true; }}).has_value());
}

TEST(Certification, HalvesStepsAndDividesTolerances) {
  project::Project plan = massOnSpring("simulation = { end = 1.0, step = 0.01 }\n");
  plan.settings.algorithm.degree = 1;
  EXPECT_EQ(refined(plan.settings, 2).step, 0.005);
  EXPECT_EQ(refined(plan.settings, 4).step, 0.0025);
  EXPECT_EQ(refined(plan.settings, 2).outputInterval, 0.01) << "the rows of the run are among them";
  EXPECT_EQ(refined(plan.settings, 4).algorithm.rtol, plan.settings.algorithm.rtol);
  plan.settings.stepControl.kind = stepping::StepControlKind::doubleStep;
  plan.settings.stepControl.rtol = 1e-3;
  plan.settings.stepControl.minStep = 1e-4;
  plan.settings.algorithm.convergence = {{.name = "v", .variables = {}, .tolerance = {1e-4, 1e-2}}};
  EXPECT_DOUBLE_EQ(refined(plan.settings, 2).stepControl.rtol, 1e-3 / 4.0);
  EXPECT_DOUBLE_EQ(refined(plan.settings, 4).stepControl.rtol, 1e-3 / 16.0);
  EXPECT_DOUBLE_EQ(refined(plan.settings, 4).stepControl.minStep, 1e-4 / 4.0);
  EXPECT_DOUBLE_EQ(refined(plan.settings, 4).stepControl.maxStep, 1.0 / 50.0 / 4.0) << "of a fiftieth of the interval";
  plan.settings.stepControl.minStep = 0.1;
  EXPECT_DOUBLE_EQ(refined(plan.settings, 4).stepControl.maxStep, 0.1 / 4.0) << "of a longer least step";
  plan.settings.stepControl.kind = stepping::StepControlKind::convergence;
  EXPECT_DOUBLE_EQ(refined(plan.settings, 4).stepControl.maxStep, 1.0 / 4.0) << "of the whole interval";
  plan.settings.stepControl.kind = stepping::StepControlKind::doubleStep;
  const core::Tolerance ofGroup = refined(plan.settings, 4).algorithm.convergence.front().tolerance;
  EXPECT_DOUBLE_EQ(ofGroup.rtol, 1e-4 / 16.0);
  EXPECT_DOUBLE_EQ(ofGroup.atol.value(), 1e-2 / 16.0);
}

TEST(Certification, IsRefusedWhereThereIsNoStepToHalve) {
  project::Project plan = massOnSpring("simulation = { end = 1.0, step = 0.01 }\n");
  requireCertifiable(plan);
  for (const auto kind : {coupling::AlgorithmKind::masterSlave, coupling::AlgorithmKind::modelCoupling}) {
    plan.settings.algorithm.kind = kind;
    EXPECT_THAT(test::messageOf<core::InputError>([&] { requireCertifiable(plan); }), HasSubstr("cannot be certified"));
  }
}

}  // namespace
}  // namespace koppla::study::certificate_test
