#include "koppla/project/inspection.hpp"

#include <system_error>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/suggest.hpp"
#include "koppla/fmi/fmu.hpp"
#include "koppla/native/catalogue.hpp"
#include "koppla/project/native_reader.hpp"
#include "koppla/solver/integrate.hpp"

namespace koppla::project {

namespace {

/// A choice with its default, such as "2: number of elements".
std::string inWords(const native::Choice& choice) {
  std::string text = fmt::format("{}: {}", core::text(choice.standard), choice.description);
  if (!choice.words.empty()) text += fmt::format(" ({})", fmt::join(choice.words, ", "));
  return text;
}

Inspection inspect(const native::BuiltInModel& model) {
  Inspection result;
  result.facts = {{"model", model.word}, {"description", model.description}, {"kind", "native model"}};
  for (const native::Choice& choice : model.choices)
    result.facts.emplace_back("option " + choice.name, inWords(choice));
  result.description = model.bringsSolver() ? native::makeBuiltInSolver(model.word)->describe()
                                            : solver::integrate(native::makeBuiltIn(model.word), {})->describe();
  return result;
}

/// A word, as models have, that is neither one nor a file.
[[noreturn]] void refuseWord(const std::string& word) {
  if (isWrittenInProject(word))
    throw core::InputError(
        fmt::format("The native model '{}' has no ports of its own: they come from the project file.", word),
        "Give it some in [[subsystems]], and see 'koppla check'.");
  std::vector<std::string> words;
  for (const native::BuiltInModel& model : native::builtInModels()) words.push_back(model.word);
  throw core::InputError(fmt::format("There is neither a file nor a native model '{}'.", word),
                         core::suggestion(word, words));
}

}  // namespace

Inspection inspect(const std::filesystem::path& file, core::Log& log) {
  const native::BuiltInModel* const native = native::findBuiltIn(file.string());
  std::error_code error;
  const bool exists = std::filesystem::exists(file, error);
  if (native != nullptr && !exists) return inspect(*native);
  if (!exists && !file.has_parent_path() && !file.has_extension()) refuseWord(file.string());
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
