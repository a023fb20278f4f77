// Which options have an effect with which algorithm, acceleration, step control and integrator; the others are warned
// of.

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/coupling/accelerator.hpp"
#include "koppla/project/reader.hpp"

#include "option_effects.hpp"

namespace koppla::project::options_test {
namespace {

using test::expectEffects;
using test::mistakes;
using test::Option;
using test::warnings;
using test::Words;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string kEnd = "[[subsystems]]\nname = \"a\"\nfmu = \"a.fmu\"\n";

Reading readingOf(const std::string& sections, const std::string& simulation = "end = 10.0\nstep = 0.1\n") {
  return parse("format = 1\n[simulation]\n" + simulation + sections + kEnd, "loop.toml");
}

const Words kAlgorithms{"jacobi",          "gauss-seidel",          "master-slave", "model-coupling",
                        "iterated-jacobi", "iterated-gauss-seidel", "newton",       "semi-implicit"};
const Words kIterating{"iterated-jacobi", "iterated-gauss-seidel", "newton", "semi-implicit"};
const Words kFixedPoint{"iterated-jacobi", "iterated-gauss-seidel"};

TEST(Options, OfAlgorithmsAreThoseOfTheirKind) {
  const Words semiImplicit{"semi-implicit"};
  const Words tested{"iterated-jacobi", "iterated-gauss-seidel", "newton"};
  const std::vector<Option> options{{"rtol = 1e-3", kIterating},
                                    {"convergence = \"residual\"", tested},
                                    {"relative_to = \"first-residual\"", tested},
                                    {"atol = 1e-3", kIterating},
                                    {"norm = \"max\"", kIterating},
                                    {"discrete = \"ignore\"", kIterating},
                                    {"without_convergence = \"accept\"", kIterating},
                                    {"explosion_growth = 10", kIterating},
                                    {"waveform = 1", kFixedPoint},
                                    {"predictor = 1", {"iterated-jacobi", "iterated-gauss-seidel", "newton"}},
                                    {"sensitivities = \"differences\"", semiImplicit},
                                    {"increment = 1e-3", semiImplicit},
                                    {"increments = {\"a.y\" = 1e-3}", semiImplicit},
                                    {"probes = \"parallel\"", semiImplicit},
                                    {"final_update = true", semiImplicit},
                                    {"iterate = true", semiImplicit},
                                    {"relaxation = 1", semiImplicit},
                                    {"relaxed = \"all\"", semiImplicit},
                                    {"master = \"a\"", {"master-slave", "model-coupling"}},
                                    {"degree = 0", kAlgorithms}};
  expectEffects(kAlgorithms, options, [](const std::string& kind, const std::string& line) {
    return readingOf("[algorithm]\nkind = \"" + kind + "\"\n" + line + "\n");
  });
  expectEffects(kAlgorithms, {{"threads = 2", {"jacobi", "iterated-jacobi", "model-coupling", "semi-implicit"}}},
                [](const std::string& kind, const std::string& line) {
                  return readingOf("[algorithm]\nkind = \"" + kind + "\"\n", "end = 1\nstep = 0.1\n" + line + "\n");
                });
}

TEST(Options, OfTheIterationNeedOneUnderSemiImplicitCoupling) {
  const auto with = [](const std::string& lines) {
    return warnings(readingOf("[algorithm]\nkind = \"semi-implicit\"\nmax_iterations = 7\n" + lines));
  };
  EXPECT_THAT(with(""),
              ElementsAre(HasSubstr("'max_iterations' in [algorithm] has no effect: one correction is made")));
  EXPECT_THAT(with("iterate = false\n"), ElementsAre(HasSubstr("'max_iterations'")));
  EXPECT_THAT(with("iterate = true\n"), IsEmpty());
  for (const std::string& kind : kAlgorithms) {
    if (kind == "semi-implicit") continue;
    const bool iterates = std::ranges::find(kIterating, kind) != kIterating.end();
    EXPECT_EQ(warnings(readingOf("[algorithm]\nkind = \"" + kind + "\"\nmax_iterations = 7\n")).empty(), iterates)
        << kind;
  }
}

TEST(Options, FormulasProbeNothing) {
  const auto with = [](const std::string& line) {
    return warnings(readingOf("[algorithm]\nkind = \"semi-implicit\"\nsensitivities = \"formulas\"\n" + line));
  };
  for (const char* line : {"increment = 1e-3\n", "probes = \"parallel\"\n", "increments = {\"a.y\" = 1e-3}\n"})
    EXPECT_THAT(with(line), ElementsAre(HasSubstr("has no effect: formulas probe nothing."))) << line;
  EXPECT_THAT(with("iterate = true\n"), IsEmpty());
}

TEST(Options, OfTheErrorEstimateServeExplicitAlgorithmsToo) {
  const auto effects = [](const std::string& control, const std::string& line) {
    return warnings(
               readingOf("[algorithm]\nkind = \"jacobi\"\n" + line + "\n[step_control]\nkind = \"" + control + "\"\n"))
        .empty();
  };
  for (const char* line : {"rtol = 1e-3", "atol = 1e-3"}) {
    EXPECT_TRUE(effects("double-step", line)) << line;
    EXPECT_TRUE(effects("predictor-corrector", line)) << line;
    EXPECT_FALSE(effects("fixed", line)) << line;
  }
  for (const char* line : {"norm = \"max\"", "discrete = \"ignore\""}) {
    EXPECT_TRUE(effects("double-step\"\nestimate = \"nicolai", line)) << line;
    EXPECT_FALSE(effects("double-step", line)) << line;
    EXPECT_FALSE(effects("predictor-corrector", line)) << line;
    EXPECT_FALSE(effects("fixed", line)) << line;
  }
}

TEST(Options, OfPolynomialsNeedADegree) {
  const auto with = [](const std::string& lines) { return readingOf("[algorithm]\nkind = \"jacobi\"\n" + lines); };
  EXPECT_THAT(
      warnings(with("samples = \"values-and-slopes\"\n")),
      ElementsAre(HasSubstr("'samples' in [algorithm] has no effect: polynomials of degree 0 go through one value.")));
  EXPECT_THAT(warnings(with("start_up = \"master-slave\"\n")),
              ElementsAre(HasSubstr("'start_up' in [algorithm] has no effect: polynomials of degree 0 need no past.")));
  EXPECT_THAT(warnings(with("degree = 1\nsamples = \"values-and-slopes\"\nstart_up = \"master-slave\"\n")), IsEmpty());
  EXPECT_THAT(warnings(with("degree = -1\nsamples = \"values-and-slopes\"\nstart_up = \"master-slave\"\n")), IsEmpty())
      << "the mistyped degree may be another";
}

/// Step control that keeps the coupling error raises a degree that is not given.
TEST(Options, OfPolynomialsAreUsedWhereStepControlRaisesTheDegree) {
  const auto with = [](const std::string& degree, const std::string& control) {
    return warnings(readingOf("[algorithm]\nkind = \"jacobi\"\nsamples = \"values-and-slopes\"\n" + degree +
                              "start_up = \"master-slave\"\n[step_control]\nkind = " + control + "\n"));
  };
  const std::string raises = "\"predictor-corrector\"";
  EXPECT_THAT(with("", raises), IsEmpty());
  EXPECT_EQ(with("degree = 0\n", raises).size(), 2U);
  EXPECT_EQ(with("", raises + "\nestimate = \"schmoll\"").size(), 2U);
  EXPECT_EQ(with("", "\"fixed\"").size(), 2U);
}

TEST(Options, SlopesAreForExplicitAlgorithms) {
  for (const std::string& kind : kAlgorithms) {
    const auto with = [&](const std::string& samples) {
      return mistakes(readingOf("[algorithm]\nkind = \"" + kind + "\"\ndegree = 1\nsamples = \"" + samples + "\"\n"));
    };
    EXPECT_THAT(with("values"), IsEmpty()) << kind;
    if (std::ranges::find(kIterating, kind) == kIterating.end())
      EXPECT_THAT(with("values-and-slopes"), IsEmpty()) << kind;
    else
      EXPECT_THAT(
          with("values-and-slopes"),
          ElementsAre("8:11 Slopes are for explicit algorithms; '" + kind +
                      "' iterates and sends values only. Choose jacobi, gauss-seidel or master-slave, or samples "
                      "= \"values\"."));
  }
}

TEST(Options, OfAccelerationsAreThoseOfTheirKind) {
  const Words adaptive{"adaptive"};
  const Words quasiNewton{"anderson", "iqn-ils", "iqn-imvj", "broyden"};
  const Words squares{"anderson", "iqn-ils", "iqn-imvj"};
  const Words kinds{"auto",     "none",     "constant", "aitken",   "aitken-per-scalar",
                    "adaptive", "anderson", "iqn-ils",  "iqn-imvj", "broyden"};
  const std::vector<Option> options{
      {"factor = 1.99", {"constant", "aitken", "aitken-per-scalar", "anderson", "iqn-ils", "iqn-imvj", "broyden"}},
      {"factors = {\"a.y\" = 1.99}", {"constant"}},
      {"values = \"all\"", {"constant", "aitken", "aitken-per-scalar", "adaptive"}},
      {"influence = 1", adaptive},
      {"lower = 1", adaptive},
      {"upper = 1", adaptive},
      {"gain = 7", adaptive},
      {"slope = 7", adaptive},
      {"mass = 1", adaptive},
      {"margin = 0.2", adaptive},
      {"reused_steps = 2", {"iqn-ils", "iqn-imvj", "broyden"}},
      {"columns = 2", quasiNewton},
      {"filter = \"qr1\"", squares},
      {"scaling = \"value\"", quasiNewton}};
  expectEffects(kinds, options, [](const std::string& kind, const std::string& line) {
    return readingOf("[algorithm]\nkind = \"iterated-jacobi\"\n[acceleration]\nkind = \"" + kind + "\"\n" + line +
                     "\n");
  });
  for (const char* filter : {"none", "qr1", "qr2"})
    expectEffects(kinds, {{"filter_limit = 1", std::string_view(filter) == "none" ? Words{} : squares}},
                  [&](const std::string& kind, const std::string& line) {
                    return readingOf("[algorithm]\nkind = \"iterated-jacobi\"\n[acceleration]\nkind = \"" + kind +
                                     "\"\nfilter = \"" + filter + "\"\n" + line + "\n");
                  });
  // Under an algorithm that has no iteration, or corrects by derivatives, nothing is accelerated.
  for (const std::string& algorithm : kAlgorithms) {
    if (std::ranges::find(kFixedPoint, algorithm) != kFixedPoint.end()) continue;
    const bool iterates = std::ranges::find(kIterating, algorithm) != kIterating.end();
    EXPECT_THAT(
        warnings(readingOf("[algorithm]\nkind = \"" + algorithm +
                           "\"\n[acceleration]\nkind = \"constant\"\nfactor = 0.5\n[[convergence]]\nvariables = "
                           "[\"a.y\"]\nrtol = 1e-3\natol = 1e-3\nnorm = \"max\"\nname = \"g\"\n")),
        testing::AllOf(testing::SizeIs(6),
                       testing::Each(HasSubstr(iterates ? "corrects by derivatives." : "does not iterate."))))
        << algorithm;
  }
}

TEST(Options, OfAccelerationsHaveTheirLimits) {
  const auto with = [](const std::string& kind, const std::string& line) {
    return mistakes(
        readingOf("[algorithm]\nkind = \"iterated-jacobi\"\n[acceleration]\nkind = \"" + kind + "\"\n" + line + "\n"));
  };
  EXPECT_THAT(with("constant", "factor = 2.0"),
              ElementsAre("9:10 'factor' is 2; it must be below 2. Beyond 2 no iteration converges (Jung, eq. 2.7)."));
  EXPECT_THAT(with("adaptive", "margin = 0.25"), ElementsAre("9:10 'margin' is 0.25; it must be at most 0.2."));
  for (const char* key : {"influence", "lower", "upper", "mass"})
    EXPECT_THAT(with("adaptive", std::string(key) + " = 1.5"),
                ElementsAre(HasSubstr("'" + std::string(key) + "' is 1.5; it must be at most 1.")));
  EXPECT_THAT(with("iqn-ils", "filter_limit = 1.5"), ElementsAre("9:16 'filter_limit' is 1.5; it must be at most 1."));
  for (const char* key : {"lower", "upper", "margin", "factor", "filter_limit"})
    EXPECT_THAT(with("adaptive", std::string(key) + " = 0"), ElementsAre(HasSubstr("it must be above 0.")));
  for (const char* key : {"influence", "gain", "slope", "mass"}) {
    EXPECT_THAT(with("adaptive", std::string(key) + " = 0"), IsEmpty());
    EXPECT_THAT(with("adaptive", std::string(key) + " = -1"), ElementsAre(HasSubstr("it must be at least 0.")));
  }
  EXPECT_THAT(with("iqn-ils", "columns = 0"), ElementsAre(HasSubstr("it must be at least 1.")));
  EXPECT_THAT(with("iqn-ils", "reused_steps = 0"), IsEmpty());
  EXPECT_THAT(with("adaptive", "set = \"nobodys\""), ElementsAre(HasSubstr("9:7 There is no set 'nobodys'.")));
}

TEST(Options, SetsOfAdaptiveRelaxationAreTakenWithChanges) {
  const auto adaptive = [](const std::string& lines) {
    const Reading reading =
        readingOf("[algorithm]\nkind = \"iterated-jacobi\"\n[acceleration]\nkind = \"adaptive\"\n" + lines);
    EXPECT_THAT(mistakes(reading), IsEmpty());
    return reading.project.settings.algorithm.acceleration.adaptive;
  };
  for (const coupling::AdaptiveSet& set : coupling::adaptiveSets()) {
    const coupling::AdaptiveParameters taken = adaptive("set = \"" + std::string(set.name) + "\"\nmargin = 0.125\n");
    EXPECT_EQ(taken.influence, set.parameters.influence);
    EXPECT_EQ(taken.gain, set.parameters.gain);
    EXPECT_EQ(taken.lower, set.parameters.lower);
    EXPECT_EQ(taken.upper, set.parameters.upper);
    EXPECT_EQ(taken.margin, 0.125);
  }
  EXPECT_GE(coupling::adaptiveSets().size(), 2U) << "or dropping the set would be no difference";
}

TEST(Options, GroupsOfTheConvergenceTestInheritAndAreNamed) {
  const Reading reading = readingOf(
      "[algorithm]\nkind = \"iterated-jacobi\"\nrtol = 0.25\natol = 0.5\nnorm = \"max\"\n"
      "[[convergence]]\nvariables = [\"a.x\", \"a.y\"]\n"
      "[[convergence]]\nvariables = [\"a.z\"]\nname = \"own\"\nrtol = 0.125\natol = 0\nnorm = \"rms\"\n");
  ASSERT_THAT(mistakes(reading), IsEmpty());
  const auto& groups = reading.project.settings.algorithm.convergence;
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].name, "a.x");
  EXPECT_EQ(groups[0].variables, (Words{"a.x", "a.y"}));
  EXPECT_EQ(groups[0].tolerance.rtol, 0.25);
  EXPECT_EQ(groups[0].tolerance.atol, 0.5);
  EXPECT_EQ(groups[0].norm, coupling::Norm::max);
  EXPECT_EQ(groups[1].name, "own");
  EXPECT_EQ(groups[1].tolerance.rtol, 0.125);
  EXPECT_EQ(groups[1].tolerance.atol, 0.0);
  EXPECT_EQ(groups[1].norm, coupling::Norm::rms);
}

