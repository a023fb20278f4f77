#include "koppla/project/fmu_kind.hpp"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "koppla/core/suggest.hpp"
#include "koppla/fmi/co_simulation.hpp"
#include "koppla/fmi/fmu.hpp"
#include "koppla/project/proposal.hpp"

namespace koppla::project {

namespace fs = std::filesystem;

namespace {

/// The FMUs that lie where one was looked for in vain.
std::vector<std::string> fmusIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".fmu") names.push_back(it->path().filename().string());
  std::ranges::sort(names);
  return names;
}

std::string whereElse(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code error;
  if (!fs::is_directory(folder, error)) return fmt::format("There is no folder {} either.", folder.string());
  return core::suggestion(file.filename().string(), fmusIn(folder));
}

fmi::Options optionsFor(const SubsystemEntry& entry) {
  fmi::Options options;
  options.strict = entry.strict;
  options.logging = entry.logging;
  options.inputDerivatives = entry.inputDerivatives.value_or(options.inputDerivatives);
  options.nominalStepSize = entry.nominalStepSize;
  return options;
}

/// Whose name may be missing, which others tell.
std::string whose(const SubsystemEntry& entry) {
  return entry.name.value.empty() ? "a subsystem" : "'" + entry.name.value + "'";
}

/// What is wrong with an FMU, at the place of the project file that names it.
std::vector<core::Problem> atEntry(const core::InputError& refusal, const SubsystemEntry& entry) {
  std::vector<core::Problem> problems = refusal.problems();
  for (core::Problem& problem : problems) {
    problem.message =
        fmt::format("The FMU of {} cannot be used: {}", whose(entry), core::text({problem.place, problem.message, {}}));
    problem.place = entry.fmu.place;
  }
  return problems;
}

std::shared_ptr<fmi::Fmu> open(const SubsystemEntry& entry, core::Log& log, Findings& findings) {
  const auto& [file, place] = entry.fmu;
  std::error_code error;
  if (!fs::exists(file, error)) {
    findings.mistake(place,
                     fmt::format("There is no file {} for {}{}.", file.string(),
                                 entry.name.value.empty() ? "" : "the subsystem ", whose(entry)),
                     whereElse(file));
    return nullptr;
  }
  try {
    std::shared_ptr<fmi::Fmu> fmu = fmi::Fmu::open(file, log, optionsFor(entry));
    fmi::libraryFile(fmu->folder(), fmu->model(), file);  // whether there is one for this machine
    return fmu;
  } catch (const core::InputError& refusal) {
    for (core::Problem& problem : atEntry(refusal, entry)) findings.mistakes.push_back(std::move(problem));
    return nullptr;
  }
}

/// The user knows the FMU's file, not the folder it was unpacked to.
std::string withoutFolder(std::string text, const fmi::Fmu& fmu) {
  const std::string folder = fmu.folder().string();
  const std::string file = fmu.file().string();
  for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at + file.size()))
    text.replace(at, folder.size(), file);
  return text;
}

}  // namespace

ProjectFmus::ProjectFmus(const Project& project, core::Log& log, Findings& findings) {
  for (const SubsystemEntry& entry : project.subsystems) {
    if (entry.fmu.value.empty()) {  // a native model, or checkEntries() has said so
      byMember_.push_back(nullptr);
      continue;
    }
    std::error_code error;
    const auto [place, fresh] = opened_.try_emplace({fs::weakly_canonical(entry.fmu.value, error), entry.strict});
    if (fresh) place->second = open(entry, log, findings);
    byMember_.push_back(place->second);
  }
}

std::vector<const subsystem::Description*> ProjectFmus::descriptions() const {
  std::vector<const subsystem::Description*> result;
  for (const auto& fmu : byMember_) result.push_back(fmu ? &fmu->describe() : nullptr);
  return result;
}

std::unique_ptr<subsystem::Subsystem> ProjectFmus::instantiate(std::size_t member, const SubsystemEntry& entry,
                                                               core::Log& log) const {
  try {
    return fmi::instantiate(byMember_[member], entry.name.value, log, optionsFor(entry));
  } catch (const core::InputError& refusal) {  // its library cannot be loaded
    std::vector<core::Problem> problems = atEntry(refusal, entry);
    for (core::Problem& problem : problems) problem.message = withoutFolder(problem.message, *byMember_[member]);
    throw core::InputError(std::move(problems));
  }
}

std::string propose(std::span<const fs::path> fmus, const fs::path& folder, core::Log& log) {
  std::vector<std::shared_ptr<fmi::Fmu>> opened;
  std::vector<Candidate> candidates;
  std::vector<core::Problem> problems;
  for (const fs::path& file : fmus) {
    try {
      opened.push_back(fmi::Fmu::open(file, log));
    } catch (const core::InputError& refusal) {
      problems.insert(problems.end(), refusal.problems().begin(), refusal.problems().end());
      continue;
    }
    const fmi::DefaultExperiment& experiment = opened.back()->model().defaultExperiment;
    const fs::path path = fs::absolute(file).lexically_proximate(fs::absolute(folder).lexically_normal());
    candidates.push_back({path.generic_string(), opened.back()->describe(), experiment.startTime, experiment.stopTime,
                          experiment.stepSize});
  }
  if (!problems.empty()) throw core::InputError(std::move(problems));
  return proposalFor(candidates);
}

}  // namespace koppla::project
