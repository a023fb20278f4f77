// What a file of the log holds, whatever happens around it.

#include <filesystem>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/core/log.hpp"

namespace koppla::core::log_file_test {
namespace {

namespace fs = std::filesystem;

class LogFile : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path path(const std::string& name = "run.log") const { return folder_.path() / name; }
  /// The lines behind their time.
  [[nodiscard]] std::vector<std::string> lines(const std::string& name = "run.log") const {
    constexpr std::size_t kTime = 24;  // 2026-01-01 00:00:00.000 and a space
    std::vector<std::string> result;
    std::string rest = readWhole(path(name));
    for (std::size_t end = rest.find('\n'); end != std::string::npos; end = rest.find('\n')) {
      result.push_back(rest.substr(kTime, end - kTime));
      rest.erase(0, end + 1);
    }
    EXPECT_EQ(rest, "") << "each line has its end";
    return result;
  }
  /// Descriptors of this process that lead to the file.
  [[nodiscard]] std::vector<int> descriptors() const {
    std::vector<int> result;
    for (int number = 0; number < 256; ++number)
      if (isOpenAs(path(), number)) result.push_back(number);
    return result;
  }

  TemporaryFolder folder_{"log"};
};

using Lines = std::vector<std::string>;

TEST_F(LogFile, ALineTellsTimeSeveritySpeakerAndMessage) {
  {
    Log log;
    log.addFile(path());
    log.write(Severity::debug, "a", "one");
    log.write(Severity::info, "a", "two");
    log.write(Severity::warning, "b", "three");
    log.write(Severity::error, "b", "four");
  }
  EXPECT_EQ(lines(), (Lines{"debug   a: one", "info    a: two", "warning b: three", "error   b: four"}));
  const std::string content = readWhole(path());
  const std::string first = content.substr(0, 24);
  ASSERT_EQ(first.size(), 24U);
  for (std::size_t i = 0; i < first.size(); ++i) {
    const char shape = std::string("0000-00-00 00:00:00.000 ")[i];
    EXPECT_TRUE(shape == '0' ? first[i] >= '0' && first[i] <= '9' : first[i] == shape) << first;
  }
}

TEST_F(LogFile, GetsWhatIsSevereEnoughAlsoOfBefore) {
  Log log;
  log.write(Severity::info, "a", "early");
  log.write(Severity::warning, "a", "early and severe");
  log.addFile(path(), Severity::warning);
  log.write(Severity::info, "a", "late");
  log.write(Severity::warning, "a", "late and severe");
  log.write(Severity::error, "a", "worse");
  EXPECT_EQ(lines(), (Lines{"warning a: early and severe", "warning a: late and severe", "error   a: worse"}));
}

TEST_F(LogFile, OnlyTheFirstGetsWhatWasWrittenBefore) {
  Log log;
  log.write(Severity::info, "a", "early");
  log.addFile(path());
  log.write(Severity::info, "a", "between");
  log.addFile(path("second.log"));
  log.write(Severity::info, "a", "late");
  EXPECT_EQ(lines(), (Lines{"info    a: early", "info    a: between", "info    a: late"}));
  EXPECT_EQ(lines("second.log"), Lines{"info    a: late"});
}

TEST_F(LogFile, OfWhatWasWrittenBeforeTenThousandLinesAreKept) {
  Log log;
  for (int i = 0; i < 10'003; ++i) log.write(Severity::info, "a", std::to_string(i));
  log.addFile(path());
  const Lines kept = lines();
  ASSERT_EQ(kept.size(), 10'000U);
  EXPECT_EQ(kept.front(), "info    a: 0");
  EXPECT_EQ(kept.back(), "info    a: 9999");
}

TEST_F(LogFile, GoesOnAtTheEndOfAnEarlierOne) {
  for (const char* message : {"one", "two"}) {
    Log log;
    log.addFile(path());
    log.write(Severity::info, "a", message);
  }
  EXPECT_EQ(lines(), (Lines{"info    a: one", "info    a: two"}));
}

TEST_F(LogFile, OneThatCannotBeWrittenIsNamed) {
  Log log;
  try {
    log.addFile(path("missing") / "run.log");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(),
              (path("missing") / "run.log").string() +
                  " cannot be written: No such file or directory. Choose a folder that you may write to.");
  }
}

TEST_F(LogFile, MayBeReadByAllWhomTheUserLets) {
  const mode_t before = ::umask(0);
  Log log;
  log.addFile(path());
  ::umask(before);
  struct stat status {};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0666U);
}

TEST_F(LogFile, IsOpenedOnceAndClosedWithItsLog) {
  {
    Log log;
    log.addFile(path());
    for (int i = 0; i < 5; ++i) log.write(Severity::info, "a", "line");
    EXPECT_EQ(descriptors().size(), 1U);
  }
  EXPECT_TRUE(descriptors().empty());
}

TEST_F(LogFile, IsOpenedAgainWhereSomebodyClosedIt) {
  Log log;
  log.addFile(path());
  log.write(Severity::info, "a", "one");
  for (int round = 0; round < 2; ++round) {
    for (const int number : descriptors()) ::close(number);
    log.write(Severity::info, "a", "two");
    log.write(Severity::info, "a", "three");
    EXPECT_EQ(descriptors().size(), 1U);
  }
  EXPECT_EQ(lines(),
            (Lines{"info    a: one", "info    a: two", "info    a: three", "info    a: two", "info    a: three"}));
}

TEST_F(LogFile, WhatGotItsDescriptorIsNeitherWrittenToNorClosed) {
  int other = -1;
  {
    Log log;
    log.addFile(path());
    const std::vector<int> own = descriptors();
    ASSERT_EQ(own.size(), 1U);
    other = ::open(path("other").c_str(), O_WRONLY | O_CREAT, 0600);
    ::dup2(other, own[0]);
    ::close(other);
    other = own[0];
  }
  EXPECT_GE(::fcntl(other, F_GETFD), 0) << "closed with the log";
  {
    Log log;
    log.addFile(path());
    ::dup2(other, descriptors().at(0));
    log.write(Severity::info, "a", "one");
  }
  ::close(other);
  EXPECT_EQ(lines(), Lines{"info    a: one"});
  EXPECT_EQ(readWhole(path("other")), "");
}

TEST_F(LogFile, AForkedChildWritesNothingIntoItsParentsFile) {
  Log log;
  log.addFile(path());
  const pid_t child = ::fork();
  if (child == 0) {
    log.write(Severity::info, "a", "of the child");
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  log.write(Severity::info, "a", "of the parent");
  EXPECT_EQ(lines(), Lines{"info    a: of the parent"});
}

TEST_F(LogFile, MayBeOpenedWhereThereIsNoStandardInput) {
  const int kept = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 100);
  ::close(STDIN_FILENO);
  {
    Log log;
    EXPECT_NO_THROW(log.addFile(path()));
    log.write(Severity::info, "a", "one");
  }
  if (kept >= 0) {
    ::dup2(kept, STDIN_FILENO);
    ::close(kept);
  }
  EXPECT_EQ(lines(), Lines{"info    a: one"});
}

TEST(LogSink, GetsMessagesOfItsSeverityAndAbove) {
  Log log;
  std::string heard;
  log.addSink([&heard](Severity severity, std::string_view, std::string_view) { heard += word(severity)[0]; },
              Severity::warning);
  for (const Severity severity : {Severity::debug, Severity::info, Severity::warning, Severity::error})
    log.write(severity, "a", "");
  EXPECT_EQ(heard, "we");
}

}  // namespace
}  // namespace koppla::core::log_file_test