TEST(Options, NoResidualFallsToNothingOfTheFirstOne) {
  const auto with = [](const std::string& lines, const std::string& group) {
    return mistakes(readingOf("[algorithm]\nkind = \"iterated-jacobi\"\n" + lines +
                              "[[convergence]]\nvariables = [\"a.x\"]\n" + group));
  };
  const std::string relative = "relative_to = \"first-residual\"\n";
  EXPECT_THAT(with(relative, ""), IsEmpty());
  EXPECT_THAT(with("atol = 1.0\nrtol = 0\n", ""), IsEmpty());
  EXPECT_THAT(with(relative + "atol = 1.0\nrtol = 0\n", "rtol = 0.1\n"),
              ElementsAre(HasSubstr("9:8 rtol is 0, so no residual can have fallen to that part of the first one.")));
  EXPECT_THAT(with(relative, "atol = 1.0\nrtol = 0\n"), ElementsAre(HasSubstr("11:8 rtol is 0, so no residual")));
}

TEST(Options, GroupsOfTheConvergenceTestNeedVariablesTolerancesAndNames) {
  const auto with = [](const std::string& groups) {
    return mistakes(readingOf("[algorithm]\nkind = \"iterated-jacobi\"\natol = 0\nrtol = 1e-3\n" + groups));
  };
  const std::string group = "[[convergence]]\nvariables = [\"a.x\"]\n";
  EXPECT_THAT(with("[[convergence]]\nvariables = []\n"),
              ElementsAre(HasSubstr("10:13 A group of the convergence test has no variables.")));
  EXPECT_THAT(
      with(group + "rtol = 0\n"),
      ElementsAre("11:8 rtol and atol are both 0; no iteration or test can meet that. Make at least one of them "
                  "positive."));
  EXPECT_THAT(with(group + "rtol = 0\natol = 0\n"), ElementsAre(HasSubstr("12:8 rtol and atol are both 0;")));
  EXPECT_THAT(with(group + "rtol = 0\natol = 0.1\n"), IsEmpty());
  EXPECT_THAT(with(group + "rtol = -1\natol = 0\n"), ElementsAre(HasSubstr("it must be at least 0.")));
  EXPECT_THAT(with(group + group),
              ElementsAre("12:13 There are two groups 'a.x' of the convergence test. Give them different names."));
  EXPECT_THAT(with(group + "name = \"g\"\n" + group + "name = \"g\"\n"),
              ElementsAre(HasSubstr("14:8 There are two groups 'g'")));
  EXPECT_THAT(with(group + group + "name = \"g\"\n"), IsEmpty());
}

