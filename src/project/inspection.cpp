#include "koppla/project/inspection.hpp"

#include <fmt/format.h>

#include "koppla/fmi/fmu.hpp"

namespace koppla::project {

Inspection inspect(const std::filesystem::path& file, core::Log& log) {
  const auto fmu = fmi::Fmu::open(file, log);
  const fmi::ModelDescription& model = fmu->model();
  Inspection result;
  const auto add = [&result](std::string name, std::string value) {
    if (!value.empty()) result.facts.emplace_back(std::move(name), std::move(value));
  };
  const auto seconds = [](const std::optional<double>& value) {
    return value ? core::text(*value) + " s" : std::string();
  };
  add("model", model.modelName);
  add("description", model.description);
  add("kind", fmu->describe().kind);
  add("FMI version", model.fmiVersion);
  add("model version", model.version);
  add("generation tool", model.generationTool);
  add("generated", model.generationDateAndTime);
  add("author", model.author);
  add("licence", model.license);
  add("copyright", model.copyright);
  add("GUID", model.guid);
  add("platforms", fmt::format("{}", fmt::join(fmu->platforms(), ", ")));
  add("default start", seconds(model.defaultExperiment.startTime));
  add("default end", seconds(model.defaultExperiment.stopTime));
  add("default step", seconds(model.defaultExperiment.stepSize));
  result.description = fmu->describe();
  result.warnings = fmu->warnings();
  return result;
}

}  // namespace koppla::project
