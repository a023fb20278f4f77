#include "koppla/core/heartbeat.hpp"

#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace koppla::core::heartbeat_test {
namespace {

namespace fs = std::filesystem;

/// The folders of all threads of this process.
std::set<fs::path> threads() {
  std::set<fs::path> folders;
  for (const auto& entry : fs::directory_iterator("/proc/self/task")) folders.insert(entry.path());
  return folders;
}

/// The system takes a thread off its list a moment after it was joined.
bool goes(const fs::path& thread) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (fs::exists(thread) && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  return !fs::exists(thread);
}

std::uint64_t blockedSignals(const fs::path& thread) {
  std::ifstream status(thread / "status");
  for (std::string word; status >> word;)
    if (word == "SigBlk:") {
      status >> word;
      return std::stoull(word, nullptr, 16);
    }
  return 0;
}

bool isBlockedHere(int signal) {
  sigset_t mask{};
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return sigismember(&mask, signal) == 1;
}

TEST(Heartbeat, ItsThreadTakesNoSignalsAndOthersTakeTheirsAsBefore) {
  sigset_t one{};
  sigset_t before{};
  sigemptyset(&one);
  sigaddset(&one, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &one, &before);
  std::thread([] {}).join();  // a sanitizer starts one of its own beside the first
  const std::set<fs::path> others = threads();
  std::set<fs::path> all;
  {
    const Heartbeat heartbeat([] {});
    all = threads();
    for (const fs::path& other : others) all.erase(other);
    ASSERT_EQ(all.size(), 1U);
    const std::uint64_t blocked = blockedSignals(*all.begin());
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGSEGV, SIGCHLD, SIGALRM, SIGPIPE})
      EXPECT_NE(blocked & (std::uint64_t{1} << static_cast<unsigned>(signal - 1)), 0U) << signal;
    EXPECT_TRUE(isBlockedHere(SIGUSR2));
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) EXPECT_FALSE(isBlockedHere(signal)) << signal;
  }
  EXPECT_TRUE(goes(*all.begin()));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// One that waits for its next beat is woken: fifty that are not would take half a second each.
TEST(Heartbeat, EndsWithoutWaitingForItsNextBeat) {
  std::vector<std::unique_ptr<Heartbeat>> all;
  for (int i = 0; i < 50; ++i) all.push_back(std::make_unique<Heartbeat>([] {}));
  const auto begin = std::chrono::steady_clock::now();
  all.clear();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

}  // namespace
}  // namespace koppla::core::heartbeat_test