TEST(Options, OfStepControlsAreThoseOfTheirKind) {
  const Words adapting{"convergence", "double-step", "predictor-corrector"};
  const std::vector<Option> options{{"min_step = 0.1", adapting},
                                    {"max_step = 0.1", adapting},
                                    {"grow = 1", adapting},
                                    {"untested_below = 0.1", {"convergence", "double-step"}},
                                    {"shrink = 1.5", {"convergence", "predictor-corrector"}},
                                    {"rtol = 1e-3", {"double-step", "predictor-corrector"}},
                                    {"atol = 1e-3", {"double-step", "predictor-corrector"}},
                                    {"estimate = \"coupling-error\"", {"double-step", "predictor-corrector"}},
                                    {"controller = \"pi\"", {"predictor-corrector"}},
                                    {"safety = 1", {"double-step", "predictor-corrector"}}};
  expectEffects(
      {"fixed", "convergence", "double-step", "predictor-corrector"}, options,
      [](const std::string& kind, const std::string& line) {
        return readingOf("[algorithm]\nkind = \"newton\"\n[step_control]\nkind = \"" + kind + "\"\n" + line + "\n");
      });
}

TEST(Options, OfStepControlsHaveTheirLimits) {
  const auto with = [](const std::string& kind, const std::string& lines, const std::string& algorithm = "newton") {
    return mistakes(
        readingOf("[algorithm]\nkind = \"" + algorithm + "\"\n[step_control]\nkind = \"" + kind + "\"\n" + lines));
  };
  EXPECT_THAT(with("predictor-corrector", "safety = 1.5\n"),
              ElementsAre("9:10 'safety' is 1.5; it must be at most 1."));
  EXPECT_THAT(with("double-step", "rtol = 0\natol = 0\n"), ElementsAre(HasSubstr("10:8 rtol and atol are both 0;")));
  EXPECT_THAT(with("double-step", "rtol = 0\natol = 0.1\n"), IsEmpty());
  EXPECT_THAT(with("double-step", "min_step = 0.3\nmax_step = 0.3\n"),
              ElementsAre(HasSubstr("The first step, 0.1 s, is shorter")));
  EXPECT_THAT(with("double-step", "max_step = 0\nmin_step = 0.05\n"), IsEmpty()) << "0 is no limit";
  EXPECT_THAT(with("fixed", "min_step = 5\nmax_step = 1\n"), IsEmpty()) << "without effect";
  for (const char* kind : {"convergence", "double-step", "predictor-corrector"})
    EXPECT_THAT(with(kind, "", "model-coupling"), Contains(HasSubstr("Under model coupling nothing is exchanged")))
        << kind;
  EXPECT_THAT(with("fixed", "", "model-coupling"), IsEmpty());
  for (const char* kind : {"convergence", "double-step"})
    EXPECT_THAT(with(kind, "", "master-slave"),
                Contains(HasSubstr("The step control '" + std::string(kind) + "' repeats steps")));
  EXPECT_THAT(with("predictor-corrector", "", "master-slave"), Not(Contains(HasSubstr("repeats steps"))));
  EXPECT_THAT(with("fixed", "", "master-slave"), IsEmpty());
  for (const std::string& algorithm : kAlgorithms) {
    const bool iterates = std::ranges::find(kIterating, algorithm) != kIterating.end();
    if (iterates)
      EXPECT_THAT(with("convergence", "", algorithm), IsEmpty()) << algorithm;
    else
      EXPECT_THAT(with("convergence", "", algorithm),
                  Contains(HasSubstr("needs an algorithm that iterates; '" + algorithm)));
  }
}

