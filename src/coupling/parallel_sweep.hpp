#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "koppla/core/thread_pool.hpp"
#include "koppla/coupling/network.hpp"

namespace koppla::coupling {

/// Runs the members of a block on several threads, in groups of about equal measured work, where that pays; otherwise
/// one after the other. Every member writes its own values only, so the results do not depend on the number of threads.
class ParallelSweep {
 public:
  using MemberStep = std::function<Fault(std::size_t position)>;
  using MemberSeconds = std::function<double(std::size_t position)>;

  using Groups = std::vector<std::vector<std::size_t>>;  ///< positions by thread
  static constexpr double kForkAndJoin = 30e-6;          ///< s, to wake the threads and to wait for the last one

  /// Members in groups of about equal work; none where one thread is as good.
  static Groups groups(Block block, std::size_t threads, const MemberSeconds& seconds);

  explicit ParallelSweep(std::size_t threads) : pool_(threads) {}

  /// The fault of the first member in order that has one. `seconds`: what a step of a member has cost in the mean.
  Fault run(Block block, const MemberStep& member, const MemberSeconds& seconds);

 private:
  struct Plan {
    Block block;
    Groups groups;  ///< empty: one after the other
    std::uint64_t runs = 0;
    std::uint64_t renewAt = 1;  ///< runs
  };

  Plan& planOf(Block block);

  core::ThreadPool pool_;
  std::vector<Plan> plans_;
};

}  // namespace koppla::coupling
