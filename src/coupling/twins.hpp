#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "koppla/core/thread_pool.hpp"
#include "koppla/coupling/network.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::coupling {

/// Further instances of members that take the same accepted steps as these, each with its own slots, so that the probes
/// of a step run at the same time as the step itself.
class Twins {
 public:
  /// One step of one instance from where it stands.
  struct Task {
    std::size_t position;
    subsystem::Subsystem* instance;
    subsystem::Trajectory u;
    std::span<double> y;
    subsystem::StepResult result{subsystem::Status::ok, 0.0};
  };

  /// By position; members without twins have an empty list. Tasks run on so many threads.
  Twins(std::vector<std::vector<std::unique_ptr<subsystem::Subsystem>>> instances, std::size_t threads);

  [[nodiscard]] const std::vector<std::unique_ptr<subsystem::Subsystem>>& of(std::size_t position) const {
    return instances_[position];
  }
  /// Memory for an instance's outputs.
  [[nodiscard]] std::span<double> scratch(std::size_t position, std::size_t twin, std::size_t size);

  void run(std::vector<Task>& tasks, const subsystem::Step& step);
  /// The position of the first member with a twin that cannot; none where all can.
  std::optional<std::size_t> save(Block block, subsystem::Slot slot);
  std::optional<std::size_t> restore(Block block, subsystem::Slot slot);
  void terminate() noexcept;
  /// Steps of all instances of a member.
  [[nodiscard]] std::uint64_t steps(std::size_t position) const { return steps_[position]; }

 private:
  [[nodiscard]] std::size_t threadOf(const Task& task) const;

  std::vector<std::vector<std::unique_ptr<subsystem::Subsystem>>> instances_;
  std::vector<std::vector<std::vector<double>>> scratch_;
  std::vector<std::uint64_t> steps_;
  std::vector<std::size_t> before_;  ///< by position: instances of members with twins that come earlier
  core::ThreadPool pool_;
};

}  // namespace koppla::coupling
