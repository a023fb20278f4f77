// Entries of a project file with all their options: results, mappings, exact solutions, subsystems.

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/core/file.hpp"
#include "koppla/project/project.hpp"
#include "koppla/project/reader.hpp"

#include "problem_list.hpp"

namespace koppla::project::entries_test {
namespace {

namespace fs = std::filesystem;
using test::mistakes;
using test::problemsOf;
using test::warnings;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

using Words = std::vector<std::string>;

/// The lines stand from line 8 on.
Reading readingOf(const std::string& lines, const std::string& algorithm = "jacobi") {
  return parse("format = 1\nsimulation = { end = 1.0, step = 0.1, threads = 2 }\nalgorithm = { kind = \"" + algorithm +
                   "\", degree = 1 }\n[[subsystems]]\nname = \"a\"\nfmu = \"a.fmu\"\n\n" + lines,
               "folder/loop.toml");
}

Project projectOf(const std::string& lines) {
  const Reading reading = readingOf(lines);
  EXPECT_THAT(mistakes(reading), IsEmpty()) << lines;
  EXPECT_THAT(warnings(reading), IsEmpty()) << lines;
  return reading.project;
}

TEST(Entries, OfResultsAreTaken) {
  const Project all = projectOf(
      "[results]\nfolder = \"out\"\ninterval = 0.25\nvariables = [\"a.x\", \"a.y\"]\niterations = [\"a.z\", "
      "\"a.*\"]\n");
  EXPECT_EQ(all.resultsFolder, "folder/out");
  EXPECT_EQ(all.settings.outputInterval, 0.25);
  EXPECT_EQ(all.settings.variables, (Words{"a.x", "a.y"}));
  EXPECT_EQ(all.settings.iterationVariables, (Words{"a.z", "a.*"}));
  EXPECT_TRUE(all.settings.recordsIterations);
  ASSERT_EQ(all.variablePlaces.size(), 2U);
  EXPECT_EQ(all.variablePlaces[1].line, 11U);
  EXPECT_EQ(all.variablePlaces[1].column, 21U);
  ASSERT_EQ(all.iterationPlaces.size(), 2U);
  EXPECT_EQ(all.iterationPlaces[0].line, 12U);
  EXPECT_TRUE(projectOf("[results]\niterations = []\n").settings.recordsIterations);
  EXPECT_FALSE(projectOf("[results]\n").settings.recordsIterations);
  EXPECT_EQ(projectOf("").resultsFolder, "folder/loop.run");
}

TEST(Entries, OfResultsThatRecordNothingAreRefused) {
  const auto said = [](const std::string& line) { return mistakes(readingOf("[results]\n" + line + "\n")); };
  EXPECT_THAT(said("folder = \"\""), ElementsAre("9:10 The folder for results has no name."));
  EXPECT_THAT(said("variables = []"),
              ElementsAre(StartsWith("9:13 'variables' in [results] is an empty array: nothing would be recorded.")));
  EXPECT_THAT(said("variables = 3"), ElementsAre(StartsWith("9:13 'variables' in [results] is the integer 3;")));
  EXPECT_THAT(said("variables = [3]"), ElementsAre(StartsWith("9:14 'variables' in [results] is the integer 3;")));
  EXPECT_THAT(said("interval = -1"), ElementsAre(HasSubstr("it must be at least 0.")));
  EXPECT_THAT(said("format = [3]"), ElementsAre(HasSubstr("'format' in [results] is the integer 3;")));
}

TEST(Entries, ThreadsServeProbesOfSubsystemsInside) {
  const std::string inside =
      "[[subsystems]]\nname = \"b\"\nmodel = \"oscillator-body\"\n[[subsystems]]\nname = \"c\"\nmodel = "
      "\"oscillator-body\"\n";
  EXPECT_THAT(warnings(readingOf(inside, "gauss-seidel")),
              ElementsAre(HasSubstr("'threads' in [simulation] has no effect")));
  EXPECT_THAT(warnings(readingOf(inside + "inside = \"b\"\n", "gauss-seidel")), IsEmpty());
}

TEST(Entries, AFileThatIsNoTomlIsStillNamed) {
  const Reading reading = parse("format = \n", "folder/loop.toml");
  EXPECT_EQ(reading.project.file, "folder/loop.toml");
  EXPECT_EQ(reading.findings.mistakes.size(), 1U);
}

const std::string kConnection = "[[connections]]\nfrom = \"a.y\"\nto = \"a.u\"\n";

TEST(Entries, OfMappingsAreTaken) {
  const Project project =
      projectOf(kConnection +
                "mapping = { kind = \"radial-basis\", form = \"conservative\", from = \"m.csv\", from_part = \"wet\", "
                "to = \"n.csv\", to_part "
                "= \"dry\", components = 3, basis = \"gaussian\", patch_points = 24, degree = 1, support = 0.75 }\n" +
                "[[connections]]\nfrom = \"a.z\"\nto = \"a.w\"\nscale = 2\noffset = 3\nmapping = { kind = \"nearest\", "
                "form = \"consistent\", from = \"o.csv\", to = "
                "\"p.csv\" }\n");
  ASSERT_EQ(project.connections.size(), 2U);
  const MappingEntry& first = *project.connections[0].mapping;
  EXPECT_EQ(first.kind, MappingKind::radialBasis);
  EXPECT_EQ(first.form, mapping::Form::conservative);
  EXPECT_EQ(first.from.file.value, "folder/m.csv");
  EXPECT_EQ(first.from.part.value, "wet");
  EXPECT_EQ(first.to.file.value, "folder/n.csv");
  EXPECT_EQ(first.to.part.value, "dry");
  EXPECT_EQ(first.components, 3U);
  EXPECT_EQ(first.radialBasis.basis, mapping::Basis::gaussian);
  EXPECT_EQ(first.radialBasis.patchPoints, 24U);
  EXPECT_EQ(first.radialBasis.degree, 1);
  EXPECT_EQ(first.radialBasis.support, 0.75);
  EXPECT_TRUE(first.sound);
  EXPECT_EQ(first.place.line, 11U);
  const MappingEntry& second = *project.connections[1].mapping;
  EXPECT_EQ(second.kind, MappingKind::nearest);
  EXPECT_EQ(second.form, mapping::Form::consistent);
  EXPECT_EQ(second.from.file.value, "folder/o.csv");
  EXPECT_EQ(second.to.file.value, "folder/p.csv");
  EXPECT_EQ(second.to.part.value, "");
  EXPECT_EQ(second.components, std::nullopt);
  EXPECT_EQ(second.place.line, 17U);
  EXPECT_EQ(project.connections[1].scale->value, 2.0);
  EXPECT_EQ(project.connections[1].offset->value, 3.0);
  EXPECT_FALSE(projectOf(kConnection).connections.at(0).mapping);
}

TEST(Entries, OfMappingsWithoutTheirMainOptionsAreUnsound) {
  const std::vector<std::pair<std::string, std::string>> options{
      {"kind", "\"nearest\""}, {"form", "\"consistent\""}, {"from", "\"m.csv\""}, {"to", "\"n.csv\""}};
  for (const auto& [missing, unused] : options) {
    std::string mapping = "mapping = { components = 1";
    for (const auto& [key, value] : options)
      if (key != missing) mapping += ", " + key + " = " + value;
    const Reading reading = readingOf(kConnection + mapping + " }\n");
    EXPECT_THAT(mistakes(reading), ElementsAre(StartsWith("11:11 There is no '" + missing + "' in [mapping].")))
        << missing;
    EXPECT_FALSE(reading.project.connections.at(0).mapping->sound) << missing;
  }
  const std::string good = "kind = \"radial-basis\", form = \"consistent\", from = \"m.csv\", to = \"n.csv\", ";
  for (const char* wrong : {"patch_points = 23", "patch_points = 1001", "degree = 0", "degree = 3", "support = 0",
                            "components = 0", "from_part = 1", "to_part = 1", "basis = \"cubic\""}) {
    const Reading reading = readingOf(kConnection + "mapping = { " + good + wrong + " }\n");
    EXPECT_EQ(mistakes(reading).size(), 1U) << wrong;
    EXPECT_FALSE(reading.project.connections.at(0).mapping->sound) << wrong;
  }
  for (const char* option : {"patch_points = 1000", "degree = 2", "support = 1", "basis = \"wendland\""}) {
    EXPECT_THAT(mistakes(readingOf(kConnection + "mapping = { " + good + option + " }\n")), IsEmpty()) << option;
    EXPECT_THAT(
        warnings(readingOf(kConnection +
                           "mapping = { kind = \"linear\", form = \"consistent\", from = \"m.csv\", to = \"n.csv\", " +
                           option + " }\n")),
        ElementsAre(HasSubstr("has no effect: the mapping 'linear' has no radial basis.")))
        << option;
  }
  EXPECT_THAT(mistakes(readingOf(kConnection + "mapping = { " + good + "suport = 1 }\n")),
              ElementsAre(HasSubstr("'suport' is not an option of [mapping]. Did you mean 'support'?")));
}

TEST(Entries, OfExactSolutionsAreTaken) {
  const auto reference = [](const std::string& lines) { return *projectOf("[reference]\n" + lines).reference; };
  const ReferenceEntry linear = reference(
      "kind = \"linear\"\nA = [[1, 2], [3, 4]]\nC = [[5, 6]]\nx0 = [7, 8]\nnames = [\"p\"]\nvalues = { \"a.y\" = \"p\" "
      "}\nstates = [\"a.x\", "
      "\"a.v\"]\n");
  const auto& settings = std::get<LinearReference>(linear.solution);
  EXPECT_EQ(settings.A, (std::vector<std::vector<double>>{{1.0, 2.0}, {3.0, 4.0}}));
  EXPECT_EQ(settings.C, (std::vector<std::vector<double>>{{5.0, 6.0}}));
  EXPECT_EQ(settings.x0, (std::vector{7.0, 8.0}));
  EXPECT_EQ(settings.names, Words{"p"});
  ASSERT_EQ(linear.values.size(), 1U);
  EXPECT_EQ(linear.values[0].first.value, "a.y");
  EXPECT_EQ(linear.values[0].second.value, "p");
  ASSERT_EQ(linear.states.size(), 2U);
  EXPECT_EQ(linear.states[1].value, "a.v");
  EXPECT_EQ(linear.place.line, 8U);
  const ReferenceEntry masses = reference(
      "kind = \"two-mass-oscillator\"\nstates = [\"a.x\"]\nparameters = { m1 = 1.5, m2 = 2.5, c1 = 3.5, c2 = 4.5, ck = "
      "5.5, d1 = 6.5, d2 = 7.5, dk "
      "= 8.5, x10 = 9.5, x20 = 10.5, v10 = 11.5, v20 = 12.5 }\n");
  const auto& two = std::get<native::TwoMassOscillator>(masses.solution);
  EXPECT_EQ(
      (std::vector{two.m1, two.m2, two.c1, two.c2, two.ck, two.d1, two.d2, two.dk, two.x10, two.x20, two.v10, two.v20}),
      (std::vector{1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5, 11.5, 12.5}));
  EXPECT_EQ(masses.states.size(), 1U);
  const ReferenceEntry nonlinear = reference(
      "kind = \"nonlinear-oscillator\"\nparameters = { m = 1.5, c = 2.5, d = 3.5, x0 = 4.5, v0 = 5.5, ck = 6.5, alpha "
      "= 7.5, dk = 8.5 }\n");
  const auto& sprung = std::get<native::SprungOscillator>(nonlinear.solution);
  EXPECT_EQ((std::vector{sprung.body.m, sprung.body.c, sprung.body.d, sprung.body.x0, sprung.body.v0, sprung.spring.c,
                         sprung.spring.alpha, sprung.spring.d}),
            (std::vector{1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5}));
  EXPECT_EQ(
      std::get<FormulaReference>(reference("kind = \"formulas\"\nformulas = { f = \"t\", g = \"2*t\" }\n").solution)
          .at("g"),
      "2*t");
}

TEST(Entries, OfExactSolutionsHaveTheirMistakes) {
  const auto said = [](const std::string& lines) { return mistakes(readingOf("[reference]\n" + lines)); };
  EXPECT_THAT(said("kind = \"linear\"\nA = [[1]]\n"), ElementsAre(StartsWith("8:1 There is no 'x0' in [reference].")));
  EXPECT_THAT(said("kind = \"linear\"\nx0 = [1]\n"), ElementsAre(StartsWith("8:1 There is no 'A' in [reference].")));
  EXPECT_THAT(said("kind = \"formulas\"\n"), ElementsAre(StartsWith("8:1 There is no 'formulas' in [reference].")));
  EXPECT_THAT(said("values = { }\n"), ElementsAre(StartsWith("8:1 There is no 'kind' in [reference].")));
  EXPECT_THAT(said("kind = \"two-mass-oscillator\"\nparameters = { m3 = 1.0 }\n"),
              ElementsAre(HasSubstr("10:14 The two-mass oscillator has no parameter 'm3'. Did you mean 'm1'?")));
  EXPECT_THAT(said("kind = \"formulas\"\nformulas = { f = \"t\" }\nstates = [\"a.x\"]\n"),
              ElementsAre(HasSubstr("'states' is not an option of [reference].")));
}

TEST(Entries, OfSubsystemsAreTaken) {
  const Project project = projectOf(
      "[[subsystems]]\nname = \"b\"\nfmu = \"b.fmu\"\nlogging = true\nstrict = true\nstep_size = "
      "\"difference\"\ninput_derivatives = 2\nphases = "
      "[\"x\", \"y\"]\ninstances = 3\nincrement = 0.5\nmicro_step = 0.25\novershoot = true\ninside = "
      "\"c\"\nstatic_coupling = \"predictor\"\n"
      "[subsystems.markers]\ntip = { position = \"x\", velocity = \"v\", force = \"F\", acceleration = \"a\", "
      "projection = \"p\" }\nend = { position = "
      "\"y\", velocity = \"w\", force = \"G\" }\n[[subsystems]]\nname = \"c\"\nfmu = \"/c.fmu\"\n");
  ASSERT_EQ(project.subsystems.size(), 3U);
  const SubsystemEntry& b = project.subsystems[1];
  EXPECT_EQ(b.fmu.value, "folder/b.fmu");
  EXPECT_TRUE(b.logging);
  EXPECT_TRUE(b.strict);
  EXPECT_FALSE(b.nominalStepSize);
  EXPECT_EQ(b.inputDerivatives, 2U);
  ASSERT_EQ(b.phases.size(), 2U);
  EXPECT_EQ(b.phases[1].value, "y");
  EXPECT_EQ(b.instances, 3U);
  EXPECT_EQ(b.increment, 0.5);
  EXPECT_EQ(b.microStep, 0.25);
  EXPECT_TRUE(b.overshoot);
  EXPECT_EQ(b.inside.value, "c");
  EXPECT_EQ(b.staticCoupling->value, solver::StaticCoupling::predictor);
  EXPECT_EQ(b.staticCoupling->place.line, 21U);
  ASSERT_EQ(b.markers.size(), 2U);
  EXPECT_EQ(b.markers[0].name.value, "tip");
  EXPECT_EQ(b.markers[0].position.value, "x");
  EXPECT_EQ(b.markers[0].velocity.value, "v");
  EXPECT_EQ(b.markers[0].force.value, "F");
  EXPECT_EQ(b.markers[0].acceleration.value, "a");
  EXPECT_EQ(b.markers[0].projection.value, "p");
  EXPECT_EQ(b.markers[1].name.value, "end");
  EXPECT_EQ(b.markers[1].projection.value, "");
  const SubsystemEntry& c = project.subsystems[2];
  EXPECT_EQ(c.fmu.value, "/c.fmu");
  EXPECT_FALSE(c.logging);
  EXPECT_TRUE(c.nominalStepSize);
  EXPECT_EQ(c.inputDerivatives, std::nullopt);
  EXPECT_EQ(c.staticCoupling, std::nullopt);
  EXPECT_EQ(c.increment, std::nullopt);
}

TEST(Entries, OfSubsystemsHaveTheirMistakes) {
  const auto said = [](const std::string& lines) {
    return mistakes(readingOf("[[subsystems]]\nname = \"b\"\nfmu = \"b.fmu\"\n" + lines));
  };
  EXPECT_THAT(said("inside = \"\"\n"), ElementsAre(StartsWith("11:10 'inside' names no subsystem.")));
  EXPECT_THAT(said("inside = 3\n"), ElementsAre(StartsWith("11:10 'inside' in [[subsystems]] is the integer 3;")));
  EXPECT_THAT(said("overshoot = true\n"), ElementsAre(StartsWith("11:13 'overshoot' needs the micro step")));
  EXPECT_THAT(said("overshoot = true\nmicro_step = 0.1\n"), IsEmpty());
  EXPECT_THAT(said("model = \"rod\"\nprogram = \"x\"\n"), Contains(HasSubstr("Remove 'fmu' or 'model'.")));
  EXPECT_THAT(said("input_derivatives = 5\n"), IsEmpty());
  const Reading reading = readingOf(
      "[[subsystems]]\nname = \"b\"\nfmu = \"b.fmu\"\n[subsystems.markers]\ntip = { position = \"x\" }\nend = { "
      "position = \"x\", velocity = \"v\", force = \"F\" }\n");
  ASSERT_EQ(reading.project.subsystems.at(1).markers.size(), 1U) << "without the one that lacks something";
  EXPECT_EQ(reading.project.subsystems.at(1).markers[0].name.value, "end");
}

TEST(Entries, MicroStepsOfWhatIsJoinedHaveNoEffect) {
  const auto warned = [](const std::string& kind) {
    return warnings(readingOf("[[subsystems]]\nname = \"b\"\n" + kind +
                              "\ninside = \"c\"\nmicro_step = 0.1\n[[subsystems]]\nname = \"c\"\nmodel = "
                              "\"oscillator-body\"\n"));
  };
  EXPECT_THAT(warned("model = \"oscillator-body\""),
              Contains(HasSubstr("'micro_step' in [[subsystems]] has no effect")));
  EXPECT_THAT(warned("fmu = \"b.fmu\""), IsEmpty());
  EXPECT_THAT(warnings(readingOf("[[subsystems]]\nname = \"b\"\nmodel = \"oscillator-body\"\nmicro_step = 0.1\n")),
              IsEmpty());
}

TEST(Entries, FmusThatAreMissingAreSoughtInTheirFolder) {
  const core::TemporaryFolder folder("entries");
  fs::create_directory(folder.path() / "fmus");
  for (const char* name : {"second.fmu", "first.fmu", "third.fmu", "notes.txt"})
    core::writeWhole(folder.path() / "fmus" / name, "x");
  const auto said = [&](const std::string& fmu) {
    const Reading reading = parse(
        "format = 1\nsimulation = { end = 1.0, step = 0.1 }\n[[subsystems]]\nname = \"a\"\nfmu = \"" + fmu + "\"\n",
        folder.path() / "loop.toml");
    core::Log log;
    return problemsOf([&] { build(reading.project, log); });
  };
  EXPECT_THAT(said("fmus/qqqqqqqqqqqqqqq"),
              ElementsAre(HasSubstr("for the subsystem 'a'. Known here: first.fmu, second.fmu, third.fmu.")));
  EXPECT_THAT(said("fmus/firts.fmu"), ElementsAre(HasSubstr("Did you mean 'first.fmu'?")));
  EXPECT_THAT(said("fmu/first.fmu"),
              ElementsAre(HasSubstr("There is no folder " + (folder.path() / "fmu").string() + " either.")));
}

TEST(Findings, AreSortedByPlaceThoseOfOtherFilesLast) {
  Findings findings;
  findings.mistake({"loop.toml", 3, 2}, "c", "");
  findings.mistake({"other", 1, 1}, "e", "");
  findings.mistake({"loop.toml", 3, 1}, "b", "");
  findings.mistake({"loop.toml", 2, 9}, "a", "");
  findings.warning({"loop.toml", 2, 1}, "x", "");
  Findings more;
  more.mistake({"loop.toml", 3, 2}, "d", "");
  more.warning({"loop.toml", 1, 1}, "w", "");
  findings.append(std::move(more));
  findings.sort("loop.toml");
  std::string order;
  for (const core::Problem& problem : findings.mistakes) order += problem.message;
  for (const core::Problem& problem : findings.warnings) order += problem.message;
  EXPECT_EQ(order, "abcdewx") << "those of one place as they came";
}

}  // namespace
}  // namespace koppla::project::entries_test
