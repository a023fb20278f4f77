// What one update of an acceleration costs with a million values and 20 columns: IQN-ILS, and the default with one
// field and with two of unlike size.
//
// An update is what the accelerator adds to an iteration: learn, which takes a new column and drops the oldest, and
// propose. The iterations are of a loop without meaning whose columns are never near to each other, so that all 20 are
// in use, and whose residual falls. Reported are the median of the seconds, and the memory that was allocated beyond
// the two vectors of each column, in vectors. The goals are 0.3 s and 12 vectors.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "koppla/coupling/accelerator.hpp"

namespace {

std::atomic<std::size_t> allocated{0};  ///< bytes, of all vectors ever

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  allocated += bytes;
  if (void* const place = std::malloc(bytes == 0 ? 1 : bytes)) return place;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* place) noexcept {
  std::free(place);
}
[[gnu::noinline]] void operator delete(void* place, std::size_t) noexcept {
  std::free(place);
}

namespace {

using namespace koppla::coupling;

constexpr std::size_t kValues = 1'000'000;
constexpr unsigned kColumns = 20;
constexpr int kUpdates = 15;

/// Pseudo-random numbers between -1 and 1, quickly.
void fill(std::vector<double>& values, std::uint64_t& state) {
  for (double& value : values) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<double>(static_cast<std::int64_t>(state)) * 0x1p-63;
  }
}

double secondsOf(Accelerator& accelerator, const std::vector<double>& sent, std::vector<double>& answered) {
  const auto start = std::chrono::steady_clock::now();
  accelerator.learn(sent, answered);
  accelerator.propose(answered);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int measure(const char* name, const std::unique_ptr<Accelerator>& accelerator, std::size_t before) {
  std::uint64_t state = 1;
  std::vector<double> seconds;
  std::vector<double> sent(kValues);
  std::vector<double> answered(kValues);
  const std::size_t ours = 2 * kValues * sizeof(double);
  double size = 1.0;
  accelerator->begin();
  for (int update = -static_cast<int>(kColumns) - 1; update < kUpdates; ++update, size *= 0.9) {
    fill(sent, state);
    fill(answered, state);
    for (std::size_t i = 0; i < kValues; ++i) answered[i] = sent[i] + size * answered[i];
    const double duration = secondsOf(*accelerator, sent, answered);
    if (update >= 0) seconds.push_back(duration);
  }
  if (accelerator->doings().columns != kColumns) {
    std::fprintf(stderr, "acceleration_benchmark: %s: %u columns are in use.\n", name, accelerator->doings().columns);
    return EXIT_FAILURE;
  }
  const double vector = static_cast<double>(kValues * sizeof(double));
  const double beyond = static_cast<double>(allocated - before - ours) / vector - 2.0 * kColumns;
  std::sort(seconds.begin(), seconds.end());
  std::printf("%s.update %.3f s\n", name, seconds[seconds.size() / 2]);
  std::printf("%s.update.spread %.3f s\n", name, 0.5 * (seconds[seconds.size() * 3 / 4] - seconds[seconds.size() / 4]));
  std::printf("%s.memory %.1f vectors\n", name, beyond);
  return EXIT_SUCCESS;
}

}  // namespace

int main() {
  std::size_t before = allocated;
  const AccelerationSettings iqnIls{.kind = AcceleratorKind::iqnIls, .factor = 0.5, .columns = kColumns};
  int result = measure("acceleration.iqn-ils", quasiNewton(iqnIls, {.size = kValues}), before);
  before = allocated;
  result |= measure("acceleration.auto", automaticAcceleration({.size = kValues}), before);
  before = allocated;
  const std::vector<Block> fields{{0, kValues / 2}, {kValues / 2, kValues}};
  result |= measure("acceleration.auto-two-fields", automaticAcceleration({.size = kValues, .fields = fields}), before);
  return result;
}
