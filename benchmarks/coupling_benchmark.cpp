// What a macro step costs beyond the FMI calls that it is made of.
//
// Many copies of Math_003 (math003.hpp). The bare loop below makes the same FMI calls by hand on the function pointers:
// per FMU an index gather, one batched set, doStep, one batched get, and a test of the status. Koppla does the same
// through Run::simulate, with its test for non-finite values, its counters and its error handling, without recording.
// Both take turns in one process, so that both meet the same state of the machine; reported is the median of the ratios
// of neighbours. The goal is at most 1.5 at every size.

#include "koppla/run/run.hpp"

#include "math003.hpp"

namespace {

using namespace koppla;
using benchmark::fail;
using benchmark::Math003Models;

constexpr double kStep = 1e-3;  // s
constexpr std::size_t kRounds = 15;

class BareLoop {
 public:
  BareLoop(Math003Models& models, std::size_t pairs) : system_(models, pairs) {}

  void jacobi(std::int64_t steps) {
    for (std::int64_t k = 0; k < steps; ++k) {
      const double t = at(index_++), h = kStep;
      system_.gatherAll();
      for (const benchmark::BareFmu& fmu : system_.fmus()) system_.step(fmu, t, h);
    }
  }

  void gaussSeidel(std::int64_t steps) {
    for (std::int64_t k = 0; k < steps; ++k) {
      const double t = at(index_++), h = kStep;
      for (const benchmark::BareFmu& fmu : system_.fmus()) {
        system_.gather(fmu);
        system_.step(fmu, t, h);
      }
    }
  }

  [[nodiscard]] double last() const { return system_.last(); }

 private:
  static double at(std::int64_t index) { return kStep * static_cast<double>(index); }

  benchmark::BareMath003 system_;
  std::int64_t index_ = 0;
};

run::Run makeRun(Math003Models& models, std::size_t pairs, coupling::AlgorithmKind kind) {
  run::Settings settings;
  settings.end = 1e9;
  settings.step = kStep;
  settings.algorithm.kind = kind;
  run::Run run(benchmark::makeMath003(models, pairs), settings, models.log);
  if (const run::Outcome outcome = run.initialise(); !outcome.ok()) fail(outcome.message);
  return run;
}

void measure(Math003Models& models, std::size_t pairs, coupling::AlgorithmKind kind, const std::string& word) {
  const std::size_t fmus = 2 * pairs + 1;
  const auto steps = static_cast<std::int64_t>(std::max<std::size_t>(200, 1'200'000 / fmus));
  BareLoop bare(models, pairs);
  run::Run run = makeRun(models, pairs, kind);
  benchmark::Comparison comparison(steps);
  for (std::size_t round = 0; round <= kRounds; ++round) {
    const double bareTime = benchmark::seconds([&] {
      if (kind == coupling::AlgorithmKind::jacobi)
        bare.jacobi(steps);
      else
        bare.gaussSeidel(steps);
    });
    const double until = kStep * static_cast<double>(steps * static_cast<std::int64_t>(round + 1));
    const double kopplaTime = benchmark::seconds([&] {
      if (const run::Outcome outcome = run.simulate(until - kStep / 2); !outcome.ok()) fail(outcome.message);
    });
    if (round > 0) comparison.add(bareTime, kopplaTime);  // caches and branch predictors are cold at first
  }
  if (std::get<double>(run.value(benchmark::lastOfMath003(pairs))) != bare.last())
    fail("the two loops do not compute the same");
  comparison.print(word + "." + std::to_string(fmus));
}

}  // namespace

int main() {
  Math003Models models;
  for (const std::size_t pairs : {1U, 10U, 100U, 1000U}) {
    measure(models, pairs, coupling::AlgorithmKind::jacobi, "jacobi");
    measure(models, pairs, coupling::AlgorithmKind::gaussSeidel, "gauss-seidel");
  }
  return 0;
}
