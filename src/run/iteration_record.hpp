#pragma once

#include <functional>
#include <string>
#include <vector>

#include "koppla/core/log.hpp"
#include "koppla/coupling/algorithm.hpp"
#include "koppla/results/recorder.hpp"
#include "koppla/run/pulse.hpp"
#include "koppla/run/settings.hpp"

namespace koppla::run {

/// The history of iterations, one row each: how far off the exchanged values were and what the acceleration did. `time`
/// is the end of the step. Remarks of the acceleration go to the log.
class IterationRecord final : public coupling::IterationListener {
 public:
  /// The recorder may be missing; then only remarks are passed on.
  IterationRecord(const coupling::System& system, const coupling::Network& network, const Settings& settings,
                  core::Log& log, results::Recorder* recorder);

  /// Called after some iterations, recorded or not, in the rhythm of a Pulse.
  void onIteration(std::function<void(std::uint64_t iteration, double residual)> listener) {
    listener_ = std::move(listener);
  }
  void begin();
  void flush();
  /// All steps were done, or not.
  void end(bool complete);

  [[nodiscard]] bool keepsHistory() const override { return recorder_ != nullptr; }
  void iteration(const coupling::IterationReport& report) override;
  void remark(const coupling::InterfaceProblem& problem, const std::string& text) override;
  void warning(const coupling::InterfaceProblem& problem, std::size_t position, const std::string& text) override;

 private:
  /// An exchanged value whose course is recorded.
  struct Watched {
    std::size_t value;  ///< index of the network's outputs
    std::string name;
    std::string unit;
    double last = 0.0;  ///< answer of the iteration before
    double change = 0.0;
  };

  /// A port of which some values are watched.
  struct Field {
    std::string name;
    std::string unit;
    std::size_t first;  ///< index into the watched values
    std::size_t count = 0;
  };

  void addRow(const coupling::IterationReport& report);
  void watch(std::size_t value, const coupling::OutputName& output, const std::string& name);
  void addCourse(Watched& watched, const coupling::IterationReport& report);
  void addChanges(const Field& field, const coupling::IterationReport& report);
  [[nodiscard]] std::string membersOf(const coupling::InterfaceProblem& problem) const;

  const coupling::System& system_;
  const coupling::Network& network_;
  core::Log& log_;
  results::Recorder* recorder_;
  std::function<void(std::uint64_t, double)> listener_;
  Pulse pulse_{0};
  std::uint64_t iterations_ = 0;  ///< up to the last report, or up to the next one where others pass unheard
  std::vector<std::string> groups_;
  std::vector<Watched> watched_;
  std::vector<Field> fields_;
  std::int32_t step_ = 0;
  std::int32_t total_ = 0;
  double begin_ = 0.0;  ///< s, of the present step
  double end_ = 0.0;    ///< s
  core::Values row_;
  std::vector<std::size_t> index_;  ///< scratch
  std::vector<double> scratch_;
  bool began_ = false;
};

/// The groups of the convergence test with the outputs that their variables name. Throws core::InputError for variables
/// that fit no real output.
Settings withGroups(Settings settings, const coupling::System& system);

}  // namespace koppla::run
