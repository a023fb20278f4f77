#include "koppla/core/thread_pool.hpp"

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace koppla::core {
namespace {

TEST(ThreadPool, CallsEveryIndexOnceInEveryRound) {
  for (const std::size_t threads : {1U, 2U, 5U}) {
    ThreadPool pool(threads);
    ASSERT_EQ(pool.size(), threads);
    std::vector<int> calls(threads, 0);  // each thread writes its own element
    for (int round = 0; round < 1000; ++round) pool.run([&](std::size_t index) { ++calls[index]; });
    for (const int count : calls) EXPECT_EQ(count, 1000);
  }
}

TEST(ThreadPool, IndicesAreDifferentThreadsAndZeroIsTheCaller) {
  ThreadPool pool(3);
  std::vector<std::thread::id> ids(3);
  pool.run([&](std::size_t index) { ids[index] = std::this_thread::get_id(); });
  EXPECT_EQ(ids[0], std::this_thread::get_id());
  EXPECT_EQ(std::set<std::thread::id>(ids.begin(), ids.end()).size(), 3U);
}

TEST(ThreadPool, RunReturnsWhenAllAreDone) {
  ThreadPool pool(4);
  std::atomic<int> done = 0;
  for (int round = 1; round <= 100; ++round) {
    pool.run([&](std::size_t index) {
      if (index == 3) std::this_thread::yield();
      ++done;
    });
    ASSERT_EQ(done.load(), 4 * round);
  }
}

}  // namespace
}  // namespace koppla::core
