#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/coupling/convergence.hpp"

#include "scripted.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::coupling::scripted {

using koppla::test::connect;
using Reals = std::vector<double>;
using Places = std::vector<std::size_t>;

/// Members a with outputs x (two values) and z, b with the output y: a cycle that exchanges x0, x1, y. What it answers
/// is set from outside; z goes to nobody of the cycle.
struct Watched {
  Reals answers{0.0, 0.0, 0.0};  ///< of x0, x1, y
  System system{};
  std::optional<Network> network{};
  std::optional<InterfaceProblem> problem{};
  std::optional<ConvergenceMonitor> monitor{};

  explicit Watched(const AlgorithmSettings& settings, unsigned innocent = 1, unsigned digitsOfX = 0,
                   const Reals& start = {0.0, 0.0, 0.0}) {
    subsystem::Port x = out("x", 2);
    x.digits = digitsOfX;
    Script a;
    a.ports = {in("u"), x, out("z")};
    a.evaluate = [this](double, auto, std::span<double> y, Binding&) {
      y[0] = answers[0];
      y[1] = answers[1];
      y[2] = 1e9;
      return Status::ok;
    };
    Script b;
    b.ports = {in("u", 2), out("y")};
    b.evaluate = [this](double, auto, std::span<double> y, Binding&) {
      y[0] = answers[2];
      return Status::ok;
    };
    Script sink;
    sink.ports = {in("u")};
    add(system, "a", std::move(a));
    add(system, "b", std::move(b));
    add(system, "sink", std::move(sink));
    connect(system, {{"a.x", "b.u"}, {"b.y", "a.u"}, {"a.z", "sink.u"}});
    network.emplace(system, std::vector<Cycle>{{{0, 1}, true}, {{2}, false}}, 1e100);
    put(start);
    problem.emplace(*network, Block{0, 2}, Form::sequence);
    monitor.emplace(*network, *problem, settings, innocent);
    monitor->begin();
  }

  void put(const Reals& values) {
    network->outputs()[0] = values[0];
    network->outputs()[1] = values[1];
    network->outputs()[3] = values[2];
  }
  void evaluate(const Reals& sent, const Reals& answered) {
    answers = answered;
    put(sent);
    if (!begun_) {
      EXPECT_FALSE(problem->begin({0.0, 1.0, false}, {}));
    }
    begun_ = true;
    EXPECT_FALSE(problem->evaluate());
  }
  void look(const Reals& sent, const Reals& answered) {
    evaluate(sent, answered);
    monitor->look(*problem);
  }

 private:
  bool begun_ = false;
};

inline ConvergenceGroup group(std::string name, std::vector<Endpoint> outputs, core::Tolerance tolerance,
                              Norm norm = Norm::max) {
  return {
      .name = std::move(name), .variables = {}, .outputs = std::move(outputs), .tolerance = tolerance, .norm = norm};
}

inline AlgorithmSettings tested(std::vector<ConvergenceGroup> groups) {
  AlgorithmSettings settings;
  settings.convergence = std::move(groups);
  return settings;
}

}  // namespace koppla::coupling::scripted
