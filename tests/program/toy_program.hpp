#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "koppla/core/file.hpp"
#include "koppla/core/log.hpp"
#include "koppla/program/program.hpp"

namespace koppla::test {

/// A program in the making, with one input x and one output y, and the folder that it works in.
struct Toy {
  core::TemporaryFolder folder{"toy"};
  program::ProgramSettings settings;
  core::Log log;
  std::unique_ptr<subsystem::Subsystem> made;

  /// y.csv from x.csv by a line for the shell.
  explicit Toy(std::string line) {
    settings.name = "toy";
    settings.command = std::move(line);
    settings.projectFolder = folder.path();
    settings.workFolder = folder.path() / "programs";
    settings.inputs = {{.field = {"x", {1}}, .start = {2.0}, .file = "x.csv"}};
    settings.outputs = {{{.field = {"y", {1}}}, {.file = "y.csv"}}};
  }

  /// Made and bound with all its ports, in initialisation.
  subsystem::Subsystem& start() {
    made = program::makeProgram(settings, log);
    subsystem::Binding binding;
    const std::vector<subsystem::Port>& ports = made->describe().ports;
    for (std::size_t i = 0; i < ports.size(); ++i) {
      if (ports[i].causality == subsystem::Causality::input) binding.inputs.push_back(i);
      if (ports[i].causality == subsystem::Causality::output) binding.outputs.push_back(i);
    }
    made->bind(std::move(binding));
    made->enterInitialisation({0.0, 10.0, {}});
    return *made;
  }

  /// The answer to one input; nothing where the program fails.
  std::optional<double> evaluate(double x, double t = 0.0) {
    if (!made) start();
    double y = -1.0;
    const subsystem::Status status = made->evaluate(t, std::span(&x, 1), std::span(&y, 1));
    return status == subsystem::Status::ok ? std::optional(y) : std::nullopt;
  }

  std::optional<double> advance(double t0, double t1, double x) {
    double y = -1.0;
    const subsystem::StepResult result =
        made->advance({t0, t1, false}, subsystem::held(std::span(&x, 1)), std::span(&y, 1));
    return result.status == subsystem::Status::ok ? std::optional(y) : std::nullopt;
  }

  [[nodiscard]] std::filesystem::path work() const { return settings.workFolder / "toy"; }
  void write(const char* name, std::string_view text) const { core::writeWhole(folder.path() / name, text); }
};

/// y = 3 x, in the standard csv.
inline const std::string kTriple = "awk '{ printf \"%d , %.17g\\n\", $1, 3 * $3 }' x.csv > y.csv";

}  // namespace koppla::test