TEST(Options, EstimatesOfSourcesBelongToTheirKind) {
  const auto with = [](const std::string& kind, const std::string& estimate) {
    return mistakes(readingOf("[algorithm]\nkind = \"newton\"\n[step_control]\nkind = \"" + kind + "\"\nestimate = \"" +
                              estimate + "\"\n"));
  };
  for (const char* kind : {"double-step", "predictor-corrector"})
    EXPECT_THAT(with(kind, "coupling-error"), IsEmpty()) << kind;
  EXPECT_THAT(with("double-step", "nicolai"), IsEmpty());
  EXPECT_THAT(with("predictor-corrector", "schmoll"), IsEmpty());
  EXPECT_THAT(with("double-step", "schmoll"),
              ElementsAre(HasSubstr("9:12 The estimate 'schmoll' is not for the step control 'double-step'.")));
  EXPECT_THAT(with("predictor-corrector", "nicolai"),
              ElementsAre(HasSubstr("9:12 The estimate 'nicolai' is not for the step control 'predictor-corrector'.")));
}

/// The source's part of the step that would do.
TEST(Options, SchmollsEstimateHasHisSafety) {
  const auto safety = [](const std::string& lines) {
    return readingOf("[step_control]\nkind = \"predictor-corrector\"\n" + lines).project.settings.stepControl.safety;
  };
  EXPECT_EQ(safety("estimate = \"schmoll\"\n"), 0.95);
  EXPECT_EQ(safety("estimate = \"schmoll\"\nsafety = 0.5\n"), 0.5);
  EXPECT_EQ(safety(""), stepping::StepControlSettings{}.safety);
  EXPECT_LT(stepping::StepControlSettings{}.safety, 0.95);
}

