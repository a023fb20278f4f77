#include "koppla/run/start_up.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace koppla::run {

namespace {

using coupling::AlgorithmKind;
using coupling::AlgorithmSettings;

/// The order that is left where the degree rises from one macro step to the next. An iterated first step interpolates:
/// it begins with degree 1 and has an error O(H^3), an extrapolating one has O(H^2).
unsigned orderOfTrivialStart(const AlgorithmSettings& algorithm) {
  return algorithm.iterates() ? 3 : 2;
}

/// Whether degrees below the given one in the first macro steps cost accuracy that later steps would have. A trivial
/// start of extrapolation never costs nothing: outputs with feed-through are then wrong by O(H) at the first point.
bool needsPast(const AlgorithmSettings& algorithm) {
  if (algorithm.degree == 0 || algorithm.iteratesWaveforms() || algorithm.kind == AlgorithmKind::modelCoupling)
    return false;
  return !algorithm.iterates() || algorithm.degree + 1 > orderOfTrivialStart(algorithm);
}

/// A coupled input that is held over whole macro steps has order 2 however the others begin.
bool holdsAnInput(const coupling::System& system) {
  return std::ranges::any_of(system.connections, [&system](const coupling::Connection& connection) {
    const auto& capabilities = system.members[connection.to.member].subsystem->describe().capabilities;
    return !capabilities.isStatic && capabilities.inputDerivatives == 0 && capabilities.microStep == 0.0;
  });
}

/// A master with variable steps begins with short ones by itself.
bool startsByMaster(const coupling::System& system, const AlgorithmSettings& algorithm) {
  return algorithm.kind == AlgorithmKind::masterSlave &&
         std::ranges::all_of(system.members, [](const coupling::Member& member) {
           return member.subsystem->describe().capabilities.microStep == 0.0;
         });
}

/// Why a member takes no short steps, or gets nothing out of them; empty where it does.
std::string_view obstacleOf(const subsystem::Capabilities& member) {
  if (!member.variableStep) return "these subsystems take steps of one length only";
  if (member.ownProcess) return "each step of these subsystems is a call of a program";
  const bool overshoots = member.microStep > 0.0 && !member.ownSteps && !member.evaluatesBetweenSteps;
  if (overshoots) return "these subsystems run past communication points in micro steps of their own";
  return {};
}

/// What stands in the way of all; of members the first reason, with all that it holds for. Empty where nothing does.
std::string obstacleIn(const coupling::System& system, const AlgorithmSettings& algorithm) {
  if (algorithm.kind == AlgorithmKind::masterSlave) return "the master chooses the steps";
  if (!system.constraints.empty()) return "rigid joints need steps of one length";
  std::string_view reason;
  std::vector<std::string_view> names;
  for (const coupling::Member& member : system.members) {
    const std::string_view own = obstacleOf(member.subsystem->describe().capabilities);
    if (own.empty() || (!names.empty() && own != reason)) continue;
    reason = own;
    names.push_back(member.name);
  }
  return names.empty() ? "" : fmt::format("{}: {}", reason, fmt::join(names, ", "));
}

std::string lossBy(const std::string& obstacle, const AlgorithmSettings& algorithm) {
  const unsigned order = orderOfTrivialStart(algorithm);
  return fmt::format(
      "start-up: the first steps cannot be short, since {}. So they have polynomials of lower degrees, and the "
      "coupling "
      "is of order {}, not {} as algorithm.degree = {} promises. Choose algorithm.degree = {}, which has that order "
      "too, "
      "or, where the exact solution is known, algorithm.start_up = \"analytic\".",
      obstacle, order, algorithm.degree + 1, algorithm.degree, order - 1);
}

}  // namespace

StartUpPlan planStartUp(const coupling::System& system, const Settings& settings) {
  const AlgorithmSettings& algorithm = settings.algorithm;
  const bool asked = algorithm.startUp == coupling::StartUp::fullOrder && needsPast(algorithm);
  if (!asked || system.connections.empty() || settings.stepControl.adapts()) return {};
  if (holdsAnInput(system) || startsByMaster(system, algorithm)) return {};
  const std::string obstacle = obstacleIn(system, algorithm);
  if (obstacle.empty()) return {.inShortSteps = true};
  if (algorithm.degree + 1 <= orderOfTrivialStart(algorithm)) return {};
  return {.loss = lossBy(obstacle, algorithm)};
}

}  // namespace koppla::run
