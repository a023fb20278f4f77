// What an iterated macro step costs beyond the FMI calls that it is made of.
//
// Many copies of Math_003 (math003.hpp), of which part 3 rises with a constant slope all the time. The bare loop makes
// the same FMI calls by hand, as many steps, saves and restores as Koppla, but it predicts, tests and decides nothing.
// The calls of both sides are counted and compared, and so are the results.
//
//   iterated-gauss-seidel, newton   one closed cycle; the first guess is the last value: two evaluations of the cycle,
//                                   with a save and a restore
//   NAME-predicted                  the first guess is predicted, as by default, and right: one evaluation, with a save
//   NAME-pairs                      as the first, with every pair a cycle of its own
//
// Both sides take turns in one process; reported is the median of the ratios of neighbours. The goal is at most 3 at 3
// FMUs and at most 2 at 201.

#include "koppla/run/run.hpp"

#include "math003.hpp"

namespace {

using namespace koppla;
using benchmark::BareFmu;
using benchmark::fail;
using benchmark::Math003Models;
using benchmark::require;
using benchmark::Wiring;
using coupling::AlgorithmKind;

// Times and values of the ramp have few bits, so that a prediction is exact.
constexpr double kStart = 1.0;                // s; part 3 rises from here to 1.41
constexpr double kStep = 0x1p-24;             // s
constexpr double kTolerance = 1e-12;          // far below the rise in one step
constexpr std::size_t kRounds = 11;           // and one to warm up
constexpr std::size_t kFmuSteps = 1'200'000;  // in a round, each evaluated once or twice

struct Case {
  std::string word;
  AlgorithmKind kind;
  std::optional<unsigned> predictor;  ///< its degree; absent: the default
  unsigned evaluations;               ///< of every cycle in every step
  Wiring wiring = Wiring::ring;
};

/// Calls of all FMUs.
struct Calls {
  std::uint64_t steps = 0;
  std::uint64_t saves = 0;
  std::uint64_t restores = 0;

  bool operator==(const Calls&) const = default;
};

class BareLoop {
 public:
  BareLoop(Math003Models& models, std::size_t pairs, Wiring wiring)
      : system_(models, pairs, wiring, kStart), cycleSize_(wiring == Wiring::pairs ? 2 : 2 * pairs) {
    for (std::size_t i = 0; i < system_.fmus().size(); ++i) {
      const fmi::Functions& f = system_.functions(i);
      states_.push_back({system_.fmus()[i].component, f.getState, f.setState, nullptr});
    }
  }

  ~BareLoop() {
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (states_[i].state != nullptr) system_.functions(i).freeState(states_[i].component, &states_[i].state);
  }
  BareLoop(const BareLoop&) = delete;
  BareLoop& operator=(const BareLoop&) = delete;

  void iterate(std::int64_t steps, unsigned evaluations) {
    const std::size_t fmus = system_.fmus().size();
    for (std::int64_t k = 0; k < steps; ++k) {
      const double t = at(index_++), h = kStep;
      step(0, t, h);
      for (std::size_t first = 1; first < fmus; first += cycleSize_) {
        for (std::size_t i = first; i < first + cycleSize_; ++i) save(i);
        for (unsigned evaluation = 0; evaluation < evaluations; ++evaluation) {
          if (evaluation > 0)
            for (std::size_t i = first; i < first + cycleSize_; ++i) restore(i);
          for (std::size_t i = first; i < first + cycleSize_; ++i) step(i, t, h);
        }
      }
    }
  }

  [[nodiscard]] const Calls& calls() const { return calls_; }
  [[nodiscard]] double last() const { return system_.last(); }

 private:
  struct Saved {
    fmi::fmi2::Component component;
    fmi::fmi2::GetState* getState;
    fmi::fmi2::SetState* setState;
    fmi::fmi2::State state;
  };

  static double at(std::int64_t index) { return kStart + kStep * static_cast<double>(index); }