/// Where the user chose a degree, step control leaves it as it is.
TEST(Options, ADegreeThatIsGivenIsNotRaised) {
  const auto least = [](const std::string& algorithm) {
    return readingOf("[algorithm]\nkind = \"jacobi\"\n" + algorithm + "[step_control]\nkind = \"double-step\"\n")
        .project.settings.stepControl.leastDegree;
  };
  EXPECT_EQ(least(""), 1U);
  EXPECT_EQ(least("degree = 0\n"), 0U);
}

TEST(Options, PredictorCorrectorControlChangesTheStepByFour) {
  const auto control = [](const std::string& kind) {
    return readingOf("[algorithm]\nkind = \"newton\"\nrtol = 0.25\natol = 0.5\n[step_control]\nkind = \"" + kind +
                     "\"\n")
        .project.settings.stepControl;
  };
  EXPECT_EQ(control("predictor-corrector").shrink, 4.0);
  EXPECT_EQ(control("predictor-corrector").grow, 4.0);
  EXPECT_EQ(control("convergence").shrink, stepping::StepControlSettings{}.shrink);
  EXPECT_NE(stepping::StepControlSettings{}.shrink, 4.0);
  EXPECT_EQ(control("double-step").rtol, 0.25);
  EXPECT_EQ(control("double-step").atol, 0.5);
}

