#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "koppla/core/log.hpp"
#include "koppla/core/value.hpp"
#include "koppla/coupling/system.hpp"
#include "koppla/results/recorder.hpp"
#include "koppla/run/outcome.hpp"
#include "koppla/run/settings.hpp"
#include "koppla/run/statistics.hpp"

namespace koppla::run {

/// Subsystems that are evaluated together: a closed cycle, or one that depends on nobody behind it.
struct EvaluationGroup {
  std::vector<std::string> members;
  bool closed = false;
};

/// What is told to a listener while a run goes on, a few times a second.
struct Progress {
  double time;          ///< s, simulated
  double step;          ///< s, the next macro step
  std::uint64_t steps;  ///< accepted so far
  std::uint64_t failures;
  double elapsed;           ///< s, wall clock
  std::uint64_t iteration;  ///< in the step under way; 0 between steps and where nothing is iterated
  double residual;          ///< of that iteration; converged at 1
};

/// Who takes the rows of a run; each may be missing.
struct Recorders {
  Recorders(results::Recorder* ofResults = nullptr, results::Recorder* ofIterations = nullptr)
      : results(ofResults), iterations(ofIterations) {}

  results::Recorder* results;
  results::Recorder* iterations;  ///< one row per iteration of a cycle
};

/// One simulation of a coupled system: initialise, step until the end, end. Throws core::InputError where the settings
/// ask of a subsystem what it cannot do, before anything runs; from then on failures are
/// outcomes, also those to write rows.
class Run {
 public:
  /// Compiles the system. The log and the recorders (if any) outlive the run.
  Run(coupling::System system, Settings settings, core::Log& log, Recorders recorders = {});
  ~Run();
  Run(Run&&) noexcept;

  /// Initialises all subsystems, consistently. Must have succeeded before any step.
  Outcome initialise();
  /// One accepted macro step.
  Outcome step();
  /// Steps until the end, an interruption or a failure; with `until` (s), no further than the first communication point
  /// at or after that time.
  Outcome simulate();
  Outcome simulate(double until);
  /// Closes the results: under their final name where the run is finished. Calls no subsystem, so that it may be called
  /// while one is. To be called before end() where something is
  /// to be done in between; what it could not write is its outcome.
  Outcome close();
  /// Terminates the subsystems, after close(), so that one that crashes then takes nothing with it. Its outcome is that
  /// of close(). Called by the destructor if nobody did.
  Outcome end();

  /// The order of evaluation.
  [[nodiscard]] std::vector<EvaluationGroup> order() const;
  [[nodiscard]] double time() const;
  [[nodiscard]] bool finished() const;
  /// The present value of "subsystem.port"; throws core::InputError for an unknown name.
  [[nodiscard]] core::Value value(std::string_view name);
  [[nodiscard]] Statistics statistics() const;

  /// Asks simulate() to return after the present step; a program behind files that is being called is ended at once,
  /// and the step with it. May be called from any thread and from a signal handler.
  void interrupt();
  /// Called between steps and between iterations, after the first ones and then about 20 times a second.
  void onProgress(std::function<void(const Progress&)> listener);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace koppla::run
