#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "koppla/coupling/initialisation.hpp"

#include "scripted.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::coupling::scripted {

using koppla::test::connect;

/// y = k u + b, element by element.
inline Script gains(std::vector<double> k, double b = 0.0) {
  const std::size_t size = k.size();
  return function(
      [k = std::move(k), b](std::span<const double> u, std::span<double> y) {
        for (std::size_t i = 0; i < y.size(); ++i) y[i] = k[i] * u[i] + b;
      },
      size);
}

inline Script scalar(std::function<double(double)> answer) {
  return function([answer = std::move(answer)](std::span<const double> u, std::span<double> y) {
    if (!y.empty()) y[0] = answer(u.empty() ? 0.0 : u[0]);
  });
}

struct Started {
  System system{};
  std::optional<Network> network{};
  InitialisationReport report{};

  explicit Started(System made, const AlgorithmSettings& settings = {}) : system(std::move(made)) {
    network.emplace(system, findCycles(system), 1e100);
    report = initialise(system, *network, 0.0, settings);
  }
  [[nodiscard]] std::vector<double> outputs() const { return {network->outputs().begin(), network->outputs().end()}; }
};

inline System pair(Script a, Script b) {
  System system;
  add(system, "a", std::move(a));
  add(system, "b", std::move(b));
  connect(system, {{"a.y", "b.u"}, {"b.y", "a.u"}});
  return system;
}

inline AlgorithmSettings keeping(AlgorithmKind kind, unsigned degree = 0) {
  AlgorithmSettings settings;
  settings.kind = kind;
  settings.degree = degree;
  settings.initialisation = Initialisation::startValues;
  return settings;
}

}  // namespace koppla::coupling::scripted
