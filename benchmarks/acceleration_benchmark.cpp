// What one update of a quasi-Newton acceleration costs: IQN-ILS with a million values and 20 columns.
//
// An update is what the accelerator adds to an iteration: learn, which takes a new column and drops the oldest, and
// propose, which filters, solves and corrects. The iterations are of a loop without meaning whose columns are never
// near to each other, so that all 20 are in use. Reported are the median of the seconds, and the memory that was
// allocated beyond the two vectors of each column, in bytes a value. The goal is at most 0.2 s.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
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

}  // namespace

int main() {
  std::uint64_t state = 1;
  std::vector<double> sent(kValues), answered(kValues), seconds;
  seconds.reserve(kUpdates);
  const std::size_t before = allocated;
  const auto accelerator =
      quasiNewton({.kind = AcceleratorKind::iqnIls, .factor = 0.5, .columns = kColumns}, {.size = kValues});
  accelerator->begin();
  for (int update = -static_cast<int>(kColumns) - 1; update < kUpdates; ++update) {
    fill(sent, state);
    fill(answered, state);
    const double duration = secondsOf(*accelerator, sent, answered);
    if (update >= 0) seconds.push_back(duration);
  }
  if (accelerator->doings().columns != kColumns) {
    std::fprintf(stderr, "acceleration_benchmark: %u columns are in use.\n", accelerator->doings().columns);
    return EXIT_FAILURE;
  }
  const double columns = 2.0 * kColumns * kValues * sizeof(double);
  std::sort(seconds.begin(), seconds.end());
  std::printf("acceleration.update %.3f s\n", seconds[seconds.size() / 2]);
  std::printf("acceleration.update.spread %.3f s\n",
              0.5 * (seconds[seconds.size() * 3 / 4] - seconds[seconds.size() / 4]));
  std::printf("acceleration.memory %.1f B/value\n",
              (static_cast<double>(allocated - before) - columns) / static_cast<double>(kValues));
  return EXIT_SUCCESS;
}
