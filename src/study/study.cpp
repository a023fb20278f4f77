#include "koppla/study/study.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "koppla/core/file.hpp"
#include "koppla/study/study_reader.hpp"
#include "koppla/study/survey.hpp"

namespace koppla::study {

namespace {

using project::Override;

project::Reading readingOf(const Study& study, std::span<const Override> settings) {
  return study::readingOf(CommonProject{study.project, study.projectText, study.set}, settings);
}

}  // namespace

Study read(const std::filesystem::path& file, core::Log& log, std::span<const Override> set) {
  std::string text = core::readWhole(file);
  Study study = parse(text, file);
  study.text = std::move(text);
  study.projectText = core::readWhole(study.project);
  study.set.insert(study.set.end(), set.begin(), set.end());
  Survey survey;
  for (std::size_t point = 0; point < study.grid.size(); ++point)
    survey.add(readingOf(study, study.grid.overrides(point)));
  for (const auto& settings : referenceSettings(study)) survey.add(readingOf(study, settings));
  survey.conclude(log);
  if (study.reference.kind == ReferenceKind::run && study.reference.checkSet.empty())
    log.write(core::Severity::warning, "study",
              core::text({study.reference.place, "The reference's own error is unknown.",
                          "Give check_set = [...] in [reference], settings of a coarser second run."}));
  return study;
}

std::vector<std::vector<Override>> referenceSettings(const Study& study) {
  std::vector<std::vector<Override>> result;
  if (study.reference.kind != ReferenceKind::run) return result;
  const Grid followed = followedGrid(study);
  for (std::size_t point = 0; point < followed.size(); ++point) {
    std::vector<Override> settings = followed.overrides(point);
    const auto append = [&settings](const std::vector<Override>& more) {
      settings.insert(settings.end(), more.begin(), more.end());
    };
    append(study.reference.set);
    result.push_back(settings);
    if (study.reference.checkSet.empty()) continue;
    append(study.reference.checkSet);
    result.push_back(std::move(settings));
  }
  return result;
}

Grid followedGrid(const Study& study) {
  std::vector<Axis> axes;
  for (const Axis& axis : study.grid.axes())
    if (std::ranges::any_of(study.reference.follows, [&](const auto& name) { return axis.has(name.value); }))
      axes.push_back(axis);
  return Grid(std::move(axes));
}

project::Project planOf(const Study& study, std::span<const Override> settings) {
  project::Reading reading = readingOf(study, settings);
  if (!reading.findings.mistakes.empty()) throw core::InputError(reading.findings.mistakes);
  project::Project plan = std::move(reading.project);
  plan.settings.outputInterval = 0.0;
  plan.settings.variables.clear();
  plan.variablePlaces.clear();
  for (const auto& [name, place] : study.errors.variables) {
    plan.settings.variables.push_back(name);
    plan.variablePlaces.push_back(place);
  }
  return plan;
}

}  // namespace koppla::study