TEST(Options, OfTheAlgorithmHaveTheirLimits) {
  const auto with = [](const std::string& kind, const std::string& lines) {
    return mistakes(readingOf("[algorithm]\nkind = \"" + kind + "\"\n" + lines));
  };
  EXPECT_THAT(
      with("newton", "explosion_growth = 9.5\n"),
      ElementsAre("7:20 'explosion_growth' is 9.5; ordinary steps grow like that. Give 10 or more, or 0 for no such "
                  "test."));
  EXPECT_THAT(with("newton", "explosion_growth = 0\n"), IsEmpty());
  EXPECT_THAT(with("newton", "explosion_growth = -1\n"), ElementsAre(HasSubstr("it must be at least 0.")));
  EXPECT_THAT(with("semi-implicit", "relaxation = 1.5\n"),
              ElementsAre(HasSubstr("7:14 'relaxation' is 1.5; it must be at most 1.")));
  EXPECT_THAT(with("iterated-jacobi", "waveform = 2\n"),
              ElementsAre(HasSubstr("7:12 Samples inside the step need splines through them, but the degree is 0.")));
  EXPECT_THAT(with("iterated-jacobi", "waveform = 2\ndegree = 3\n"), IsEmpty());
  EXPECT_THAT(with("iterated-jacobi", "waveform = 1000\ndegree = 3\n"), IsEmpty());
  EXPECT_THAT(with("iterated-jacobi", "waveform = 1001\ndegree = 3\n"),
              ElementsAre(HasSubstr("it must be at most 1000.")));
  EXPECT_THAT(with("newton", "degree = 5\n"), IsEmpty());
  EXPECT_THAT(with("newton", "degree = 6\n"), ElementsAre(HasSubstr("it must be at most 5.")));
  EXPECT_THAT(with("newton", "predictor = 0\n"), IsEmpty());
  EXPECT_THAT(with("newton", "rtol = 0\natol = 0\n"), ElementsAre(HasSubstr("8:8 rtol and atol are both 0;")));
  EXPECT_THAT(with("jacobi", "rtol = 0\natol = 0\n"), ElementsAre(HasSubstr("8:8 rtol and atol are both 0;")));
  EXPECT_THAT(with("newton", "max_iterations = 0\n"), ElementsAre(HasSubstr("it must be at least 1.")));
}

