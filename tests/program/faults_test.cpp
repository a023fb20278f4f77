// What goes wrong in programs, and what the user is told.

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"

#include "refusal.hpp"
#include "support/full_disk.hpp"
#include "toy_program.hpp"

namespace koppla::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

/// What is said of a program that must fail.
std::string failureOf(Toy& toy) {
  EXPECT_FALSE(toy.evaluate(1.0).has_value());
  return toy.made->failure();
}
std::string failureOf(const std::string& line) {
  Toy toy(line);
  return failureOf(toy);
}

TEST(ProgramFaults, AnExitStatusIsToldWithTheLastWords) {
  Toy toy("echo first >&2; echo 'licence expired' >&2; exit 4");
  EXPECT_THAT(failureOf(toy),
              AllOf(HasSubstr("The program 'toy' failed in step 0, call 1."), HasSubstr("ended with exit status 4"),
                    HasSubstr("The command 'echo first >&2;"), HasSubstr("first | licence expired"),
                    HasSubstr("Run the command by hand"), HasSubstr((toy.work() / "s000000/i001").string())));
  EXPECT_TRUE(fs::exists(toy.work() / "s000000/i001/x.csv")) << "the folder of a call that failed stays";
}

TEST(ProgramFaults, AFullDiskAtTheStartIsToldAsSuchWithTheProgramsName) {
  Toy toy(kTriple);
  const FullDisk full(4);
  try {
    toy.start();
    FAIL() << "no error";
  } catch (const core::FileError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("The program 'toy' cannot be called. The record of answers "),
                                    HasSubstr("cannot be written: File too large. Free some space there")));
  }
}

TEST(ProgramFaults, OtherStatusesMayMeanSuccess) {
  Toy toy(kTriple + "; exit 4");
  toy.settings.okStatus = {0, 4};
  EXPECT_EQ(toy.evaluate(1.0), 3.0);
}

TEST(ProgramFaults, ASignalIsTold) {
  EXPECT_THAT(failureOf(kTriple + "; kill -SEGV $$"),
              AllOf(HasSubstr("was killed by signal 11 (Segmentation fault)"), HasSubstr("It crashed")));
}

TEST(ProgramFaults, AHangEndsAtTheTimeLimit) {
  Toy toy(kTriple + "; sleep 60");
  toy.settings.limits.seconds = 0.2;
  EXPECT_THAT(failureOf(toy), AllOf(HasSubstr("was ended by its time limit after "), HasSubstr("Raise time_limit")));
}

TEST(ProgramFaults, HalfAFileIsRefused) {
  EXPECT_THAT(failureOf("printf '1 , 3.1' > y.csv"), HasSubstr("y.csv:1: The last line has no end"));
}

TEST(ProgramFaults, ZerosInWhatAProgramWritesDoNotCutTheMessage) {
  EXPECT_THAT(failureOf("printf '1 , 1.5\\0\\n' > y.csv"),
              AllOf(HasSubstr("y.csv:1: '1.5\\u0000' is no number. Each line is an id"), HasSubstr("Its folder was")));
  EXPECT_THAT(failureOf("printf 'no\\0licence\\n' >&2; exit 4"),
              AllOf(HasSubstr("ends with: no\\u0000licence Run the command by hand"), HasSubstr("Its folder was")));
}

TEST(ProgramFaults, NotANumberIsRefused) {
  EXPECT_THAT(failureOf("echo '1 , nan' > y.csv"), HasSubstr("y.csv:1: The value 'nan' is not finite."));
}

TEST(ProgramFaults, TooFewIdsAreRefused) {
  Toy toy("cp x.csv y.csv");
  toy.settings.outputs[0].port.field = {"y", {1, 2}, 1, true};
  toy.start();
  const std::vector<double> x{1.0};
  std::vector<double> y(2);
  EXPECT_EQ(toy.made->evaluate(0.0, x, y), subsystem::Status::error);
  EXPECT_THAT(toy.made->failure(), HasSubstr("y.csv: Ids without values: 2."));
}

TEST(ProgramFaults, APatternOfFailureIsFoundWhereverItStands) {
  for (const char* said :
       {"echo ' *ERROR in solver: diverged'", "echo '*ERROR: diverged' >&2", "echo x*ERROR >> run.log"}) {
    Toy toy(kTriple + "; " + said);
    toy.settings.failurePatterns = {"no licence", "\\*ERROR"};
    toy.settings.failureFiles = {"run.log", "missing.log"};
    EXPECT_THAT(failureOf(toy),
                AllOf(HasSubstr(":1: The program says '"), HasSubstr("which means failure ('\\*ERROR')")));
  }
}

TEST(ProgramFaults, AFullDiskIsTold) {
  Toy toy("head -c 3000000 /dev/zero > big; s=$?; " + kTriple + "; exit $s");
  toy.settings.limits.fileBytes = 1'000'000;
  EXPECT_THAT(failureOf(toy), HasSubstr("It wrote a file larger than file_size_limit"));
}

