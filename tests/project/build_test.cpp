#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "koppla/core/file.hpp"
#include "koppla/project/project.hpp"

#include "problem_list.hpp"

namespace koppla::project {
namespace {

namespace fs = std::filesystem;

using test::ProblemList;
using test::problemsOf;

/// A folder with a project file beside which our FMUs lie.
class Build : public ::testing::Test {
 protected:
  Build() {
    fs::create_directory_symlink(KOPPLA_FMU_DIR, folder_.path() / "fmus");
    log_.addSink([this](core::Severity severity, std::string_view, std::string_view message) {
      lines_.push_back(std::string(core::word(severity)) + " " + std::string(message));
    });
  }

  fs::path write(const std::string& lines) {
    fs::path file = folder_.path() / "loop.toml";
    core::writeWhole(file, "format = 1\nsimulation = { end = 10.0, step = 0.1 }\n" + lines);
    return file;
  }

  coupling::System buildText(const std::string& lines) { return build(read(write(lines), log_), log_).system; }

  static std::string subsystem(const std::string& name, const std::string& fmu, const std::string& more = {}) {
    return "[[subsystems]]\nname = \"" + name + "\"\nfmu = \"fmus/" + fmu + ".fmu\"\n" + more;
  }

  static std::string connection(const std::string& from, const std::string& to) {
    return "[[connections]]\nfrom = \"" + from + "\"\nto = \"" + to + "\"\n";
  }