  void step(std::size_t i, double t, double h) {
    ++calls_.steps;
    const BareFmu& fmu = system_.fmus()[i];
    system_.gather(fmu);
    system_.step(fmu, t, h);
  }
  void save(std::size_t i) {
    ++calls_.saves;
    Saved& saved = states_[i];
    require(saved.getState(saved.component, &saved.state), "fmi2GetFMUstate");
  }
  void restore(std::size_t i) {
    ++calls_.restores;
    const Saved& saved = states_[i];
    require(saved.setState(saved.component, saved.state), "fmi2SetFMUstate");
  }

  benchmark::BareMath003 system_;
  std::size_t cycleSize_;
  std::vector<Saved> states_;
  std::int64_t index_ = 0;
  Calls calls_;
};

run::Run makeRun(Math003Models& models, std::size_t pairs, const Case& chosen) {
  run::Settings settings;
  settings.start = kStart;
  settings.end = 2.0;
  settings.step = kStep;
  settings.algorithm.kind = chosen.kind;
  settings.algorithm.predictor = chosen.predictor;
  settings.algorithm.rtol = kTolerance;
  settings.algorithm.atol = kTolerance;
  run::Run run(benchmark::makeMath003(models, pairs, chosen.wiring), settings, models.log);
  if (const run::Outcome outcome = run.initialise(); !outcome.ok()) fail(outcome.message);
  return run;
}

Calls callsOf(const run::Run& run) {
  Calls calls;
  for (const run::MemberStatistics& member : run.statistics().members) {
    calls.steps += member.step.count;
    calls.saves += member.save.count;
    calls.restores += member.restore.count;
  }
  return calls;
}

Calls operator-(const Calls& a, const Calls& b) {
  return {a.steps - b.steps, a.saves - b.saves, a.restores - b.restores};
}

void measure(Math003Models& models, std::size_t pairs, const Case& chosen) {
  const std::size_t fmus = 2 * pairs + 1;
  const auto steps = static_cast<std::int64_t>(kFmuSteps / fmus);
  BareLoop bare(models, pairs, chosen.wiring);
  run::Run run = makeRun(models, pairs, chosen);
  benchmark::Comparison comparison(steps);
  Calls bareBefore, kopplaBefore;
  for (std::size_t round = 0; round <= kRounds; ++round) {
    const double bareTime = benchmark::seconds([&] { bare.iterate(steps, chosen.evaluations); });
    const double until = kStart + kStep * static_cast<double>(steps * static_cast<std::int64_t>(round + 1));
    const double kopplaTime = benchmark::seconds([&] {
      if (const run::Outcome outcome = run.simulate(until - kStep / 2); !outcome.ok()) fail(outcome.message);
    });
    if (round > 0) {
      comparison.add(bareTime, kopplaTime);
      continue;
    }
    // Caches are cold at first, a predictor has no history and Newton's method no derivatives.
    bareBefore = bare.calls();
    kopplaBefore = callsOf(run);
  }
  if (callsOf(run) - kopplaBefore != bare.calls() - bareBefore) fail(chosen.word + ": the two loops make other calls");
  if (std::get<double>(run.value(benchmark::lastOfMath003(pairs))) != bare.last())
    fail(chosen.word + ": the two loops do not compute the same");
  comparison.print(chosen.word + "." + std::to_string(fmus));
}

}  // namespace

int main() {
  Math003Models models;
  for (const std::size_t pairs : {1U, 10U, 100U}) {
    constexpr auto kGaussSeidel = AlgorithmKind::iteratedGaussSeidel;
    measure(models, pairs, {"iterated-gauss-seidel", kGaussSeidel, 0, 2});
    measure(models, pairs, {"newton", AlgorithmKind::newton, 0, 2});
    measure(models, pairs, {"iterated-gauss-seidel-predicted", kGaussSeidel, std::nullopt, 1});
    measure(models, pairs, {"newton-predicted", AlgorithmKind::newton, std::nullopt, 1});
    if (pairs == 1) continue;
    measure(models, pairs, {"iterated-gauss-seidel-pairs", kGaussSeidel, 0, 2, Wiring::pairs});
    measure(models, pairs, {"newton-pairs", AlgorithmKind::newton, 0, 2, Wiring::pairs});
  }
  return 0;
}
