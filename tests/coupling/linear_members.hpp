#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/coupling/interface_problem.hpp"

#include "scripted.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::coupling::scripted {

using koppla::test::connect;
using Reals = std::vector<double>;
using Matrix = std::vector<Reals>;

inline constexpr Step kStep{1.0, 1.5, false};

/// y = M u, and the inputs that each step met.
struct Linear {
  Matrix matrix;
  std::vector<Reals> met{};
  std::function<Status(std::span<const double> u)> status = [](auto) { return Status::ok; };

  Script script(bool isStatic = false) {
    Script made;
    made.ports = {in("u", matrix[0].size()), out("y", matrix.size())};
    made.capabilities.isStatic = isStatic;
    made.evaluate = [this](double, std::span<const double> u, std::span<double> y, Binding&) {
      met.emplace_back(u.begin(), u.end());
      for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] = 0.0;
        for (std::size_t j = 0; j < u.size(); ++j) y[i] += matrix[i][j] * u[j];
      }
      return status(u);
    };
    return made;
  }
};

/// A ring of two: a = A b and b = B a, both of two values.
struct Ring {
  Linear a{{{1.0, 2.0}, {0.5, -1.0}}};
  Linear b{{{4.0, 0.0}, {0.25, 8.0}}};
  System system{};
  std::optional<Network> network{};
  std::optional<Approximation> approximation{};
  std::optional<InterfaceProblem> problem{};

  /// Makes the problem; outputs are sent as (1, 2, 4, -8).
  void make(
      Form form, std::function<void(Script&)> changeA = [](Script&) {}, bool approximates = false, double scale = 1.0,
      bool staticA = false) {
    Script script = a.script(staticA);
    changeA(script);
    add(system, "a", std::move(script));
    add(system, "b", b.script());
    connect(system, {{"a.y", "b.u"}, {"b.y", "a.u", scale}});
    network.emplace(system, inOrder(system), 1e100);
    std::ranges::copy(Reals{1.0, 2.0, 4.0, -8.0}, network->outputs().begin());
    if (approximates) {
      approximation.emplace(4, 0, std::vector<std::size_t>{});
      approximation->add(kStep.t0, network->outputs());
      approximation->begin(kStep.t0, kStep.t1);
    }
    problem.emplace(*network, Block{0, 2}, form, approximation ? &*approximation : nullptr);
    ASSERT_FALSE(problem->begin(kStep, {}));
    ASSERT_FALSE(problem->evaluate());
    a.met.clear();
    b.met.clear();
  }
  Matrix jacobian(const std::vector<Sensitivity>& blocks, const std::vector<std::size_t>& values) {
    Matrix result(values.size(), Reals(problem->cut().size(), 0.0));
    for (const Derivative& d : problem->derivatives(blocks, values)) result[d.row][d.column] += d.value;
    return result;
  }
};

inline void expectNear(const Matrix& obtained, const Matrix& expected, double tolerance = 1e-6) {
  ASSERT_EQ(obtained.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(obtained[i].size(), expected[i].size());
    for (std::size_t j = 0; j < expected[i].size(); ++j)
      EXPECT_NEAR(obtained[i][j], expected[i][j], tolerance) << i << j;
  }
}

}  // namespace koppla::coupling::scripted
