#pragma once

#include <string>

#include "koppla/run/outcome.hpp"
#include "koppla/run/statistics.hpp"

namespace koppla::report {

/// What a run cost, as a table for people: times and counts of the whole, then of every subsystem (Nicolai, sec. 3).
std::string statisticsText(const run::Statistics& statistics);

/// What is known of a run beside its counters.
struct RunFacts {
  std::string project;   ///< the project file as it was named
  double start = 0.0;    ///< s
  double end = 0.0;      ///< s, as asked for
  double reached = 0.0;  ///< s
  run::Outcome outcome;
};

/// The same, and the facts, as JSON; times in seconds.
std::string statisticsJson(const run::Statistics& statistics, const RunFacts& facts);

}  // namespace koppla::report
