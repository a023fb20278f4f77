// What a macro step costs beyond the FMI calls that it is made of.
//
// Math_003 (Nicolai, sec. 4): one part 1 feeds N pairs of part 2 and part 3, so 2N + 1 FMUs and 4N connections. The
// bare loop below makes the same FMI calls by hand on the function pointers: per FMU an index gather, one batched set,
// doStep, one batched get, and a test of the status. Koppla does the same through Run::simulate, with its test for
// non-finite values, its counters and its error handling, without recording. Both take turns in one process, so that
// both meet the same state of the machine; reported is the median of the ratios of neighbours. The goal is at most 1.5
// at every size.

#include <map>

#include "koppla/fmi/co_simulation.hpp"
#include "koppla/run/run.hpp"

#include "bare_fmu.hpp"

namespace {

using namespace koppla;
using benchmark::fail;
using fmi::fmi2::ValueReference;

constexpr double kStep = 1e-3;  // s
constexpr std::size_t kRounds = 15;

struct Models {
  core::Log log;
  std::shared_ptr<fmi::Fmu> part1 = benchmark::open("Math003Part1", log);
  std::shared_ptr<fmi::Fmu> part2 = benchmark::open("Math003Part2", log);
  std::shared_ptr<fmi::Fmu> part3 = benchmark::open("Math003Part3", log);
};

// --- The bare loop -------------------------------------------------------------------------------------------------

/// One FMU of the bare loop, with all that its step touches.
struct BareFmu {
  fmi::fmi2::Component component;
  fmi::fmi2::SetReal* setReal;
  fmi::fmi2::DoStep* doStep;
  fmi::fmi2::GetReal* getReal;
  const ValueReference* inputs;
  const ValueReference* outputs;
  std::uint32_t uBegin, uCount, yBegin, yCount;
};

class BareLoop {
 public:
  BareLoop(Models& models, std::size_t pairs) {
    add(models.part1, models.log, {}, {"x1", "x2"}, {});
    for (std::size_t i = 0; i < pairs; ++i) {
      const auto x3 = static_cast<std::uint32_t>(2 + 2 * i);
      const std::uint32_t x4 = x3 + 1;
      add(models.part2, models.log, {"x1", "x2", "x4"}, {"x3"}, {0, 1, x4});
      add(models.part3, models.log, {"x3"}, {"x4"}, {x3});
    }
    u_.resize(sources_.size());
  }

  ~BareLoop() {
    for (std::size_t i = 0; i < fmus_.size(); ++i) {
      loaded_[i].library->functions().terminate(fmus_[i].component);
      loaded_[i].library->functions().freeInstance(fmus_[i].component);
    }
  }
  BareLoop(const BareLoop&) = delete;
  BareLoop& operator=(const BareLoop&) = delete;

  void jacobi(std::int64_t steps) {
    for (std::int64_t k = 0; k < steps; ++k) {
      const double t = at(index_), h = at(++index_) - t;
      for (std::size_t i = 0; i < sources_.size(); ++i) u_[i] = y_[sources_[i]];
      for (const BareFmu& fmu : fmus_) step(fmu, t, h);
    }
  }

  void gaussSeidel(std::int64_t steps) {
    for (std::int64_t k = 0; k < steps; ++k) {
      const double t = at(index_), h = at(++index_) - t;
      for (const BareFmu& fmu : fmus_) {
        for (std::uint32_t i = fmu.uBegin; i < fmu.uBegin + fmu.uCount; ++i) u_[i] = y_[sources_[i]];
        step(fmu, t, h);
      }
    }
  }

  /// x4 of the last pair.
  [[nodiscard]] double last() const { return y_.back(); }

 private:
  static double at(std::int64_t index) { return kStep * static_cast<double>(index); }

  void step(const BareFmu& fmu, double t, double h) {
    using benchmark::require;
    if (fmu.uCount > 0)
      require(fmu.setReal(fmu.component, fmu.inputs, fmu.uCount, u_.data() + fmu.uBegin), "fmi2SetReal");
    require(fmu.doStep(fmu.component, t, h, fmi::fmi2::kTrue), "fmi2DoStep");
    require(fmu.getReal(fmu.component, fmu.outputs, fmu.yCount, y_.data() + fmu.yBegin), "fmi2GetReal");
  }

