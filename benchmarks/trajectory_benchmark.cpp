// What extrapolation of degree 2 costs beyond the FMI calls that it needs.
//
// A ring of 201 first-order lags that take derivatives of their inputs. The bare loop makes the same FMI calls by hand:
// per FMU one set of the value, one set of two derivatives, doStep, one get, with the formulas of an equidistant grid
// written out:
//
//   u' = (3 y(n) - 4 y(n-1) + y(n-2)) / 2h,   u'' = (y(n) - 2 y(n-1) + y(n-2)) / h^2
//
// Koppla does it through Run::simulate, with the weights of any grid, its tests for non-finite values and its error
// estimate per connection. Both take turns in one process; reported is the median of the ratios of neighbours. The goal
// is at most 1.5.

#include <cmath>

#include "koppla/fmi/co_simulation.hpp"
#include "koppla/run/run.hpp"

#include "bare_fmu.hpp"

namespace {

using namespace koppla;
using benchmark::fail;
using benchmark::require;

constexpr double kStep = 1e-3;  // s
constexpr std::size_t kFmus = 201;
constexpr std::size_t kRounds = 15;
constexpr std::int64_t kSteps = 5000;

/// A start that differs from FMU to FMU.
double startOf(std::size_t i) {
  return std::cos(static_cast<double>(i));
}

class BareRing {
 public:
  BareRing(const std::shared_ptr<fmi::Fmu>& fmu, core::Log& log)
      : loaded_(fmu->load(log)), u_(benchmark::reference(*fmu, "u")), y_(benchmark::reference(*fmu, "y")) {
    const fmi::Functions& f = loaded_.library->functions();
    const fmi::fmi2::ValueReference x0 = benchmark::reference(*fmu, "x0");
    for (std::size_t i = 0; i < kFmus; ++i) {
      const double start = startOf(i);
      components_.push_back(benchmark::instantiateBare(
          *fmu, f, [&](fmi::fmi2::Component component) { f.setReal(component, &x0, 1, &start); }));
      now_.push_back(start);
    }
    before_ = beforeThat_ = now_;
  }

  ~BareRing() {
    for (const fmi::fmi2::Component component : components_) {
      loaded_.library->functions().terminate(component);
      loaded_.library->functions().freeInstance(component);
    }
  }
  BareRing(const BareRing&) = delete;
  BareRing& operator=(const BareRing&) = delete;

  void steps(std::int64_t count) {
    // Bare pointers: to call a fmi::Function is part of what Koppla adds.
    const fmi::Functions& functions = loaded_.library->functions();
    fmi::fmi2::SetReal* const setReal = functions.setReal;
    fmi::fmi2::SetRealInputDerivatives* const setRealInputDerivatives = functions.setRealInputDerivatives;
    fmi::fmi2::DoStep* const doStep = functions.doStep;
    fmi::fmi2::GetReal* const getReal = functions.getReal;
    const std::array<fmi::fmi2::ValueReference, 2> references{u_, u_};
    constexpr std::array<fmi::fmi2::Integer, 2> kOrders{1, 2};
    for (std::int64_t k = 0; k < count; ++k) {
      const double t = kStep * static_cast<double>(index_++), h = kStep;
      const bool first = index_ == 1, second = index_ == 2;
      for (std::size_t i = 0; i < kFmus; ++i) {
        const std::size_t source = (i + kFmus - 1) % kFmus;
        const double a = now_[source], b = before_[source], c = beforeThat_[source];
        const std::array<double, 2> derivatives{first    ? 0.0
                                                : second ? (a - b) / h
                                                         : (3.0 * a - 4.0 * b + c) / (2.0 * h),
                                                first || second ? 0.0 : (a - 2.0 * b + c) / (h * h)};
        require(setReal(components_[i], &u_, 1, &a), "fmi2SetReal");
        require(setRealInputDerivatives(components_[i], references.data(), 2, kOrders.data(), derivatives.data()),
                "fmi2SetRealInputDerivatives");
        require(doStep(components_[i], t, h, fmi::fmi2::kTrue), "fmi2DoStep");
        require(getReal(components_[i], &y_, 1, &fresh_[i]), "fmi2GetReal");
      }
      std::swap(beforeThat_, fresh_);  // the oldest makes room
      std::swap(beforeThat_, now_);
      std::swap(beforeThat_, before_);
    }
  }

  [[nodiscard]] double last() const { return now_.back(); }

 private:
  fmi::LoadedModel loaded_;
  fmi::fmi2::ValueReference u_, y_;
  std::vector<fmi::fmi2::Component> components_;
  std::vector<double> now_, before_, beforeThat_, fresh_ = std::vector<double>(kFmus);
  std::int64_t index_ = 0;
};

run::Run makeRing(const std::shared_ptr<fmi::Fmu>& fmu, core::Log& log) {
  coupling::System system;
  for (std::size_t i = 0; i < kFmus; ++i) {
    system.members.push_back({"lag" + std::to_string(i), fmi::instantiate(fmu, "lag" + std::to_string(i), log), {}});
    system.members.back().startValues = {{*system.members.back().subsystem->describe().find("x0"), {startOf(i)}}};
  }
  const auto port = [&](const char* name) { return *system.members[0].subsystem->describe().find(name); };
  for (std::size_t i = 0; i < kFmus; ++i)
    system.connections.push_back({{(i + kFmus - 1) % kFmus, port("y")}, {i, port("u")}});
  run::Settings settings;
  settings.end = 1e9;
  settings.step = kStep;
  settings.algorithm.kind = coupling::AlgorithmKind::jacobi;
  settings.algorithm.degree = 2;
  run::Run run(std::move(system), settings, log);
  if (const run::Outcome outcome = run.initialise(); !outcome.ok()) fail(outcome.message);
  return run;
}

}  // namespace

int main() {
  core::Log log;
  const std::shared_ptr<fmi::Fmu> fmu = benchmark::open("InterpolatingLag", log);
  BareRing bare(fmu, log);
  run::Run run = makeRing(fmu, log);
  benchmark::Comparison comparison(kSteps);
  for (std::size_t round = 0; round <= kRounds; ++round) {
    const double bareTime = benchmark::seconds([&] { bare.steps(kSteps); });
    const double until = kStep * static_cast<double>(kSteps * static_cast<std::int64_t>(round + 1));
    const double kopplaTime = benchmark::seconds([&] {
      if (const run::Outcome outcome = run.simulate(until - kStep / 2); !outcome.ok()) fail(outcome.message);
    });
    if (round > 0) comparison.add(bareTime, kopplaTime);  // caches and branch predictors are cold at first
  }
  const double last = std::get<double>(run.value("lag200.y"));
  if (!(std::fabs(last - bare.last()) < 1e-9)) fail("the two loops do not compute the same");
  comparison.print("jacobi-p2.201");
  return 0;
}