TEST(ProgramFaults, AFolderThatDoesNotFitOnTheDiskIsTold) {
  Toy toy(kTriple);
  fs::create_directories(toy.folder.path() / "model/data");
  toy.write("model/data/mesh", std::string(100'000, 'x'));
  toy.settings.folder = toy.folder.path() / "model";
  const FullDisk full(50'000);
  EXPECT_THAT(failureOf(toy), AllOf(HasSubstr("data/mesh cannot become a copy of "), HasSubstr(": File too large.")));
  EXPECT_TRUE(toy.made->failedAtFile());
}

TEST(ProgramFaults, AFolderThatCannotBeMadeFailsTheStepAndIsNotTheDisks) {
  Toy toy(kTriple);
  EXPECT_EQ(toy.evaluate(1.0), 3.0);
  fs::remove_all(toy.work());
  toy.write("programs/toy", "a file where the folder was");
  EXPECT_FALSE(toy.evaluate(2.0, 1.0).has_value());
  EXPECT_THAT(toy.made->failure(), AllOf(HasSubstr("The program 'toy' failed in step 1, before its call."),
                                         HasSubstr("cannot be made: Not a directory.")));
  EXPECT_FALSE(toy.made->failedAtFile());
}

TEST(ProgramFaults, AFileThatIsGoneIsToldByItsOwnName) {
  Toy toy(kTriple);
  toy.write("script", "x");
  toy.settings.include = {toy.folder.path() / "script"};
  toy.start();
  fs::remove(toy.folder.path() / "script");
  EXPECT_THAT(failureOf(toy), HasSubstr("/script cannot be read: No such file or directory. Check the path"));
}

TEST(ProgramFaults, AProgramThatIsMissingIsTold) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP()
      << "ThreadSanitizer gives a started process memory of its own, and the reason why it cannot start is lost.";
#endif
  EXPECT_THAT(failureOf("no-such-program"),
              AllOf(HasSubstr("exit status 127"), HasSubstr("The shell found no such program")));
  Toy toy("");
  toy.write("solver", "#!/no/such/interpreter\n");
  fs::permissions(toy.folder.path() / "solver", fs::perms::owner_all);
  toy.settings.command = std::vector<std::string>{"./solver"};
  EXPECT_THAT(failureOf(toy), HasSubstr("could not be started: No such file or directory"));
}

TEST(ProgramFaults, AMissingFileIsTold) {
  EXPECT_THAT(failureOf("true"), HasSubstr("y.csv: The program has not written this file, where 'y' is to be found."));
}

TEST(ProgramFaults, LeftoversAreNotRead) {
  Toy brought("true");
  fs::create_directories(brought.folder.path() / "model");
  brought.write("model/y.csv", "1 , 77\n");
  brought.settings.folder = brought.folder.path() / "model";
  EXPECT_THAT(failureOf(brought), HasSubstr("The program has not written this file"));
  for (const bool link : {false, true}) {
    brought.settings.link = link;
    brought.made.reset();
    EXPECT_FALSE(brought.evaluate(1.0));
    EXPECT_TRUE(fs::exists(brought.folder.path() / "model/y.csv")) << "only the call's own is removed";
  }
  Toy earlier("test ! -e y.csv && " + kTriple);
  fs::create_directories(earlier.work() / "s000000/i001");
  core::writeWhole(earlier.work() / "s000000/i001/y.csv", "1 , 77\n");
  EXPECT_EQ(earlier.evaluate(1.0), 3.0);
  EXPECT_EQ(earlier.evaluate(2.0), 6.0) << "nor are those of the call before";
}

TEST(ProgramFaults, LinkedFilesOfTheUserAreNeverTouched) {
  Toy toy(kTriple);
  fs::create_directories(toy.folder.path() / "model/data");
  for (const char* name : {"model/y.csv", "model/x.csv", "model/stdout.txt", "model/script", "model/data/y.csv"})
    toy.write(name, "the user's\n");
  toy.write("script", "ours\n");
  toy.settings.include = {toy.folder.path() / "script"};
  toy.settings.folder = toy.folder.path() / "model";
  toy.settings.link = true;
  EXPECT_EQ(toy.evaluate(1.0), 3.0);
  for (const char* name : {"model/y.csv", "model/x.csv", "model/stdout.txt", "model/script"})
    EXPECT_EQ(core::readWhole(toy.folder.path() / name), "the user's\n") << name;
  toy.settings.outputs[0].reading.file = "data/y.csv";
  EXPECT_THAT(refusal([&] { program::makeProgram(toy.settings, toy.log); }),
              HasSubstr("The file of an output cannot be data/y.csv: that folder is a link"));
}

TEST(ProgramFaults, NoNameLeadsOutOfTheFolderOfTheRun) {
  for (const char* name : {"/etc", "..", "a/../../b", ""}) {
    Toy toy(kTriple);
    toy.settings.name = name;
    EXPECT_EQ(toy.evaluate(1.0), 3.0);
    std::size_t folders = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(toy.settings.workFolder)) {
      EXPECT_TRUE(fs::exists(entry.path() / "s000000/i001/y.csv")) << entry.path();
      ++folders;
    }
    EXPECT_EQ(folders, 1U) << name;
  }
}

TEST(ProgramFaults, ScriptsFailAsTheProgramDoes) {
  Toy toy(kTriple);
  toy.settings.before = std::string("echo unknown mesh >&2; exit 2");
  EXPECT_THAT(failureOf(toy), AllOf(HasSubstr("The command 'echo unknown mesh"), HasSubstr("exit status 2")));
  toy.settings.before = std::string();
  toy.settings.after = std::string("exit 3");
  toy.made.reset();
  EXPECT_THAT(failureOf(toy), HasSubstr("The command 'exit 3' ended with exit status 3"));
}

TEST(ProgramFaults, ACallIsTriedAgainIfAsked) {
  Toy toy("");
  const std::string marker = (toy.folder.path() / "failed-once").string();
  toy.settings.command = "test -e " + marker + " || { touch " + marker + "; exit 1; }; " + kTriple;
  toy.settings.retries = 1;
  std::vector<std::string> warnings;
  toy.log.addSink([&](core::Severity, std::string_view, std::string_view text) { warnings.emplace_back(text); },
                  core::Severity::warning);
  EXPECT_EQ(toy.evaluate(1.0), 3.0);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0], AllOf(HasSubstr("exit status 1"), HasSubstr("It is tried again (1 of 1).")));
}

