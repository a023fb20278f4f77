// Steps of members piece by piece, with inputs that follow the samples of a waveform.

#include <algorithm>
#include <chrono>

#include <gtest/gtest.h>

#include "koppla/coupling/network.hpp"
#include "koppla/coupling/parallel_sweep.hpp"
#include "koppla/coupling/waveform.hpp"

#include "scripted.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::coupling::waveforms_test {
namespace {

using namespace koppla::coupling::scripted;
using koppla::test::connect;
using Reals = std::vector<double>;
using Powers = std::vector<Reals>;

constexpr Step kStep{1.0, 1.5, false};

struct PieceMet {
  double t0, t1, perSecond, length;
  bool returnsBefore, final;
  Powers powers;
};

/// A dynamic member answers 10 t + its input at the end, a static one twice its input.
struct Waves {
  System system{};
  std::vector<PieceMet> pieces{};
  std::vector<std::pair<double, double>> evaluated{};
  std::vector<double> before{};
  std::optional<Network> network{};

  Waves() {
    Script a = source({in("u"), out("y")});
    a.capabilities.inputDerivatives = 5;
    a.advance = [this](const Step& step, Trajectory u, std::span<double> y, Binding&) {
      PieceMet piece{step.t0, step.t1, step.perSecond, step.length, step.returnsBefore, step.final, {}};
      for (unsigned k = 0; k <= u.degree; ++k) piece.powers.emplace_back(u.power(k).begin(), u.power(k).end());
      pieces.push_back(std::move(piece));
      before.push_back(y[0]);
      y[0] = 10.0 * step.t1 + u.value(0, 1.0);
      return StepResult{Status::ok, step.t1};
    };
    Script law = source({in("u"), out("y")});
    law.capabilities.isStatic = true;
    law.evaluate = [this](double t, std::span<const double> u, std::span<double> y, Binding&) {
      evaluated.emplace_back(t, u[0]);
      y[0] = 2.0 * u[0];
      return Status::ok;
    };
    add(system, "a", std::move(a));
    add(system, "law", std::move(law));
    connect(system, {{"a.y", "law.u"}, {"law.y", "a.u"}});
    network.emplace(system, inOrder(system), 1e100);
  }
};

TEST(Waveforms, GoThroughTheStepPieceByPiece) {
  for (const Form form : {Form::parallel, Form::sequence})
    for (const bool final : {false, true}) {
      Waves waves;
      Waveform waveform(2, 4, 1, {});
      std::ranges::copy(Reals{1.0, 2.0}, waves.network->outputs().begin());
      waveform.begin(waves.network->outputs());
      for (unsigned point = 1; point <= 4; ++point) {
        waveform.at(point)[0] = 100.0 + point;
        waveform.at(point)[1] = 2.0 + point;
      }
      waveform.fit({0, 2});
      ASSERT_FALSE(waves.network->advance({0, 2}, {1.0, 3.0, final}, form, waveform));
      ASSERT_EQ(waves.pieces.size(), 4U);
      for (std::size_t j = 0; j < 4; ++j) {
        const PieceMet& piece = waves.pieces[j];
        const auto n = static_cast<double>(j);
        EXPECT_EQ(piece.t0, 1.0 + 0.5 * n);
        EXPECT_EQ(piece.t1, 1.5 + 0.5 * n);
        EXPECT_EQ(piece.perSecond, 2.0);
        EXPECT_EQ(piece.length, 0.5);
        EXPECT_EQ(piece.final, final);
        EXPECT_EQ(piece.returnsBefore, j > 0 && !final) << "whoever repeats the step goes back to before it";
        EXPECT_EQ(piece.powers, (Powers{{2.0 + n}, {1.0}}));
        EXPECT_EQ(waveform.at(static_cast<unsigned>(j) + 1)[0], 10.0 * (1.5 + 0.5 * n) + 3.0 + n);
        // Phases follow the sample before; the first one what it was in the last iteration.
        EXPECT_EQ(waves.before[j], j == 0 ? 101.0 : 10.0 * (1.0 + 0.5 * n) + 2.0 + n);
      }
      // The static member takes the samples at the points.
      ASSERT_EQ(waves.evaluated.size(), 4U);
      for (std::size_t j = 0; j < 4; ++j) {
        const auto n = static_cast<double>(j);
        EXPECT_EQ(waves.evaluated[j].first, 1.5 + 0.5 * n);
        EXPECT_EQ(waves.evaluated[j].second, 10.0 * (1.5 + 0.5 * n) + 3.0 + n);
        EXPECT_EQ(waveform.at(static_cast<unsigned>(j) + 1)[1], 2.0 * waves.evaluated[j].second);
      }
      // In sequence its splines are renewed as well.
      const Reals first{waveform.piece(0).powers[0], waveform.piece(0).powers[2]};
      EXPECT_EQ(first[0] + first[1], form == Form::sequence ? waveform.at(1)[0] : 101.0);
      EXPECT_EQ(waveform.at(0)[0], 1.0);
    }
}

TEST(Waveforms, HoldWhatChangesAtPointsOnly) {
  Waveform waveform(3, 2, 2, {1});
  waveform.begin(Reals{1.0, 2.0, 3.0});
  for (unsigned j = 0; j < 2; ++j)
    for (std::size_t v = 0; v < 3; ++v) {
      const Courses piece = waveform.piece(j);
      EXPECT_EQ(piece.powers[v], static_cast<double>(v) + 1.0) << "nothing is known of what comes";
      for (unsigned k = 1; k <= piece.degree; ++k) EXPECT_EQ(piece.powers[k * 3 + v], 0.0);
    }
  for (unsigned point = 1; point <= 2; ++point)
    for (std::size_t v = 0; v < 3; ++v) waveform.at(point)[v] = 10.0 * point + static_cast<double>(v);
  waveform.fit({1, 2});
  EXPECT_EQ(waveform.piece(0).powers[1], 11.0) << "what it is at the end of a piece";
  EXPECT_EQ(waveform.piece(1).powers[1], 21.0);
  EXPECT_EQ(waveform.piece(1).powers[3 + 1], 0.0);
  EXPECT_EQ(waveform.piece(0).powers[0], 1.0) << "the others are not renewed";
  EXPECT_EQ(waveform.piece(0).powers[3 + 0], 0.0);
  EXPECT_EQ(waveform.piece(0).powers[2], 3.0);
  waveform.fit({2, 3});
  EXPECT_EQ(waveform.piece(0).powers[0], 1.0);
  EXPECT_NEAR(waveform.piece(0).powers[2] + waveform.piece(0).powers[5] + waveform.piece(0).powers[8], 12.0, 1e-12);
  EXPECT_EQ(waveform.piece(0).powers[1], 11.0);
}

TEST(Waveforms, EndWhereAMemberFails) {
  for (const int failing : {0, 1}) {
    Waves waves;
    System system;
    int steps = 0;
    Script a = source({in("u"), out("y")});
    a.advance = [&](const Step& step, Trajectory, std::span<double> y, Binding&) {
      ++steps;
      y[0] = failing == 1 && steps == 3 ? 1e200 : 0.0;
      return StepResult{failing == 0 && steps == 2 ? Status::discard : Status::ok, step.t1 - 0.25};
    };
    Script law = source({in("u"), out("y")});
    law.capabilities.isStatic = true;
    law.evaluate = [](double, auto, auto, Binding&) { return Status::ok; };
    add(system, "a", std::move(a));
    add(system, "law", std::move(law));
    connect(system, {{"a.y", "law.u"}, {"law.y", "a.u"}});
    Network network(system, inOrder(system), 1e100);
    Waveform waveform(2, 4, 1, {});
    waveform.begin(network.outputs());
    const Fault fault = network.advance({0, 2}, {1.0, 3.0, false}, Form::sequence, waveform);
    EXPECT_EQ(fault.kind, failing == 0 ? FaultKind::discarded : FaultKind::exploded);
    EXPECT_EQ(fault.position, 0U);
    EXPECT_EQ(steps, failing == 0 ? 2 : 3);
    if (failing == 0) {
      EXPECT_EQ(fault.reached, 1.75);
    }
  }
}

}  // namespace
}  // namespace koppla::coupling::waveforms_test