TEST(Options, OfTheSimulationMakeARun) {
  const auto with = [](const std::string& simulation, const std::string& kind = "jacobi") {
    return readingOf("[algorithm]\nkind = \"" + kind + "\"\n", simulation);
  };
  EXPECT_THAT(
      mistakes(with("start = 5\nend = 6\nstep = 2\n")),
      ElementsAre("5:8 The step, 2 s, is longer than the whole run, 1 s. Choose a shorter step or a later end."));
  EXPECT_THAT(mistakes(with("start = 5\nend = 6\nstep = 1\n")), IsEmpty());
  const Reading master = with("start = 1\nend = 3\n", "master-slave");
  EXPECT_THAT(mistakes(master), IsEmpty());
  EXPECT_EQ(master.project.settings.step, 2.0);
  EXPECT_EQ(with("start = 1\nend = 3\nstep = 0.5\n", "master-slave").project.settings.step, 0.5);
  EXPECT_THAT(mistakes(with("start = 1\nend = 3\n")), ElementsAre(HasSubstr("There is no 'step' in [simulation].")));
  // 4 * 2^-52 * 2^50 = 1: a step of half a second cannot be told from none at such times, one of 1 s can.
  for (const char* times :
       {"start = 1125899906842624\nend = 1125899906842724\n", "start = -1125899906842624\nend = -1125899906842524\n"}) {
    EXPECT_THAT(mistakes(with(times + std::string("step = 0.5\n"))),
                ElementsAre(HasSubstr("is lost in the rounding of times")));
    EXPECT_THAT(mistakes(with(times + std::string("step = 2\n"))), IsEmpty());
  }
  EXPECT_THAT(mistakes(with("start = 0\nend = 1125899906842624\nstep = 1\n")), IsEmpty()) << "just enough";
  EXPECT_THAT(mistakes(with("start = 0\nend = 1125899906842624\nstep = 0.999\n")), ElementsAre(HasSubstr("is lost")));
  EXPECT_THAT(mistakes(with("start = -1.7e308\nend = 1.7e308\nstep = 1e300\n")),
              ElementsAre(HasSubstr("is lost in the rounding")));
}

}  // namespace
}  // namespace koppla::project::options_test
