#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "koppla/core/thread_pool.hpp"
#include "koppla/coupling/network.hpp"

namespace koppla::coupling {

/// Runs the members of a block on several threads. Members that may move are put into groups of about equal measured
/// work where that pays. Others have a home, the thread that takes all their steps, since code that is not ours may
/// keep what it works with in memory of a thread. Every member writes its own values only, so the results do not depend
/// on the number of threads.
class ParallelSweep {
 public:
  using MemberStep = std::function<Fault(std::size_t position)>;
  using MemberSeconds = std::function<double(std::size_t position)>;

  using Homes = std::vector<std::optional<std::size_t>>;  ///< threads by position; none: may move
  using Groups = std::vector<std::vector<std::size_t>>;   ///< positions by thread
  static constexpr double kForkAndJoin = 30e-6;           ///< s, to wake the threads and to wait for the last one

  /// Members in groups of about equal work, or at home; none where the caller's thread is as good for all.
  static Groups groups(Block block, std::size_t threads, const Homes& homes, const MemberSeconds& seconds);

  ParallelSweep(std::size_t threads, Homes homes) : homes_(std::move(homes)), pool_(threads) {}

  /// The fault of the first member in order that has one. `seconds`: what a step of a member has cost in the mean.
  Fault run(Block block, const MemberStep& member, const MemberSeconds& seconds);
  /// Runs something for one member on its thread, the caller's if it may move.
  template <class Work>
  void runAtHome(std::size_t position, Work&& work) {
    const std::size_t home = homes_[position].value_or(0);
    if (home == 0)
      work();
    else
      runOn(home, std::ref(work));  // small enough not to be allocated
  }

 private:
  struct Plan {
    Block block;
    Groups groups;  ///< empty: one after the other
    std::uint64_t runs = 0;
    std::uint64_t renewAt = 1;  ///< runs
  };

  Plan& planOf(Block block);
  void runOn(std::size_t home, const std::function<void()>& work);

  Homes homes_;
  core::ThreadPool pool_;
  std::vector<Plan> plans_;
};

}  // namespace koppla::coupling
