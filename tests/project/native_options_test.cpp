// What native models that are written in the project file take over from it, and what it says of itself.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/core/file.hpp"
#include "koppla/project/inspection.hpp"
#include "koppla/project/native_reader.hpp"
#include "koppla/project/project.hpp"
#include "koppla/project/reader.hpp"

#include "problem_list.hpp"

namespace koppla::project::native_options_test {
namespace {

using test::mistakes;
using test::warnings;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

/// The lines of the first subsystem stand from line 5 on.
Reading readingOf(const std::string& lines) {
  return parse("format = 1\nsimulation = { end = 1.0, step = 0.01 }\n[[subsystems]]\nname = \"a\"\n" + lines,
               "loop.toml");
}

template <typename Settings>
Settings settingsOf(const std::string& lines) {
  const Reading reading = readingOf(lines);
  EXPECT_THAT(mistakes(reading), IsEmpty()) << lines;
  return std::get<Settings>(reading.project.subsystems.at(0).model->settings);
}

TEST(NativeOptions, ACurveNamesItsPorts) {
  const auto curve = settingsOf<native::Curve>(
      "model = \"curve\"\nu = [0, 1]\ny = [5, 7]\ninput = \"p\"\noutput = \"q\"\ninput_unit = \"K\"\noutput_unit = "
      "\"N\"\n"
      "interpolation = \"hold\"\nextrapolation = \"linear\"\n");
  EXPECT_EQ(curve.input, "p");
  EXPECT_EQ(curve.output, "q");
  EXPECT_EQ(curve.inputUnit, "K");
  EXPECT_EQ(curve.outputUnit, "N");
  EXPECT_EQ(curve.u, (std::vector{0.0, 1.0}));
  EXPECT_EQ(curve.y, (std::vector{5.0, 7.0}));
  EXPECT_EQ(curve.interpolation, native::Interpolation::hold);
  EXPECT_EQ(curve.extrapolation, native::Extrapolation::linear);
  EXPECT_EQ(settingsOf<native::Curve>("model = \"curve\"\nu = [0, 1]\ny = [5, 7]\n").input, native::Curve{}.input);
}

TEST(NativeOptions, ASignalHasTimesAndValuesOrAFile) {
  const auto signal = settingsOf<native::Signal>(
      "model = \"signal\"\ntimes = [0, 2]\nvalues = {s = [1, 3], r = [4, 5]}\ninterpolation = \"cubic\"\n");
  EXPECT_EQ(signal.times, (std::vector{0.0, 2.0}));
  ASSERT_EQ(signal.columns.size(), 2U);
  EXPECT_EQ(signal.columns[0].name, "s");
  EXPECT_EQ(signal.columns[1].values, (std::vector{4.0, 5.0}));
  EXPECT_EQ(signal.interpolation, native::Interpolation::cubic);
  EXPECT_THAT(mistakes(readingOf("model = \"signal\"\ntimes = [0, 2]\nvalues = {s = [1, 3]}\ncolumns = [\"s\"]\n")),
              ElementsAre("8:11 'columns' chooses from a file. Write file = \"samples.csv\" as well."));
  EXPECT_THAT(mistakes(readingOf("model = \"signal\"\nfile = \"none.csv\"\ntimes = [0, 2]\n")),
              Contains("7:9 'file' and 'times' exclude each other. Remove one of them."));
  EXPECT_THAT(mistakes(readingOf("model = \"signal\"\nfile = 3\ncolumns = [\"s\"]\n")),
              ElementsAre(StartsWith("6:8 'file' in [[subsystems]] is the integer 3;")));
  EXPECT_THAT(mistakes(readingOf("model = \"signal\"\ntimes = [0, 2]\nvalues = {s = [1, \"x\"]}\n")),
              ElementsAre(HasSubstr("7:10 's' in [subsystems.values] is the string 'x'; expected is a number.")));
}

TEST(NativeOptions, AFileOfSamplesGivesItsColumnsAndUnits) {
  const core::TemporaryFolder folder("signal");
  core::writeWhole(folder.path() / "s.csv", "time,a,b\n0,0,1\n2,4,3\n");
  const auto columns = [&](const std::string& lines) {
    const Reading reading = parse(
        "format = 1\nsimulation = { end = 1.0, step = 0.01 }\n[[subsystems]]\nname = \"a\"\nmodel = \"signal\"\nfile = "
        "\"s.csv\"\n" +
            lines,
        folder.path() / "loop.toml");
    EXPECT_THAT(mistakes(reading), IsEmpty());
    std::string names;
    for (const auto& column : std::get<native::Signal>(reading.project.subsystems.at(0).model->settings).columns)
      names += column.name + " ";
    return names;
  };
  EXPECT_EQ(columns(""), "a b ");
  EXPECT_EQ(columns("columns = [\"b\"]\n"), "b ");
}

TEST(NativeOptions, MatricesNameTheirPorts) {
  const auto linear = settingsOf<native::LinearStateSpace>(
      "model = \"linear-state-space\"\ninputs = [\"u\", \"v\"]\noutputs = [\"y\"]\nstates = [\"x\"]\nA = [[-1]]\nB = "
      "[[1, 2]]\nC = "
      "[[3]]\nD = [[4, 5]]\nx0 = [6]\n");
  EXPECT_EQ(linear.inputs, (std::vector<std::string>{"u", "v"}));
  EXPECT_EQ(linear.outputs, std::vector<std::string>{"y"});
  EXPECT_EQ(linear.states, std::vector<std::string>{"x"});
  EXPECT_EQ(linear.A.at(0), std::vector{-1.0});
  EXPECT_EQ(linear.B.at(0), (std::vector{1.0, 2.0}));
  EXPECT_EQ(linear.C.at(0), std::vector{3.0});
  EXPECT_EQ(linear.D.at(0), (std::vector{4.0, 5.0}));
  EXPECT_EQ(linear.x0, std::vector{6.0});
}

TEST(NativeOptions, FormulasHaveUnitsAndParametersOfTheirOwn) {
  const auto model = settingsOf<native::ExpressionModel>(
      "model = \"expressions\"\ninputs = {u = 0.5, w = 1.5}\nstates = {x = 1.0}\nderivatives = {x = \"k*u\"}\nunknowns "
      "= {z = 2.0}\n"
      "residuals = {z = \"z - x\"}\noutputs = {y = \"x\", v = \"z\"}\nunits = {u = \"N\", y = \"m\", k = \"1/s\"}\n"
      "parameters = {k = 3, l = 4.5, u = 7, \"x.start\" = 8, \"z.start\" = 9, list = [1, 2], word = \"x\"}\nintegrator "
      "= \"radau\"\n");
  ASSERT_EQ(model.inputs.size(), 2U);
  EXPECT_EQ(model.inputs[0].unit, "N");
  EXPECT_EQ(model.inputs[1].unit, "");
  EXPECT_EQ(model.inputs[1].start, 1.5);
  ASSERT_EQ(model.states.size(), 1U);
  EXPECT_EQ(model.states[0].start, 1.0);
  ASSERT_EQ(model.unknowns.size(), 1U);
  EXPECT_EQ(model.unknowns[0].start, 2.0);
  ASSERT_EQ(model.outputs.size(), 2U);
  EXPECT_EQ(model.outputs[0].unit, "m");
  EXPECT_EQ(model.outputs[1].unit, "");
  ASSERT_EQ(model.parameters.size(), 4U) << "neither inputs nor start values";
  EXPECT_EQ(model.parameters[0].name, "k");
  EXPECT_EQ(model.parameters[0].value, 3.0);
  EXPECT_EQ(model.parameters[0].unit, "1/s");
  EXPECT_EQ(model.parameters[1].value, 4.5);
  EXPECT_EQ(model.parameters[2].value, 0.0) << "several numbers are refused when they are set";
  EXPECT_EQ(model.parameters[3].value, 0.0);
}

TEST(NativeOptions, StaticFormulasOfUnknownsUseTheTolerancesOfAnyIntegrator) {
  const std::string unknown =
      "model = \"expressions\"\nunknowns = {z = 2.0}\nresiduals = {z = \"z - 1\"}\noutputs = {y = \"z\"}\n";
  EXPECT_THAT(warnings(readingOf(unknown + "integrator = \"ode4\"\nrtol = 1e-3\natol = 1e-3\n")), IsEmpty());
  EXPECT_THAT(warnings(readingOf(
                  unknown + "states = {x = 1.0}\nderivatives = {x = \"1\"}\nintegrator = \"ode4\"\nrtol = 1e-3\n")),
              Contains(HasSubstr("'rtol' in [[subsystems]] has no effect")));
  EXPECT_THAT(
      warnings(readingOf("model = \"expressions\"\noutputs = {y = \"t\"}\nintegrator = \"ode4\"\nrtol = 1e-3\n")),
      Contains(HasSubstr("'rtol' in [[subsystems]] has no effect")));
}

TEST(NativeOptions, OfIntegratorsHaveNoEffectInsideAnother) {
  const Reading reading = readingOf(
      "model = \"oscillator-body\"\n[[subsystems]]\nname = \"b\"\nmodel = \"oscillator-body\"\ninside = "
      "\"a\"\nintegrator = \"bdf\"\n"
      "rtol = 1e-3\norder = 2\nmicro_step = 0.1\n");
  EXPECT_EQ(warnings(reading).size(), 4U);
  for (const char* option : {"integrator", "rtol", "order", "micro_step"})
    EXPECT_THAT(warnings(reading),
                Contains(HasSubstr("'" + std::string(option) +
                                   "' in [[subsystems]] has no effect: the integrator of the subsystem that it "
                                   "is inside solves it.")));
}

TEST(NativeOptions, ModelsThatBringTheirSolverRefuseOptionsOfIntegrators) {
  for (const char* line : {"integrator = \"ode4\"", "rtol = 1", "atol = 1", "alpha = 1", "beta = 1", "gamma = 1",
                           "restart = true", "corrected = true", "order = 1", "first_micro_step = 1",
                           "min_micro_step = 1", "newton_tolerance = 1", "jacobian = \"auto\""})
    EXPECT_THAT(mistakes(readingOf("model = \"tube-flow\"\n" + std::string(line) + "\n")),
                ElementsAre(HasSubstr(
                    "in [[subsystems]] has no sense here: the model 'tube-flow' brings its own solver. Remove it.")))
        << line;
}

TEST(NativeOptions, WordsOfModelsAreKnown) {
  const std::vector<std::string> words = modelWords();
  for (const char* word : {"rod", "tube-flow", "linear-state-space", "expressions", "signal", "curve", "multibody"})
    EXPECT_THAT(words, Contains(word));
  EXPECT_TRUE(isWrittenInProject("curve"));
  EXPECT_TRUE(isWrittenInProject("multibody"));
  EXPECT_FALSE(isWrittenInProject("rod"));
  EXPECT_FALSE(isWrittenInProject("curves"));
}

// ---- What a model says about itself ----

TEST(Inspections, OfModelsTellTheirChoices) {
  core::Log log;
  const Inspection rod = inspect("rod", log);
  std::vector<std::string> facts;
  for (const auto& [name, value] : rod.facts) facts.push_back(name + ": " + value);
  EXPECT_THAT(facts, Contains("model: rod"));
  EXPECT_THAT(facts, Contains("kind: native model"));
  EXPECT_THAT(facts, Contains("option elements: 2: number of elements"));
  EXPECT_THAT(facts, Contains("option boundary: prescribed: how the coupled end follows (prescribed, penalty)"));
  EXPECT_FALSE(rod.description.ports.empty());
  EXPECT_FALSE(inspect("tube-flow", log).description.ports.empty()) << "one that brings its solver";
}

TEST(Inspections, OfNothingTellWhatThereIs) {
  core::Log log;
  const auto problem = [&](const char* name) { return test::problemsOf([&] { inspect(name, log); }).front(); };
  EXPECT_THAT(problem("rood"), HasSubstr("There is neither a file nor a native model 'rood'. Did you mean 'rod'?"));
  EXPECT_THAT(problem("curve"),
              HasSubstr("The native model 'curve' has no ports of its own: they come from the project file."));
  for (const char* file : {"rood.fmu", "folder/rood"})
    EXPECT_THAT(problem(file), testing::Not(HasSubstr("native model"))) << file;
}

TEST(Inspections, OfFilesTellWhatTheirModelDescriptionSays) {
  core::Log log;
  const Inspection gain = inspect(std::string(KOPPLA_FMU_DIR) + "/HardeningSpring.fmu", log);
  std::vector<std::string> facts;
  for (const auto& [name, value] : gain.facts) {
    facts.push_back(name + ": " + value);
    EXPECT_NE(value, "") << name;
  }
  EXPECT_THAT(facts, Contains("model: HardeningSpring"));
  EXPECT_THAT(facts, Contains("FMI version: 2.0"));
  EXPECT_THAT(facts, Contains("default start: 0 s"));
  EXPECT_THAT(facts, Contains("default end: 10 s"));
  EXPECT_THAT(facts, Contains("default step: 1e-04 s"));
}

}  // namespace
}  // namespace koppla::project::native_options_test