  core::TemporaryFolder folder_{"test"};
  core::Log log_;
  std::vector<std::string> lines_;
};

TEST_F(Build, InstantiatesMembersInTheOrderOfTheFile) {
  const coupling::System system =
      buildText(subsystem("first", "Gain", "parameters = { k = 2 }\n") + subsystem("second", "Gain") +
                connection("first.y", "second.u") + "[algorithm]\norder = [\"second\", \"first\"]\n");
  ASSERT_EQ(system.members.size(), 2U);
  EXPECT_EQ(system.members[0].name, "first");
  EXPECT_EQ(system.members[0].subsystem->describe().model, "Gain");
  ASSERT_EQ(system.members[0].startValues.size(), 1U);
  EXPECT_EQ(system.members[0].startValues[0].values, std::vector<core::Value>{2.0});
  EXPECT_EQ(system.connections.size(), 1U);
  EXPECT_EQ(system.order, (std::vector<coupling::MemberIndex>{1, 0}));
  EXPECT_EQ(lines_, ProblemList{"info Inputs that are not connected and keep their start values: first.u."});
}

TEST_F(Build, GivesAnFmuMicroStepsAndLimitsInputDerivatives) {
  const auto capabilities = [this](const std::string& lines) {
    return buildText(subsystem("lag", "InterpolatingLag", lines)).members.at(0).subsystem->describe().capabilities;
  };
  EXPECT_EQ(capabilities("").inputDerivatives, subsystem::kMaxDegree);
  EXPECT_EQ(capabilities("input_derivatives = 1\n").inputDerivatives, 1U);
  EXPECT_EQ(capabilities("input_derivatives = 0\n").inputDerivatives, 0U);
  const subsystem::Capabilities divided = capabilities("micro_step = 0.01\ninput_derivatives = 0\n");
  EXPECT_EQ(divided.inputDerivatives, subsystem::kMaxDegree);  // followed in micro steps
  EXPECT_EQ(divided.microStep, 0.01);
  EXPECT_TRUE(divided.ownSteps);
  EXPECT_FALSE(capabilities("micro_step = 0.01\novershoot = true\n").ownSteps);
}

/// An FMU that discards every step but one of a given size, to the last bit.
TEST_F(Build, TellsAnFmuTheStepThatIsMeantOrTheDifference) {
  const auto takes = [this](const std::string& lines) {
    const coupling::System system =
        buildText(subsystem("x", "Odd", "parameters = { way = \"exact\", at = 0.01 }\n" + lines));
    const coupling::Member& member = system.members.at(0);
    for (const coupling::StartValue& start : member.startValues) member.subsystem->set(start.port, start.values);
    member.subsystem->bind({});
    member.subsystem->enterInitialisation({0.0, 1.0, std::nullopt});
    member.subsystem->leaveInitialisation();
    subsystem::Step step{0.07, 0.08, true};  // 0.009999999999999995 s
    step.length = 0.01;
    return member.subsystem->advance(step, {}, {}).status == subsystem::Status::ok;
  };
  EXPECT_TRUE(takes(""));
  EXPECT_TRUE(takes("step_size = \"nominal\"\n"));
  EXPECT_FALSE(takes("step_size = \"difference\"\n"));
}

TEST_F(Build, SetsParametersOfEveryType) {
  const coupling::System system = buildText(subsystem("all", "FeedThrough", R"([subsystems.parameters]
fixedReal = 1
fixedInteger = 2
fixedBoolean = true
fixedString = "text"
fixedEnumeration = "blue"
tunableEnumeration = 7
"bus.signal[1]" = 20.0
)"));
  std::vector<std::string> values;
  for (const coupling::StartValue& start : system.members.at(0).startValues)
    values.push_back(core::text(start.values.at(0)));
  EXPECT_EQ(values, (std::vector<std::string>{"1", "2", "true", "text", "3", "7", "20"}));
}

TEST_F(Build, NamesAllMissingFmusAtOnce) {
  const std::string folder = (folder_.path() / "fmus").string();
  const Project project = read(write(subsystem("a", "Gian") + subsystem("b", "Gain") + subsystem("c", "Summ")), log_);
  EXPECT_EQ(
      problemsOf([&] { build(project, log_); }),
      (ProblemList{"5:7 There is no file " + folder + "/Gian.fmu for the subsystem 'a'. Did you mean 'Gain.fmu'?",
                   "11:7 There is no file " + folder + "/Summ.fmu for the subsystem 'c'. Did you mean 'Sum.fmu'?"}));
}

TEST_F(Build, NamesWhatIsWrongWithAnFmuOnce) {
  core::writeWhole(folder_.path() / "broken.fmu", "this is no archive");
  const Project project = read(write("[[subsystems]]\nname = \"a\"\nfmu = \"broken.fmu\"\n"
                                     "[[subsystems]]\nname = \"b\"\nfmu = \"./broken.fmu\"\n"),
                               log_);
  const ProblemList problems = problemsOf([&] { build(project, log_); });
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].rfind("5:7 The FMU of 'a' cannot be used: ", 0), 0U) << problems[0];
}

TEST_F(Build, NamesMistakesOfFileAndFmusTogether) {
  const fs::path file = write(subsystem("a", "Gain", "parameters = { kk = 1 }\n") + subsystem("b", "Nothing") +
                              connection("a.y", "a.uu") + connection("a.y", "c.u") + "[algorithm]\nkin = \"newton\"\n");
  const std::string missing = (folder_.path() / "fmus/Nothing.fmu").string();
  ProblemList problems = problemsOf([&] { read(file, log_); });
  ASSERT_EQ(problems.size(), 5U);
  EXPECT_EQ(problems[0], "6:16 'a' has no parameter or start value 'kk'. Did you mean 'k'?");
  EXPECT_EQ(problems[1].rfind("9:7 There is no file " + missing, 0), 0U) << problems[1];
  EXPECT_EQ(problems[2], "12:6 'a' has no input 'uu'. Did you mean 'u'?");
  EXPECT_EQ(problems[3], "15:6 There is no subsystem 'c'. Did you mean 'a'?");
  EXPECT_EQ(problems[4], "17:1 'kin' is not an option of [algorithm]. Did you mean 'kind'?");
}

TEST_F(Build, InstantiatesNothingWhereSomethingIsWrong) {
  // FailingInstantiate throws as soon as it is instantiated; the mistake must be found before.
  const Project project =
      read(write(subsystem("f", "FailingInstantiate") + subsystem("g", "Gain") + connection("g.y", "g.k")), log_);
  EXPECT_EQ(problemsOf([&] { build(project, log_); }),
            ProblemList{"11:6 'g.k' is a parameter; a connection ends at an input. Set its value in "
                        "[subsystems.parameters]."});
}

TEST_F(Build, WarnsOfUnitsThroughTheLog) {
  buildText(subsystem("a", "FeedThrough") + connection("a.'length, in metres'", "a.length"));
  EXPECT_NE(std::ranges::find_if(lines_,
                                 [](const std::string& line) {
                                   return line.starts_with("warning ") &&
                                          line.find("have different units: m and mm") != std::string::npos;
                                 }),
            lines_.end());
}

TEST_F(Build, ChecksProjectsMadeByPrograms) {
  Project project;
  project.settings.end = 1.0;
  project.settings.step = 0.1;
  project.subsystems = {{{"a", {}}, {fs::path(KOPPLA_FMU_DIR) / "Gain.fmu", {}}}, {{"a", {}}, {}}};
  project.connections = {{{"a", "y"}, {"b", "u"}}};
  EXPECT_EQ(problemsOf([&] { build(project, log_); }),
            (ProblemList{" The subsystem 'a' has neither FMU nor model nor program. Write fmu = "
                         "\"path/to/model.fmu\", model = \"...\" for a native model, or program = \"...\", a command.",
                         " The name 'a' is used already. Give every subsystem a name of its own.",
                         " There is no subsystem 'b'. Did you mean 'a'?"}));
}

TEST_F(Build, ReportsAMissingProjectFile) {
  EXPECT_THROW(read(folder_.path() / "none.toml", log_), core::InputError);
}

TEST_F(Build, ProposesTheLoopOfMath003AndRunsIt) {
  const std::vector<fs::path> fmus{folder_.path() / "fmus/Math003Part1.fmu", folder_.path() / "fmus/Math003Part2.fmu",
                                   folder_.path() / "fmus/Math003Part3.fmu"};
  const fs::path file = folder_.path() / "math003.toml";
  core::writeWhole(file, propose(fmus, folder_.path(), log_));
  const Project project = read(file, log_);
  EXPECT_EQ(project.subsystems.at(0).fmu.value, folder_.path() / "fmus/Math003Part1.fmu");
  EXPECT_EQ(project.connections.size(), 4U);
  EXPECT_EQ(project.settings.end, 10.0);
  EXPECT_EQ(project.settings.step, 0.1);

  run::Run run = makeRun(project, log_);
  ASSERT_TRUE(run.initialise().ok());
  ASSERT_TRUE(run.simulate().ok());
  EXPECT_EQ(run.time(), 10.0);
  EXPECT_EQ(run.statistics().acceptedSteps, 100U);
}

TEST_F(Build, TellsOfTwelveUnconnectedInputsAndCountsTheRest) {
  const auto told = [this](int inputs) {
    std::string lines = "[[subsystems]]\nname = \"a\"\nmodel = \"expressions\"\noutputs = { y = \"1\" }\ninputs = {";
    for (int i = 0; i < inputs; ++i) lines += (i > 0 ? ", u" : "u") + std::to_string(10 + i) + " = 0.0";
    lines_.clear();
    buildText(lines + "}\n");
    return lines_;
  };
  const std::string begin = "info Inputs that are not connected and keep their start values: ";
  std::string twelve = "a.u10";
  for (int i = 11; i < 22; ++i) twelve += ", a.u" + std::to_string(i);
  EXPECT_EQ(told(1), ProblemList{begin + "a.u10."});
  EXPECT_EQ(told(12), ProblemList{begin + twelve + "."});
  EXPECT_EQ(told(14), ProblemList{begin + twelve + " and 2 more."});
  EXPECT_EQ(told(0), ProblemList{});
}

TEST_F(Build, ProposesTheShortestStepOfTheModels) {
  const fs::path longStep = folder_.path() / "fmus/Gain.fmu";
  const fs::path shortStep = folder_.path() / "fmus/HardeningSpring.fmu";  // 0.1 s and 1e-4 s
  for (const std::vector<fs::path>& fmus : {std::vector{longStep, shortStep}, std::vector{shortStep, longStep}}) {
    const fs::path file = folder_.path() / "proposal.toml";
    core::writeWhole(file, propose(fmus, folder_.path(), log_));
    const Project project = read(file, log_);
    EXPECT_EQ(project.settings.step, 1e-4);
    EXPECT_EQ(project.subsystems.at(0).fmu.value, fmus[0]);
    EXPECT_EQ(project.subsystems.at(1).fmu.value, fmus[1]);
  }
}

TEST_F(Build, ProposesOnlyFromFmusThatCanBeRead) {
  const std::vector<fs::path> fmus{"no1.fmu", "no2.fmu"};
  EXPECT_EQ(problemsOf([&] { propose(fmus, ".", log_); }).size(), 2U);
}

}  // namespace
}  // namespace koppla::project
