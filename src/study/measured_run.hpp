#pragma once

#include <string>
#include <vector>

#include "koppla/project/project.hpp"
#include "koppla/results/table.hpp"
#include "koppla/run/outcome.hpp"
#include "koppla/run/statistics.hpp"
#include "koppla/study/reference.hpp"
#include "koppla/study/row.hpp"
#include "koppla/study/study.hpp"

namespace koppla::study {

/// A run with its results in memory.
struct FinishedRun {
  run::Outcome outcome;
  run::Statistics statistics;
  double reached = 0.0;     ///< s
  bool endedEarly = false;  ///< well, but before its end, as a subsystem asked for
  double cpu = 0.0;         ///< s
  results::Table table;
};

/// Runs a project to its end. Throws core::InputError where it cannot be run at all, core::FileError where the system
/// fails, as on a full disk.
FinishedRun runToEnd(const project::Project& plan);

/// The same of a project that is built. The log is the one that it was built with.
FinishedRun runToEnd(project::Coupled coupled, core::Log& log);

struct MeasuredError {
  double total = kNone;
  std::vector<double> perVariable;  ///< in the order of the table
  std::string problem;              ///< why there is no error; empty if there is one
};

/// The errors of recorded values at the macro times n = skip + 1 .. N, as far as the reference has values there. It
/// must have some at the last one.
MeasuredError measure(const results::Table& table, const Reference& reference, const ErrorSettings& settings);

/// The row of a run: status, error and cost.
Row judge(const FinishedRun& run, double start, const Reference& reference, double referenceError,
          const ErrorSettings& settings);

}  // namespace koppla::study
