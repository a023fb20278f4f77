#include "koppla/coupling/twins.hpp"

#include <atomic>
#include <utility>

namespace koppla::coupling {

using subsystem::Slot;
using subsystem::Status;

Twins::Twins(std::vector<std::vector<std::unique_ptr<subsystem::Subsystem>>> instances, std::size_t threads)
    : instances_(std::move(instances)), steps_(instances_.size(), 0), pool_(threads) {
  for (const auto& twins : instances_) scratch_.emplace_back(twins.size());
}

std::span<double> Twins::scratch(std::size_t position, std::size_t twin, std::size_t size) {
  std::vector<double>& memory = scratch_[position][twin];
  memory.resize(size);
  return memory;
}

void Twins::run(std::vector<Task>& tasks, const subsystem::Step& step) {
  std::atomic<std::size_t> next = 0;
  pool_.run([&](std::size_t) {
    for (std::size_t i = next.fetch_add(1); i < tasks.size(); i = next.fetch_add(1))
      tasks[i].result = tasks[i].instance->advance(step, tasks[i].u, tasks[i].y);
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
