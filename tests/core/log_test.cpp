#include "koppla/core/log.hpp"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/core/file.hpp"

namespace koppla::core {
namespace {

TEST(Log, SinksGetOnlyWhatIsSevereEnough) {
  Log log;
  std::vector<std::string> heard;
  log.addSink(
      [&heard](Severity s, std::string_view who, std::string_view message) {
        heard.push_back(std::string(word(s)) + "|" + std::string(who) + "|" + std::string(message));
      },
      Severity::warning);
  log.write(Severity::info, "a", "quiet");
  log.write(Severity::error, "b", "loud {} %s");
  EXPECT_EQ(heard, std::vector<std::string>{"error|b|loud {} %s"});
}

TEST(Log, TheFirstFileAlsoGetsWhatWasWrittenBeforeIt) {
  const TemporaryFolder folder("test");
  {
    Log log;
    log.write(Severity::warning, "import", "early");
    log.addFile(folder.path() / "run.log");
    log.write(Severity::info, "run", "late");
  }
  const std::string content = readWhole(folder.path() / "run.log");
  const auto early = content.find("import: early");
  ASSERT_NE(early, std::string::npos);
  EXPECT_LT(early, content.find("run: late"));
}

TEST(Log, NoMessageCanFakeALineOrCommandATerminal) {
  const TemporaryFolder folder("test");
  const auto file = folder.path() / "run.log";
  std::string heard;
  {
    Log log;
    log.addFile(file);
    log.addSink([&heard](Severity, std::string_view who, std::string_view message) {
      heard.append(who).append("|").append(message);
    });
    log.write(Severity::info, "fmu\n\x1b",
              "one\n2026-01-01 00:00:00.000 error   fmu: faked\r\x1b[2J\xc2\x9b\xe2\x80\xae\x9b");
  }
  const std::string expected =
      "one\n    2026-01-01 00:00:00.000 error   fmu: faked\\u000d\\u001b[2J\\u009b\\u202e\uFFFD";
  EXPECT_EQ(heard, "fmu\\u000a\\u001b|" + expected);
  const std::string content = readWhole(file);
  EXPECT_NE(content.find(" info    fmu\\u000a\\u001b: " + expected + "\n"), std::string::npos) << content;
  EXPECT_EQ(content.find("\n2026-01-01"), std::string::npos);
}

TEST(Log, LinesFromManyThreadsAllArriveWhole) {
  const TemporaryFolder folder("test");
  const auto file = folder.path() / "run.log";
  constexpr int kThreads = 4;
  constexpr int kLines = 200;
  {
    Log log;
    log.addFile(file);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back([&log] {
        for (int k = 0; k < kLines; ++k) log.write(Severity::info, "worker", "one line");
      });
    for (std::thread& thread : threads) thread.join();
  }
  const std::string content = readWhole(file);
  std::size_t lines = 0;
  for (std::size_t at = content.find("worker: one line\n"); at != std::string::npos;
       at = content.find("worker: one line\n", at + 1))
    ++lines;
  EXPECT_EQ(lines, static_cast<std::size_t>(kThreads * kLines));
}

}  // namespace
}  // namespace koppla::core