TEST(ProgramFaults, AfterAFailureTheProgramMayBeAskedAgain) {
  Toy toy("test $(cut -d, -f2 x.csv) -ge 0 && " + kTriple);
  EXPECT_FALSE(toy.evaluate(-1.0));
  EXPECT_EQ(toy.evaluate(2.0), 6.0);
}

TEST(ProgramFaults, ACallIsTriedAgainAsOftenAsAskedAndNoMore) {
  Toy toy("false");
  toy.settings.retries = 2;
  std::vector<std::string> warnings;
  toy.log.addSink([&](core::Severity, std::string_view, std::string_view text) { warnings.emplace_back(text); },
                  core::Severity::warning);
  EXPECT_FALSE(toy.evaluate(1.0));
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_THAT(warnings[1], HasSubstr("It is tried again (2 of 2)."));
  EXPECT_EQ(toy.made->effort().staticCalls, 0U) << "that ended well";
}

TEST(ProgramFaults, AnInterruptedCallIsNotTriedAgain) {
  Toy toy("");
  toy.settings.command = "touch " + (toy.folder.path() / "began").string() + "; sleep 60";
  toy.settings.retries = 5;
  std::size_t warnings = 0;
  toy.log.addSink([&](core::Severity, std::string_view, std::string_view) { ++warnings; }, core::Severity::warning);
  toy.start();
  std::atomic<bool> interrupted{false};
  toy.made->enterInitialisation({0.0, 10.0, {}, &interrupted});
  std::thread user([&] {
    while (!fs::exists(toy.folder.path() / "began")) std::this_thread::yield();
    interrupted = true;
  });
  EXPECT_FALSE(toy.evaluate(1.0));
  user.join();
  EXPECT_EQ(warnings, 0U);
}

TEST(ProgramFaults, AfterAFullDiskAnotherFailureIsNotTheDisks) {
  Toy toy("test $(cut -d, -f2 x.csv) -ge 0 && " + kTriple);
  toy.write("more", std::string(100'000, 'x'));
  toy.settings.include = {toy.folder.path() / "more"};
  {
    toy.start();
    const FullDisk full(50'000);
    EXPECT_FALSE(toy.evaluate(1.0));
    EXPECT_TRUE(toy.made->failedAtFile());
  }
  EXPECT_FALSE(toy.evaluate(-1.0));
  EXPECT_FALSE(toy.made->failedAtFile());
  EXPECT_EQ(toy.evaluate(2.0), 6.0);
  EXPECT_FALSE(toy.made->failedAtFile());
}

TEST(ProgramFaults, AnAnswerThatFailedIsForgotten) {
  Toy toy("");
  const std::string gate = (toy.folder.path() / "closed").string();
  toy.settings.command = "test ! -e " + gate + " && " + kTriple;
  EXPECT_EQ(toy.evaluate(1.0), 3.0);
  toy.write("closed", "");
  EXPECT_FALSE(toy.evaluate(2.0));
  EXPECT_FALSE(toy.evaluate(1.0)) << "what was known before is asked again";
}

}  // namespace
}  // namespace koppla::test
