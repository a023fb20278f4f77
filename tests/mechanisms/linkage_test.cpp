// Slider-crank and four-bar linkage by method 3 with relaxation (Lu, sec. 3.3.3.4 and 3.3.3.5; B11 and B12 of the
// note).

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mechanism_run.hpp"
#include "printed.hpp"
#include "support/extremes.hpp"
#include "support/figure.hpp"

namespace koppla::test::linkage_test {
namespace {

struct Instant {
  double t;
  std::vector<double> values;
};

/// Forces stand last, with `lastDigit` in the table.
void expectReference(const Whole& reference, const std::vector<std::string>& variables, double lastDigit,
                     const std::vector<Instant>& rows) {
  for (const Instant& row : rows)
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const bool isForce = variables[i].find("lambda") != std::string::npos;
      EXPECT_NEAR(reference.value(variables[i], row.t), row.values.at(i), isForce ? 0.6 * lastDigit : 6e-9)
          << variables[i] << " at " << row.t;
    }
}

const std::string kLinear = "algorithm.degree=1";
const std::string kNoteProbes = "algorithm.increment=1e-3";
constexpr double kSettled = 0.021;  // s; the note looks at forces after 0.02 s

const Whole& sliderCrank() {
  static const Whole reference("slider-crank", 1e-3, {.kind = solver::Kind::ode5, .microStep = 2.5e-4});
  return reference;
}

const std::string kPhi1 = "crank.rod1.rotation";
const std::string kPhi2 = "rod.rod2.rotation";

TEST(SliderCrank, ReferenceIsThePrintedOne) {
  expectReference(sliderCrank(), {kPhi1, kPhi2, "hinge.lambda[1]", "hinge.lambda[2]"}, 1e-5,
                  {{0.00, {1.57079633, 2.61799388, -4.28571, -8.57282}},
                   {0.25, {1.50387980, 2.61928555, -5.14120, -7.82529}},
                   {0.50, {1.30385747, 2.63832405, -7.20735, -5.86213}},
                   {1.00, {0.41038453, 2.94076443, -1.84988, 1.75077}},
                   {1.50, {-1.98904569, 3.61610046, -23.96338, -34.64277}},
                   {2.00, {-3.71207788, 2.86817859, 11.08648, -8.10941}}});
}

/// How far the crank's pin and the slider's guide come apart (m).
double internalDrift(const MechanismRun& run) {
  const auto distance = [&](const std::string& body, const char* component, double length, auto function) {
    const std::vector<double>& position = run.series(body + ".position" + component);
    const std::vector<double>& phi = run.series(body + ".rotation");
    test::Largest result;
    for (std::size_t i = 0; i < phi.size(); ++i) result.see(std::fabs(position[i] - length * function(phi[i])));
    return result;
  };
  const auto cosine = [](double phi) { return std::cos(phi); };
  const auto sine = [](double phi) { return std::sin(phi); };
  return test::largestOf(distance("crank.rod1", "[1]", 0.5, cosine), distance("crank.rod1", "[2]", 0.5, sine),
                         distance("rod.rod2", "[2]", 1.0, sine));
}

TEST(SliderCrank, ErrorsAreThePrintedOnes) {
  struct Case {
    Settings settings;
    std::string phi1, phi2, lambda, mu, position, velocity, drift;
  };
  const std::string relaxed = "algorithm.relaxation=0.9";
  for (const Case& c :
       {Case{{}, "6.5e-6", "2.7e-6", "3.2e-1", "2.6e-5", "2e-13", "3e-10", "3.8e-7"},
        Case{{relaxed}, "2.1e-6", "9.2e-7", "3.2e-1", "8.7e-6", "5.6e-8", "1.1e-4", "1.3e-7"},
        Case{{kLinear, relaxed}, "4.3e-6", "1.8e-6", "1.8e-3", "1.7e-5", "1.9e-8", "5.6e-5", "2.5e-7"}}) {
    const MechanismRun run = runMechanism("slider-crank", c.settings + Settings{kNoteProbes});
    expectPrinted(run.error(sliderCrank(), kPhi1), c.phi1, text(c.settings) + " phi1");
    expectPrinted(run.error(sliderCrank(), kPhi2), c.phi2, text(c.settings) + " phi2");
    expectPrinted(run.error(sliderCrank(), "hinge.lambda", kSettled), c.lambda, text(c.settings) + " lambda");
    expectPrinted(run.largest("hinge.mu"), c.mu, text(c.settings) + " mu");
    expectPrinted(run.largest("hinge.position_defect"), c.position, text(c.settings) + " g");
    expectPrinted(run.largest("hinge.velocity_defect"), c.velocity, text(c.settings) + " g'");
    expectPrinted(internalDrift(run), c.drift, text(c.settings) + " drift");
  }
}

TEST(SliderCrank, ErrorsOfMethod3) {
  struct Case {
    std::string figure;
    Settings settings;
  };
  std::vector<double> lambda;
  for (const Case& c : {Case{"phi1-k0", {}}, Case{"phi1-k0-relaxed", {"algorithm.relaxation=0.9"}},
                        Case{"phi1-k1-relaxed", {kLinear, "algorithm.relaxation=0.9"}}}) {
    const MechanismRun run = runMechanism("slider-crank", c.settings);
    showAtMost({"lu R34", c.figure, "at most 1e-5 rad at H = 1e-3 s"}, run.error(sliderCrank(), kPhi1), 1e-5);
    lambda.push_back(run.error(sliderCrank(), "hinge.lambda", kSettled));
  }
  const double ratio = lambda[0] / lambda[2];
  showFigure({"lu R34", "lambda", "error of (0,1) at least 50 times that of (1,0.9)"}, fmt::format("{:.0f}", ratio),
             ratio >= 50.0);
}

TEST(SliderCrank, StraightLinesWithoutRelaxationBlowUp) {
  const MechanismRun run = attempt("slider-crank", {kLinear, kNoteProbes});
  const bool warned = run.warns("unstable with degree = 1");
  const double end = run.table.time.back();
  showFigure({"lu R34", "unrelaxed", "(1,1) diverges or is refused"},
             fmt::format("{}, {} at {:.2f} s", warned ? "warning" : "no warning", run::word(run.outcome.kind), end),
             warned && !run.outcome.ok());
  EXPECT_NEAR(end, 1.73, 0.006);
}

const Whole& fourBar() {
  static const Whole reference("four-bar", 1e-3, {.kind = solver::Kind::ode5, .microStep = 2e-4});
  return reference;
}

const std::string kPhi21 = "left.half21.rotation";
const std::string kX21 = "left.half21.position[1]";

TEST(FourBarLinkage, ReferenceIsThePrintedOne) {
  // The moment has the other sign here: the third equation is phi22 - phi21, as in Lu (189), the note's phi21 - phi22.
  expectReference(fourBar(),
                  {"left.rod1.rotation", kX21, "left.half21.position[2]", kPhi21, "weld.lambda[1]", "weld.lambda[2]",
                   "weld.lambda[3]"},
                  1e-4,
                  {{0.00, {0.78539816, 1.09176431, 1.02654157, 0.69302798, -1.6933, -2.3589, -1.0938}},
                   {0.25, {0.46264128, 1.21174894, 0.83308458, 0.88441219, 26.7435, 31.5841, -6.8848}},
                   {0.50, {-0.01861866, 1.11583848, 0.46773750, 1.33663879, 2.3409, 10.0161, -2.4590}},
                   {0.75, {-0.67797948, 0.71691939, -0.13106982, 1.69495956, -1.1390, -20.4769, -4.5564}},
                   {1.00, {-2.57621514, -0.55271573, -0.12962107, 0.94795986, -23.4110, -39.1909, 10.1476}}});
}

TEST(FourBarLinkage, ErrorsAreThePrintedOnes) {
  struct Case {
    Settings settings;
    std::string phi21, x21, lambda, position, velocity;
  };
  const std::string relaxed = "algorithm.relaxation=0.7";
  for (const Case& c :
       {Case{{}, "2.2e-6", "1.8e-6", "0.40", "3e-13", "1e-9"},
        Case{{relaxed}, "9.2e-6", "7.6e-6", "0.41", "4.3e-7", "8.5e-4"},
        Case{{kLinear, relaxed}, "5.7e-6", "4.7e-6", "5.4e-3", "1.4e-7", "4.3e-4"},
        Case{{kLinear}, "7.8e-6", "1.6e-6", "79", "1.4e-6", "7.1e-4"},
        Case{{"weld.method=baumgarte", "weld.beta=5e-4"}, "8.8e-8", "7.9e-8", "0.40", "8.3e-8", "1.7e-4"}}) {
    const MechanismRun run = runMechanism("four-bar", c.settings + Settings{kNoteProbes});
    expectPrinted(run.error(fourBar(), kPhi21), c.phi21, text(c.settings) + " phi21");
    expectPrinted(run.error(fourBar(), kX21), c.x21, text(c.settings) + " x21");
    expectPrinted(run.error(fourBar(), "weld.lambda", kSettled), c.lambda, text(c.settings) + " lambda");
    expectPrinted(run.largest("weld.position_defect"), c.position, text(c.settings) + " g");
    expectPrinted(run.largest("weld.velocity_defect"), c.velocity, text(c.settings) + " g'");
  }
}

TEST(FourBarLinkage, ErrorsOfMethod3) {
  struct Case {
    std::string figure;
    Settings settings;
  };
  for (const Case& c : {Case{"phi21-k0", {}}, Case{"phi21-k0-relaxed", {"algorithm.relaxation=0.7"}},
                        Case{"phi21-k1-relaxed", {kLinear, "algorithm.relaxation=0.7"}}})
    showAtMost({"lu R35", c.figure, "at most 1.4e-5 rad at H = 1e-3 s"},
               runMechanism("four-bar", c.settings).error(fourBar(), kPhi21), 1.4e-5);
}

}  // namespace
}  // namespace koppla::test::linkage_test