  void add(const std::shared_ptr<fmi::Fmu>& fmu, core::Log& log, const std::vector<std::string>& inputs,
           const std::vector<std::string>& outputs, const std::vector<std::uint32_t>& sources) {
    loaded_.push_back(fmu->load(log));
    const fmi::Functions& f = loaded_.back().library->functions();
    BareFmu bare{};
    bare.component = benchmark::instantiateBare(*fmu, f, [](fmi::fmi2::Component) {});
    bare.setReal = f.setReal;
    bare.doStep = f.doStep;
    bare.getReal = f.getReal;
    bare.inputs = references(*fmu, inputs);
    bare.outputs = references(*fmu, outputs);
    bare.uBegin = static_cast<std::uint32_t>(sources_.size());
    bare.uCount = static_cast<std::uint32_t>(inputs.size());
    bare.yBegin = static_cast<std::uint32_t>(y_.size());
    bare.yCount = static_cast<std::uint32_t>(outputs.size());
    sources_.insert(sources_.end(), sources.begin(), sources.end());
    y_.resize(y_.size() + outputs.size(), 0.0);
    fmus_.push_back(bare);
  }

  /// One list per FMU and direction, shared by all its instances.
  const ValueReference* references(const fmi::Fmu& fmu, const std::vector<std::string>& names) {
    auto& list = references_[{&fmu, names}];
    if (!list.empty()) return list.data();
    for (const std::string& name : names) list.push_back(benchmark::reference(fmu, name));
    return list.data();
  }

  std::vector<BareFmu> fmus_;
  std::vector<fmi::LoadedModel> loaded_;
  std::map<std::pair<const fmi::Fmu*, std::vector<std::string>>, std::vector<ValueReference>> references_;
  std::vector<std::uint32_t> sources_;
  std::vector<double> u_, y_;
  std::int64_t index_ = 0;
};

// --- The same system under Koppla ----------------------------------------------------------------------------------

coupling::System makeSystem(Models& models, std::size_t pairs) {
  coupling::System system;
  const auto add = [&](const std::shared_ptr<fmi::Fmu>& fmu, const std::string& name) {
    system.members.push_back({name, fmi::instantiate(fmu, name, models.log), {}});
    return system.members.size() - 1;
  };
  const auto connect = [&](std::size_t from, std::size_t to, const std::string& name) {
    const auto port = [&](std::size_t member) { return *system.members[member].subsystem->describe().find(name); };
    system.connections.push_back({{from, port(from)}, {to, port(to)}});
  };
  const std::size_t part1 = add(models.part1, "part1");
  for (std::size_t i = 0; i < pairs; ++i) {
    const std::size_t part2 = add(models.part2, "part2_" + std::to_string(i));
    const std::size_t part3 = add(models.part3, "part3_" + std::to_string(i));
    connect(part1, part2, "x1");
    connect(part1, part2, "x2");
    connect(part2, part3, "x3");
    connect(part3, part2, "x4");
  }
  return system;
}

run::Run makeRun(Models& models, std::size_t pairs, coupling::AlgorithmKind kind) {
  run::Settings settings;
  settings.end = 1e9;
  settings.step = kStep;
  settings.algorithm.kind = kind;
  run::Run run(makeSystem(models, pairs), settings, models.log);
  if (const run::Outcome outcome = run.initialise(); !outcome.ok()) fail(outcome.message);
  return run;
}

// --- Measurement ---------------------------------------------------------------------------------------------------

void measure(Models& models, std::size_t pairs, coupling::AlgorithmKind kind, const std::string& word) {
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
  const std::string lastPart3 = "part3_" + std::to_string(pairs - 1) + ".x4";
  if (std::get<double>(run.value(lastPart3)) != bare.last()) fail("the two loops do not compute the same");
  comparison.print(word + "." + std::to_string(fmus));
}

}  // namespace

int main() {
  Models models;
  for (const std::size_t pairs : {1U, 10U, 100U, 1000U}) {
    measure(models, pairs, coupling::AlgorithmKind::jacobi, "jacobi");
    measure(models, pairs, coupling::AlgorithmKind::gaussSeidel, "gauss-seidel");
  }
  return 0;
}
