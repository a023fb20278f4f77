#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "koppla/core/log.hpp"
#include "koppla/coupling/system.hpp"
#include "koppla/results/memory_recorder.hpp"
#include "koppla/run/run.hpp"

#include "support/formula_subsystem.hpp"

namespace koppla::test {

/// A member that is one of our own FMUs.
struct FmuPart {
  std::string name;
  std::string fmu;
  std::vector<std::pair<std::string, core::Value>> parameters = {};
};

/// A coupled system of FMUs by names.
coupling::System fmuSystem(const std::vector<FmuPart>& parts, const std::vector<Link>& links, core::Log& log);

/// Math_003 (Nicolai, sec. 4) in the order of the report.
coupling::System math003(core::Log& log);

/// Keeps rows of numbers in memory; of booleans 0 and 1.
class MemoryRecorder final : public results::Recorder {
 public:
  void begin(const std::vector<results::Column>& columns) override;
  void row(double time, const core::Values& values) override;
  void complete() override { completed = true; }
  void abandon() override { abandoned = true; }

  /// All values of a variable.
  [[nodiscard]] const std::vector<double>& of(const std::string& name) const { return columns.at(name); }
  /// Its value in the row nearest to t.
  [[nodiscard]] double at(const std::string& name, double t) const;

  std::vector<double> times;
  std::map<std::string, std::vector<double>> columns;
  bool completed = false;
  bool abandoned = false;

 private:
  results::MemoryRecorder recorder_;
};

}  // namespace koppla::test
