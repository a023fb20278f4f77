#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "koppla/coupling/coupled_step.hpp"

#include "scripted.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::coupling::scripted {

using koppla::test::connect;
using Reals = std::vector<double>;

/// All that was told.
class Listener final : public IterationListener {
 public:
  struct Told {
    unsigned iteration;
    bool last;
    std::string method;
    double largestFactor;
    Reals factors;
    Ending ending;
  };
  [[nodiscard]] bool keepsHistory() const override { return keeps; }
  void iteration(const IterationReport& report) override {
    told.push_back({report.iteration, report.last, std::string(report.doings.method), report.doings.largestFactor,
                    Reals(report.factors.begin(), report.factors.end()), report.ending});
  }
  void remark(const InterfaceProblem&, const std::string& text) override { remarks.push_back(text); }
  void warning(const InterfaceProblem&, std::size_t, const std::string& text) override { warnings.push_back(text); }
  void skip(std::uint64_t count) { unheard_ = count; }

  bool keeps = true;
  std::vector<Told> told;
  std::vector<std::string> remarks, warnings;
};

/// a answers F(u), b passes it on; b's output flows back. Keeps what a was called with.
struct IteratedLoop {
  std::function<Reals(const Reals&)> answer;
  std::size_t size;
  std::vector<Reals> sent{};
  System system{};
  std::vector<Cycle> cycles{};
  std::optional<Network> network{};
  std::optional<CoupledStep> step{};
  Listener listener{};

  IteratedLoop(std::function<Reals(const Reals&)> made, const Reals& start, const AlgorithmSettings& settings,
               unsigned digits = 0)
      : answer(std::move(made)), size(start.size()) {
    Script a;
    a.ports = {in("u", size), out("y", size)};
    a.ports[1].digits = digits;
    a.evaluate = [this](double, std::span<const double> u, std::span<double> y, Binding&) {
      sent.emplace_back(u.begin(), u.end());
      std::ranges::copy(answer(sent.back()), y.begin());
      return Status::ok;
    };
    add(system, "a", std::move(a));
    add(system, "b", function([](auto u, auto y) { std::ranges::copy(u, y.begin()); }, size));
    connect(system, {{"a.y", "b.u"}, {"b.y", "a.u"}});
    cycles = findCycles(system);
    network.emplace(system, cycles, 1e100);
    std::ranges::copy(start, network->outputs().begin() + static_cast<std::ptrdiff_t>(size));
    step.emplace(*network, cycles, settings, false);
    step->tell(&listener);
    step->begin(0.0);
  }
  const Solution& solve(bool untested = false) {
    sent.clear();
    step->solve({{0.0, 1.0, false}, {}, untested, false});
    return step->iteratedCycles()[0]->algorithm->solution();
  }
  const Algorithm& algorithm() const { return *step->iteratedCycles()[0]->algorithm; }
  Reals outputs() const { return {network->outputs().begin(), network->outputs().end()}; }
};

inline AlgorithmSettings iterating(AccelerationSettings acceleration, double tolerance = 1e-9, unsigned most = 50) {
  return {.kind = AlgorithmKind::iteratedGaussSeidel,
          .maxIterations = most,
          .rtol = 0.0,
          .atol = tolerance,
          .norm = Norm::max,
          .acceleration = std::move(acceleration)};
}

inline std::function<Reals(const Reals&)> affine(double g, double b) {
  return [=](const Reals& u) {
    Reals y;
    for (const double value : u) y.push_back(g * value + b);
    return y;
  };
}

}  // namespace koppla::coupling::scripted
