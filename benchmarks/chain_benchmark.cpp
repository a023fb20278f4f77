// What a macro step of the semi-implicit method costs in chains of 50 and of 100 rods, every rod its own subsystem,
// every hinge a rigid joint: the time per macro step, and how it grows. The limit is a factor of 2.3.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "koppla/run/run.hpp"

#include "support/rod_chain.hpp"

namespace {

/// s; the best of several runs.
double secondsPerStep(std::size_t rods) {
  constexpr int kRuns = 5;
  double best = HUGE_VAL;
  for (int i = 0; i < kRuns; ++i) {
    koppla::core::Log log;
    koppla::run::Run run(koppla::test::rodChain(rods), koppla::test::chainSettings(0.1), log);
    const koppla::run::Outcome outcome = run.initialise().ok() ? run.simulate() : koppla::run::Outcome{};
    const koppla::run::Statistics statistics = run.statistics();
    if (!outcome.ok() || statistics.acceptedSteps != 100) {
      std::fprintf(stderr, "chain_benchmark: %zu rods: %s\n", rods, outcome.message.c_str());
      std::exit(EXIT_FAILURE);
    }
    best = std::min(best, statistics.algorithm.seconds / static_cast<double>(statistics.acceptedSteps));
  }
  return best;
}

}  // namespace

int main() {
  const double fifty = secondsPerStep(50);
  const double hundred = secondsPerStep(100);
  std::printf("chain.50 %.4g s\n", fifty);
  std::printf("chain.100 %.4g s\n", hundred);
  std::printf("chain.ratio %.3f 1\n", hundred / fifty);
}
