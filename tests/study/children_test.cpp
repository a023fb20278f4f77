#include "koppla/study/children.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"

#include "support/message_of.hpp"
#include "support/no_more_files.hpp"

namespace koppla::study {
namespace {

std::map<std::size_t, ChildResult> resultsOf(std::size_t count, unsigned atOnce,
                                             std::function<std::string(std::size_t)> work) {
  std::map<std::size_t, ChildResult> results;
  Children children;
  children.atOnce = atOnce;
  children.work = std::move(work);
  children.finished = [&](std::size_t piece, const ChildResult& result) { results[piece] = result; };
  EXPECT_TRUE(workInChildren(count, children));
  return results;
}

TEST(Children, EachPieceIsDoneOnceInAProcessOfItsOwn) {
  const auto results =
      resultsOf(7, 3, [](std::size_t piece) { return std::to_string(piece) + " " + std::to_string(::getpid()); });
  std::set<std::string> processes{std::to_string(::getpid())};
  ASSERT_EQ(results.size(), 7U);
  for (const auto& [piece, result] : results) {
    EXPECT_EQ(result.failure, "");
    EXPECT_EQ(result.payload.substr(0, 2), std::to_string(piece) + " ");
    processes.insert(result.payload.substr(2));
  }
  EXPECT_EQ(processes.size(), 8U);
}

TEST(Children, AFailureWithAFileIsToldFromOthersAndInItsOwnWords) {
  const auto results = resultsOf(2, 1, [](std::size_t piece) -> std::string {
    if (piece == 0) throw core::FileError("The disk is full.", "Make room.");
    throw std::runtime_error("ran away");
  });
  EXPECT_TRUE(results.at(0).atFile);
  EXPECT_EQ(results.at(0).failure, "The disk is full. Make room.");
  EXPECT_FALSE(results.at(1).atFile);
  EXPECT_EQ(results.at(1).failure, "ran away");
}

TEST(Children, AreRefusedInWordsWhereTheSystemStartsNone) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "The sanitizers open files to look at objects.";
#endif
  const test::NoMoreFiles limit;
  EXPECT_THAT(test::messageOf<core::FileError>([] { resultsOf(1, 1, [](std::size_t) { return std::string(); }); }),
              ::testing::HasSubstr("The system starts no further process: Too many open files. End others, or raise"));
}

/// The first takes two descriptors at most, so that there is no room for a second one until it has ended.
TEST(Children, WaitForEachOtherWhereTheSystemStartsNoMore) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "The sanitizers open files to look at objects.";
#endif
  const test::NoMoreFiles limit(4);
  const auto results = resultsOf(3, 3, [](std::size_t piece) { return std::to_string(piece); });
  ASSERT_EQ(results.size(), 3U);
  for (const auto& [piece, result] : results) EXPECT_EQ(result.payload, std::to_string(piece)) << result.failure;
}

TEST(Children, LargeResultsArrive) {
  const auto results =
      resultsOf(2, 2, [](std::size_t piece) { return std::string(3'000'000, piece == 0 ? 'a' : 'b'); });
  EXPECT_EQ(results.at(0).payload, std::string(3'000'000, 'a'));
  EXPECT_EQ(results.at(1).payload, std::string(3'000'000, 'b'));
}

TEST(Children, ACrashIsTheFailureOfOnePiece) {
  const auto results = resultsOf(4, 2, [](std::size_t piece) -> std::string {
    if (piece == 1) std::raise(SIGKILL);
    if (piece == 2) ::_exit(7);
    if (piece == 3) throw std::runtime_error("no licence");
    return "fine";
  });
  EXPECT_EQ(results.at(0).payload, "fine");
  EXPECT_EQ(results.at(1).failure, "was killed by signal 9 (Killed)");
  EXPECT_EQ(results.at(2).failure, "ended with exit code 7 amid its work");
  EXPECT_EQ(results.at(3).failure, "no licence");
}

TEST(Children, WhatAKilledOneLeftBehindIsRemoved) {
  const core::TemporaryFolder place("children-test");
  const auto results = resultsOf(1, 1, [&](std::size_t) -> std::string {
    const core::TemporaryFolder unpacked("left");
    core::writeWhole(place.path() / "name", unpacked.path().string());
    std::raise(SIGKILL);
    return {};
  });
  EXPECT_NE(results.at(0).failure, "");
  const std::string left = core::readWhole(place.path() / "name");
  EXPECT_NE(left, "");
  EXPECT_FALSE(std::filesystem::exists(left)) << left;
}

TEST(Children, AnInterruptionKillsWhatRunsAndBeginsNoMore) {
  std::size_t finished = 0;
  Children children;
  children.atOnce = 2;
  children.work = [](std::size_t piece) -> std::string {
    while (piece > 0) ::pause();
    return "first";
  };
  children.finished = [&](std::size_t, const ChildResult&) { ++finished; };
  children.interrupted = [&] { return finished > 0; };
  EXPECT_FALSE(workInChildren(5, children));
  EXPECT_EQ(finished, 1U);
}

}  // namespace
}  // namespace koppla::study
