#include "koppla/coupling/twins.hpp"

#include <algorithm>
#include <utility>

namespace koppla::coupling {

using subsystem::Slot;
using subsystem::Status;

Twins::Twins(std::vector<std::vector<std::unique_ptr<subsystem::Subsystem>>> instances, std::size_t threads)
    : instances_(std::move(instances)), steps_(instances_.size(), 0), pool_(threads) {
  std::size_t before = 0;
  for (const auto& twins : instances_) {
    scratch_.emplace_back(twins.size());
    before_.push_back(before);
    before += twins.empty() ? 0 : twins.size() + 1;
  }
}

std::span<double> Twins::scratch(std::size_t position, std::size_t twin, std::size_t size) {
  std::vector<double>& memory = scratch_[position][twin];
  memory.resize(size);
  return memory;
}

/// An instance always has the same thread: it may keep something there. Members without twins are probed by the
/// caller's.
std::size_t Twins::threadOf(const Task& task) const {
  const auto& twins = instances_[task.position];
  if (twins.empty()) return 0;
  const auto twin = std::ranges::find(twins, task.instance, [](const auto& instance) { return instance.get(); });
  const std::size_t own = twin == twins.end() ? 0 : static_cast<std::size_t>(twin - twins.begin()) + 1;
  return (before_[task.position] + own) % pool_.size();
}

void Twins::run(std::vector<Task>& tasks, const subsystem::Step& step) {
  pool_.run([&](std::size_t thread) {
    for (Task& task : tasks)
      if (threadOf(task) == thread) task.result = task.instance->advance(step, task.u, task.y);
  });
  for (const Task& task : tasks) ++steps_[task.position];
}

std::optional<std::size_t> Twins::save(Block block, Slot slot) {
  for (std::size_t position = block.first; position < block.last; ++position)
    for (const auto& twin : instances_[position])
      if (twin->save(slot) >= Status::discard) return position;
  return std::nullopt;
}

std::optional<std::size_t> Twins::restore(Block block, Slot slot) {
  for (std::size_t position = block.first; position < block.last; ++position)
    for (const auto& twin : instances_[position])
      if (twin->restore(slot) >= Status::discard) return position;
  return std::nullopt;
}

void Twins::terminate() noexcept {
  for (const auto& twins : instances_)
    for (const auto& twin : twins) twin->terminate();
}

}  // namespace koppla::coupling
