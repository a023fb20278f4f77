// Programs behind files as subsystems.

#include "koppla/program/program.hpp"

#include <filesystem>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/subsystem/subdivided.hpp"

#include "refusal.hpp"
#include "support/figure.hpp"
#include "toy_program.hpp"

namespace koppla::test {
namespace {

namespace fs = std::filesystem;
using program::Keep;
using subsystem::Slot;
using testing::HasSubstr;

std::vector<std::string> foldersOf(const Toy& toy) {
  std::vector<std::string> result;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(toy.work()))
    if (entry.path().filename().string().starts_with('i'))
      result.push_back(fs::relative(entry.path(), toy.work()).string());
  std::ranges::sort(result);
  return result;
}

TEST(Program, AStaticProgramAnswersEveryEvaluation) {
  Toy toy(kTriple);
  EXPECT_EQ(toy.start().describe().kind, "program, static");
  EXPECT_EQ(toy.evaluate(2.0), 6.0);
  EXPECT_EQ(toy.evaluate(-0.5), -1.5);
  EXPECT_EQ(toy.evaluate(0.1, 1.0), 3 * 0.1);
  EXPECT_EQ(toy.made->effort().staticCalls, 3U);
}

TEST(Program, TheSameQuestionIsAskedOnce) {
  Toy toy(kTriple);
  EXPECT_EQ(toy.evaluate(2.0), 6.0);
  EXPECT_EQ(toy.evaluate(2.0), 6.0);
  EXPECT_EQ(toy.made->effort().staticCalls, 1U);
}

TEST(Program, FoldersOfCallsStayAsAskedFor) {
  const auto left = [](Keep keep) {
    Toy toy(kTriple);
    toy.settings.keep = keep;
    for (const double t : {0.0, 1.0})
      for (const double x : {1.0, 2.0}) EXPECT_EQ(toy.evaluate(x, t), 3.0 * x);
    return foldersOf(toy);
  };
  EXPECT_THAT(left(Keep::all), testing::ElementsAre("s000000/i001", "s000000/i002", "s000001/i001", "s000001/i002"));
  EXPECT_THAT(left(Keep::last), testing::ElementsAre("s000001/i002"));
  EXPECT_THAT(left(Keep::failed), testing::IsEmpty());
}

TEST(Program, TemporaryFoldersGoWithTheRun) {
  Toy toy("");
  toy.settings.workFolder.clear();
  toy.settings.command = "pwd > " + (toy.folder.path() / "here").string() + "; " + kTriple;
  EXPECT_EQ(toy.evaluate(1.0), 3.0);
  std::string here = core::readWhole(toy.folder.path() / "here");
  here.pop_back();
  EXPECT_TRUE(fs::exists(here));
  toy.made.reset();
  EXPECT_FALSE(fs::exists(here));
}

TEST(Program, TwoInstancesNeverShareAFolder) {
  Toy first(kTriple);
  first.settings.keep = Keep::all;
  Toy second(kTriple);
  second.settings = first.settings;
  EXPECT_EQ(first.evaluate(1.0), 3.0);
  EXPECT_EQ(second.evaluate(2.0), 6.0);
  EXPECT_TRUE(fs::exists(first.work() / "s000000/i001/y.csv"));
  EXPECT_TRUE(fs::exists(first.settings.workFolder / "toy-2/s000000/i001/y.csv"));
}

TEST(Program, DecksFilesAndScriptsMeetInTheFolderOfTheCall) {
  Toy toy("./solver < deck.inp > solver.log");
  toy.write("solver",
            "#!/bin/sh\nread key lambda; read key q\necho \"T1 = $(echo $q $lambda | awk '{print $1/$2}') degC\"\n");
  fs::permissions(toy.folder.path() / "solver", fs::perms::owner_all);
  toy.write("template", "lambda {{lambda}}\nq {{x}}\nstep {{step}} at {{t1}}\n");
  toy.settings.include = {toy.folder.path() / "solver"};
  toy.settings.deck = {{"deck.inp", toy.folder.path() / "template"}};
  toy.settings.before = std::string("test -f deck.inp && test ! -f solver.log");
  toy.settings.after = std::string("sed -n 's/^T1 = \\(.*\\) degC/1 , \\1/p' solver.log > y.csv");
  toy.settings.parameters = {{.field = {"lambda", {1}}, .start = {4.0}}};
  EXPECT_EQ(toy.evaluate(10.0), 2.5);
  EXPECT_EQ(core::readWhole(toy.work() / "s000000/i001/deck.inp"), "lambda 4\nq 10\nstep 0 at 0\n");
}

TEST(Program, AFolderIsCopiedOrLinked) {
  for (const bool link : {false, true}) {
    Toy toy("awk -v f=$(cat data/factor) '{ print $1 \" , \" f * $3 }' x.csv > y.csv");
    fs::create_directories(toy.folder.path() / "model/data");
    toy.write("model/data/factor", "7\n");
    toy.settings.folder = toy.folder.path() / "model";
    toy.settings.link = link;
    EXPECT_EQ(toy.evaluate(2.0), 14.0);
    EXPECT_EQ(fs::is_symlink(toy.work() / "s000000/i001/data"), link);
  }
}

TEST(Program, FieldsAreWrittenAndReadById) {
  Toy toy("sort -r x.csv > y.csv");
  toy.settings.inputs[0].field = {"x", {7, 3, 5}, 1, true};
  toy.settings.outputs[0].port.field = {"y", {3, 5, 7}, 1, true};
  subsystem::Subsystem& made = toy.start();
  const std::vector<double> x{70.0, 30.0, 50.0};
  std::vector<double> y(3);
  ASSERT_EQ(made.evaluate(0.0, x, y), subsystem::Status::ok) << made.failure();
  EXPECT_THAT(y, testing::ElementsAre(30.0, 50.0, 70.0));
}

/// The sum of x over the steps and 100: reads `old`, writes `new`.
struct Summing : Toy {
  Summing() : Toy("awk -v s=$(cat old) '{ s += $3; print $1 \" , \" s; print s > \"new\" }' x.csv > y.csv") {
    write("begin", "100\n");
    settings.isTransient = true;
    settings.outputs[0].port.start = {100.0};
    settings.restart = {{.write = "new", .read = "old", .start = folder.path() / "begin"}};
    settings.keep = Keep::all;
  }
};

TEST(Program, ATransientProgramGoesOnFromItsRestartFiles) {
  Summing toy;
  EXPECT_EQ(toy.start().describe().kind, "program, transient");
  EXPECT_EQ(toy.evaluate(5.0), 100.0) << "before the first step there are its start values";
  EXPECT_EQ(toy.advance(0.0, 0.1, 1.0), 101.0);
  EXPECT_EQ(toy.advance(0.1, 0.2, 2.0), 103.0);
  EXPECT_EQ(toy.evaluate(5.0), 103.0);
  EXPECT_EQ(toy.made->effort().microSteps, 2U);
}

TEST(Program, AStepIsRepeatedFromWhereItBegan) {
  Summing toy;
  EXPECT_TRUE(toy.start().describe().capabilities.saveRestore);
  toy.made->save(Slot::macroStep);
  EXPECT_EQ(toy.advance(0.0, 0.1, 1.0), 101.0);
  toy.made->save(Slot::iteration);
  std::vector<double> answers;
  for (const double x : {2.0, 7.0, 2.0}) {
    answers.push_back(toy.advance(0.1, 0.2, x).value_or(-1.0));
    toy.made->restore(Slot::iteration);
  }
  const bool same = answers == std::vector<double>{103.0, 108.0, 103.0};
  toy.made->restore(Slot::macroStep);
  const std::optional<double> first = toy.advance(0.0, 0.1, 4.0);
  showFigure({"jung 7", "repeated-step", "every call of a step starts from the end of the step before"},
             same && first == 104.0 ? "every repetition did" : "one did not", same && first == 104.0);
  EXPECT_THAT(foldersOf(toy),
              testing::ElementsAre("s000001/i001", "s000001/i002", "s000002/i001", "s000002/i002", "s000002/i003"));
}

TEST(Program, ARestartFileInPlaceMustBeWrittenInEveryStep) {
  Toy toy("cp x.csv y.csv");
  toy.settings.isTransient = true;
  toy.write("state", "1\n");
  toy.settings.restart = {{.write = "state", .start = toy.folder.path() / "state"}};
  toy.start();
  EXPECT_FALSE(toy.advance(0.0, 0.1, 1.0));
  EXPECT_THAT(toy.made->failure(), HasSubstr("state: The program has not written this restart file."));
  toy.settings.command = std::string("cat state x.csv > more; mv more state; cp x.csv y.csv");
  toy.start();
  EXPECT_EQ(toy.advance(0.0, 0.1, 1.0), 1.0);
  EXPECT_EQ(toy.advance(0.1, 0.2, 2.0), 2.0);
}

TEST(Program, TheCallIsToldInTheEnvironment) {
  Toy toy("echo \"1 , $KOPPLA_STEP$KOPPLA_ITERATION\" > y.csv; echo $KOPPLA_T0 $KOPPLA_T1 > times");
  toy.settings.isTransient = true;
  toy.start();
  EXPECT_EQ(toy.advance(0.0, 0.125, 1.0), 11.0);
  EXPECT_EQ(core::readWhole(toy.work() / "s000001/i001/times"), "0 0.125\n");
}

TEST(Program, TellsWhatItCanDo) {
  Toy still(kTriple);
  const subsystem::Capabilities& ofStatic = still.start().describe().capabilities;
  EXPECT_TRUE(ofStatic.variableStep);
  EXPECT_EQ(ofStatic.inputDerivatives, subsystem::kMaxDegree);
  EXPECT_TRUE(ofStatic.evaluatesBetweenSteps);
  EXPECT_TRUE(ofStatic.ownProcess);
  EXPECT_TRUE(ofStatic.states);
  EXPECT_TRUE(ofStatic.saveRestore);
  EXPECT_FALSE(ofStatic.isStatic);
  Summing summing;
  EXPECT_FALSE(summing.start().describe().capabilities.states) << "they are in its files";
  EXPECT_EQ(summing.made->differentiate(0, {}), subsystem::Status::error);
}

/// Questions at one instant, whose answers have four digits; at other instants they may follow a schedule.
TEST(Program, DigitsAreThoseDeclaredOrSeenSoFar) {
  constexpr const char* kFour = "awk '{ printf \"%d , %.4g\\n\", $1, 3.14159265 * $3 }' x.csv > y.csv";
  Toy toy(kFour);
  for (const double t : {1.0, 2.0, 3.0, 4.0, 5.0}) EXPECT_TRUE(toy.evaluate(1.0 + 0.1 * t, t));
  EXPECT_EQ(toy.made->digits(1), 0U);
  for (const double x : {1.1, 1.2, 1.3, 1.4, 1.5}) EXPECT_TRUE(toy.evaluate(x, 5.0));
  EXPECT_EQ(toy.made->digits(1), 4U);
  EXPECT_EQ(subsystem::subdivide(std::move(toy.made), 0.0)->digits(1), 4U) << "through wrappers too";

  Toy declared(kFour);
  declared.settings.outputs[0].reading.digits = 6;
  EXPECT_EQ(declared.start().digits(1), 6U);
}

TEST(Program, PortsSayWhatTheSettingsSay) {
  for (const bool isTransient : {false, true}) {
    Toy toy(kTriple);
    toy.settings.isTransient = isTransient;
    toy.settings.inputs[0].field = {"x", {1, 2}, 2};
    toy.settings.inputs[0].nominal = 5.0;
    toy.settings.inputs[0].unit = "K";
    toy.settings.inputs[0].description = "walls";
    toy.settings.parameters = {{.field = {"p", {1, 2}}, .start = {3.0, 4.0}}};
    toy.settings.outputs[0].reading.digits = 4;
    const subsystem::Description& description = toy.start().describe();
    EXPECT_EQ(description.model, kTriple);
    ASSERT_EQ(description.ports.size(), 3U);
    const subsystem::Port& x = description.ports[0];
    const subsystem::Port& y = description.ports[1];
    const subsystem::Port& p = description.ports[2];
    EXPECT_EQ(x.name + y.name + p.name, "xyp");
    EXPECT_EQ(x.size, 4U);
    EXPECT_EQ(x.nominal, 5.0);
    EXPECT_EQ(x.unit, "K");
    EXPECT_EQ(x.description, "walls");
    EXPECT_TRUE(x.settable);
    EXPECT_EQ(y.settable, isTransient) << "before the first step";
    EXPECT_TRUE(p.settable);
    EXPECT_EQ(y.digits, 4U);
    EXPECT_EQ(x.causality, subsystem::Causality::input);
    EXPECT_EQ(y.causality, subsystem::Causality::output);
    EXPECT_EQ(p.causality, subsystem::Causality::parameter);
    EXPECT_EQ(description.initialDependencies.contains(1), isTransient) << "its start value follows from nothing";
    core::Values values;
    toy.made->observe(std::vector<subsystem::PortIndex>{0, 2, 1}, values);
    EXPECT_THAT(values.reals, testing::ElementsAre(2.0, 2.0, 2.0, 2.0, 3.0, 4.0, 0.0));
  }
}

TEST(Program, ParametersAreSetAndGivenBehindInputs) {
  Toy toy("cut -d' ' -f1-3 deck > y.csv; echo \"1 , $(cut -d' ' -f4 deck)\" > z.csv");
  toy.settings.parameters = {{.field = {"p", {1}}, .start = {4.0}}, {.field = {"q", {1}}, .start = {6.0}}};
  toy.settings.outputs.push_back({{.field = {"z", {1}}}, {.file = "z.csv"}});
  toy.write("template", "1 , {{p}} {{q}}\n");
  toy.settings.deck = {{"deck", toy.folder.path() / "template"}};
  subsystem::Subsystem& made = toy.start();
  const double x = 1.0;
  std::vector<double> y(2);
  ASSERT_EQ(made.evaluate(0.0, std::span(&x, 1), y), subsystem::Status::ok) << made.failure();
  EXPECT_THAT(y, testing::ElementsAre(4.0, 6.0));
  const std::vector<core::Value> value{7.5};
  made.set(made.describe().ports.size() - 1, value);
  ASSERT_EQ(made.evaluate(1.0, std::span(&x, 1), y), subsystem::Status::ok) << made.failure();
  EXPECT_THAT(y, testing::ElementsAre(4.0, 7.5));
}

TEST(Program, ANewInitialisationBeginsAnew) {
  Summing toy;
  toy.start();
  EXPECT_EQ(toy.advance(0.0, 0.1, 1.0), 101.0);
  toy.made->enterInitialisation({0.0, 10.0, {}});
  EXPECT_EQ(toy.advance(0.0, 0.1, 5.0), 105.0) << "from the start file";
  EXPECT_TRUE(fs::exists(toy.work() / "s000001/i001")) << "in the first step";
  EXPECT_FALSE(fs::exists(toy.work() / "s000002"));

  Toy still(kTriple);
  still.settings.keep = Keep::all;
  EXPECT_EQ(still.evaluate(2.0, 0.0), 6.0);
  EXPECT_EQ(still.evaluate(2.0, 1.0), 6.0);
  still.made->enterInitialisation({0.0, 10.0, {}});
  EXPECT_EQ(still.evaluate(2.0, 1.0), 6.0);
  EXPECT_THAT(foldersOf(still), testing::ElementsAre("s000000/i001")) << "asked again, at the first of its instants";
  still.made->enterInitialisation({0.0, 10.0, {}});
  EXPECT_EQ(still.evaluate(2.0, 2.0), 6.0);
  EXPECT_THAT(foldersOf(still), testing::ElementsAre("s000000/i001"));
}

TEST(Program, AStaticProgramIsAskedAgainAfterARestore) {
  Toy toy(kTriple);
  EXPECT_EQ(toy.evaluate(2.0), 6.0);
  toy.made->save(Slot::macroStep);
  EXPECT_EQ(toy.evaluate(4.0), 12.0);
  toy.made->restore(Slot::macroStep);
  core::Values values;
  toy.made->observe(std::vector<subsystem::PortIndex>{1}, values);
  EXPECT_THAT(values.reals, testing::ElementsAre(6.0)) << "the outputs of then";
  EXPECT_EQ(toy.evaluate(4.0), 12.0);
  EXPECT_EQ(toy.made->effort().staticCalls, 3U);
}

TEST(Program, AStaticProgramAnswersStepsAtTheirEnd) {
  Toy toy("echo \"1 , $KOPPLA_T0\" > y.csv");
  toy.start();
  EXPECT_EQ(toy.advance(0.5, 0.75, 1.0), 0.75);
  EXPECT_EQ(toy.advance(0.5, 0.75, 1.0), 0.75);
  EXPECT_EQ(toy.made->effort().staticCalls, 1U);
}

TEST(Program, AResumedRunTellsHowManyAnswersItKnew) {
  Summing toy;
  std::vector<std::string> said;
  toy.log.addSink([&](core::Severity, std::string_view, std::string_view text) { said.emplace_back(text); },
                  core::Severity::info);
  toy.start();
  EXPECT_EQ(toy.advance(0.0, 0.1, 1.0), 101.0);
  toy.made->terminate();
  EXPECT_THAT(said, testing::IsEmpty()) << "it was the first run";
  toy.settings.resume = true;
  toy.start();
  EXPECT_EQ(toy.advance(0.0, 0.1, 1.0), 101.0);
  EXPECT_EQ(toy.advance(0.1, 0.2, 4.0), 105.0) << "from the restart files that the first run has left";
  toy.made->terminate();
  EXPECT_THAT(said, testing::ElementsAre("1 answer came from the record of the run before"));
}

TEST(Program, InputsAreThoseOfTheEndOfTheStep) {
  Toy toy("cp x.csv y.csv");
  toy.settings.isTransient = true;
  toy.settings.inputs[0].field = {"x", {1, 2}};
  toy.settings.outputs[0].port.field = {"y", {1, 2}};
  toy.start();
  // 1 + 2 s + 4 s^2 and 10 + 20 s + 40 s^2, s from 0 to 1.
  const std::vector<double> coefficients{1.0, 10.0, 2.0, 20.0, 4.0, 40.0};
  std::vector<double> y(2);
  const subsystem::StepResult result = toy.made->advance({0.5, 0.75, false}, {coefficients.data(), 2, 2}, y);
  EXPECT_EQ(result.status, subsystem::Status::ok);
  EXPECT_EQ(result.reached, 0.75);
  EXPECT_THAT(y, testing::ElementsAre(7.0, 70.0));
}

TEST(Program, RestartFilesOfStatesThatWereSavedStayForARunThatGoesOn) {
  Summing toy;
  toy.start();
  EXPECT_EQ(toy.advance(0.0, 0.1, 1.0), 101.0);
  toy.made->save(Slot::macroStep);
  EXPECT_EQ(toy.advance(0.1, 0.2, 2.0), 103.0);
  toy.made->terminate();
  toy.made.reset();
  toy.settings.resume = true;
  toy.start();
  EXPECT_EQ(toy.advance(0.0, 0.1, 1.0), 101.0);
  EXPECT_EQ(toy.advance(0.1, 0.2, 7.0), 108.0) << toy.made->failure();
}

TEST(Program, MistakesAreFoundBeforeAnythingRuns) {
  Toy toy("true");
  toy.settings.command = std::vector<std::string>{"./nothing"};
  toy.write("template", "\n{{lambda}}\n");
  toy.settings.deck = {{"../deck", toy.folder.path() / "template"}, {"x.csv", toy.folder.path() / "none"}};
  toy.settings.include = {toy.folder.path() / "missing"};
  toy.settings.folder = toy.folder.path() / "no-folder";
  toy.settings.inputs.push_back({.field = {"t0", {4, 4}}, .start = {1, 2, 3}});
  toy.settings.outputs.push_back({{.field = {"z", {1}}}, {.file = "x.csv"}});
  toy.settings.failurePatterns = {"("};
  const std::string all = refusal([&] { program::makeProgram(toy.settings, toy.log); });
  EXPECT_THAT(all, HasSubstr("There is no program './nothing' that may be executed."));
  EXPECT_THAT(all, HasSubstr("An input file cannot have the name '../deck'."));
  EXPECT_THAT(all, HasSubstr("template:2: There is no input or parameter 'lambda'"));
  EXPECT_THAT(all, HasSubstr("none to be the template of x.csv."));
  EXPECT_THAT(all, HasSubstr("missing to be included."));
  EXPECT_THAT(all, HasSubstr("There is no folder"));
  EXPECT_THAT(all, HasSubstr("The name 't0' is taken."));
  EXPECT_THAT(all, HasSubstr("'t0' has the id 4 twice."));
  EXPECT_THAT(all, HasSubstr("Start values of 't0': 3; it has 2."));
  EXPECT_THAT(all, HasSubstr("The file x.csv is made twice."));
  EXPECT_THAT(all, HasSubstr("The output 'z' is read from x.csv, which is an input file."));
  EXPECT_THAT(all, HasSubstr("'(' is no regular expression"));
  EXPECT_FALSE(fs::exists(toy.settings.workFolder));
  toy.settings.command = std::vector<std::string>{"no-such-program"};
  EXPECT_THAT(refusal([&] { program::makeProgram(toy.settings, toy.log); }), HasSubstr("It is looked for in PATH"));
}

/// As an FMU beside it may do in a step.
TEST(Program, PathsStayWhatTheyWereWhenTheWorkingFolderChanges) {
  Toy toy("cat factor.txt model.txt > y.csv; test -e $KOPPLA_PROJECT/factor.txt");
  fs::create_directory(toy.folder.path() / "model");
  toy.write("model/model.txt", "5\n");
  toy.write("factor.txt", "1 , ");
  toy.write("template", "{{x}}\n");
  const fs::path before = fs::current_path();
  fs::current_path(toy.folder.path());
  toy.settings.projectFolder.clear();
  toy.settings.include = {"factor.txt"};
  toy.settings.folder = "model";
  toy.settings.deck.push_back(program::DeckFile{"deck.txt", "template"});
  toy.made = program::makeProgram(toy.settings, toy.log);
  fs::current_path("/");
  subsystem::Binding binding;
  binding.inputs.push_back(0);
  binding.outputs.push_back(1);
  toy.made->bind(std::move(binding));
  toy.made->enterInitialisation({0.0, 10.0, {}});
  EXPECT_EQ(toy.evaluate(2.0), 5.0) << toy.made->failure();
  fs::current_path(before);
}

}  // namespace
}  // namespace koppla::test
