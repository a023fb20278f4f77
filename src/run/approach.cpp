#include "koppla/run/approach.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/value.hpp"
#include "koppla/run/capabilities.hpp"
#include "koppla/run/iteration_record.hpp"
#include "koppla/run/preparation.hpp"

namespace koppla::run {

namespace {

/// What a value of 1 does not become in one macro step, nor in an iteration that converges; before it overflows.
constexpr double kExploded = 1e150;

/// The steps of the settings up to that instant; one alone where there are none.
Settings upTo(std::optional<double> at, Settings settings) {
  settings.onInstability = OnInstability::ignore;
  settings.threads = 1;
  settings.explosionLimit = kExploded;
  if (at && *at > settings.start) {
    settings.end = *at;
    return settings;
  }
  settings.stepControl = {};
  settings.onDiscard = OnDiscard::stop;
  settings.step = settings.end - settings.start;
  return settings;
}

}  // namespace

Approach::Approach(coupling::System coupled, const Settings& settings, std::optional<double> at, core::Log& log)
    : startUp_(planStartUp(coupled, settings)),
      system_(fitted(std::move(coupled), settings.algorithm.degree, log)),
      settings_(withWholeSteps(withGroups(upTo(at, settings), system_), system_, log)),
      cycles_(coupling::findCycles(system_)),
      network_((requireCapabilities(system_, cycles_, settings_, "an instant (--at)"), system_), cycles_,
               settings_.explosionLimit),
      macroStep_(system_, network_, cycles_, settings_, quiet_),
      ending_{system_} {
  if (at && *at < settings_.start)
    throw core::InputError(fmt::format("There is nothing to look at before the start: {} s is before {} s.",
                                       core::text(*at), core::text(settings_.start)),
                           "Give an instant from simulation.start on.");
  initialise(log);
  if (at && *at > settings_.start) goTo(*at);
  outputs_.assign(network_.outputs().begin(), network_.outputs().end());
}

Approach::Ending::~Ending() {
  for (coupling::Member& member : system.members) member.subsystem->terminate();
}

/// Nobody knows when probes will end.
void Approach::initialise(core::Log& log) {
  Settings endless = settings_;
  endless.end = HUGE_VAL;
  const Outcome outcome = initialiseMembers(system_, network_, macroStep_, endless, log);
  if (!outcome.ok()) throw core::InputError(outcome.message, "The recursion begins with members that are initialised.");
}

void Approach::goTo(double at) {
  const bool fixed =
      !settings_.stepControl.adapts() && settings_.algorithm.kind != coupling::AlgorithmKind::masterSlave;
  constexpr std::uint64_t kMostSteps = std::numeric_limits<std::uint64_t>::max();
  clock_.emplace(settings_.start, settings_.end, settings_.step, fixed);
  macroStep_.begin(*clock_, startUp_.inShortSteps, halt_);
  while (clock_->now() < at && !macroStep_.isOver()) {
    if (macroStep_.advance(*clock_, at, kMostSteps, halt_) == OutcomeKind::ok) continue;
    throw core::InputError(
        macroStep_.failure().message,
        fmt::format("This was on the way to {} s, where the recursion is to be taken.", core::text(at)));
  }
  if (clock_->now() < at)
    throw core::InputError(macroStep_.describeEnd(clock_->now()), "Look at an instant before that.");
}

std::vector<double> Approach::earlier(double H, unsigned samples) const {
  if (clock_) return macroStep_.coupledStep().earlier(instant(), H, samples);
  std::vector<double> values;
  for (unsigned i = 0; i < samples; ++i) values.insert(values.end(), outputs_.begin(), outputs_.end());
  return values;
}

double Approach::nominalOf(std::size_t output) const {
  const coupling::OutputName name = network_.outputName(output);
  return system_.members[name.member].subsystem->describe().ports[name.port].usualMagnitude();
}

}  // namespace koppla::run
