#include "koppla/study/references.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/file.hpp"
#include "koppla/results/load.hpp"
#include "koppla/study/children.hpp"
#include "koppla/study/measured_run.hpp"
#include "koppla/study/payload.hpp"

namespace koppla::study {

namespace {

std::string pack(const FinishedRun& run) {
  Packer packer;
  packer.text(run.outcome.message);
  packer.numbers(run.table.time);
  packer.count(run.table.series.size());
  for (const results::Series& series : run.table.series) {
    packer.text(series.name);
    packer.count(static_cast<std::uint64_t>(series.type));
    packer.numbers(series.numbers);
  }
  return std::move(packer).take();
}

struct ReceivedRun {
  std::string failure;
  results::Table table;
};

ReceivedRun unpack(const ChildResult& result) {
  if (result.atFile) core::passOnFileError("The reference could not be computed.", result.failure);
  if (!result.failure.empty()) return {"It " + result.failure + ".", {}};
  Unpacker unpacker(result.payload);
  ReceivedRun run;
  run.failure = unpacker.text();
  run.table.time = unpacker.numbers();
  run.table.series.resize(unpacker.count());
  for (results::Series& series : run.table.series) {
    series.name = unpacker.text();
    series.type = static_cast<core::Type>(unpacker.count());
    series.numbers = unpacker.numbers();
  }
  return run;
}

[[noreturn]] void refuse(const Study& study, std::string message, std::string remedy) {
  throw core::InputError({{study.reference.place, std::move(message), std::move(remedy)}});
}

std::vector<PreparedReference> fromProjects(const Study& study) {
  std::vector<PreparedReference> references;
  const Grid followed = followedGrid(study);
  for (std::size_t point = 0; point < followed.size(); ++point) {
    auto reference = std::make_shared<ExactReference>(project::exactValues(planOf(study, followed.overrides(point))));
    if (study.errors.reference == ErrorReference::local && reference->states().empty())
      refuse(study, "Local errors need an exact solution whose states are variables of the project.",
             "Give [reference] of the project a linear kind, and all of its states in 'values' or 'states'.");
    references.push_back({std::move(reference), 0.0});
  }
  return references;
}

std::vector<PreparedReference> fromFile(const Study& study) {
  auto reference =
      std::make_shared<TableReference>(results::load(study.reference.file.value), study.reference.betweenRows);
  return {{std::move(reference), kNone}};
}

/// The difference of the check run to its reference, which is at least the error of the reference where settings were
/// coarsened: sec. 2.5.2 of Schmoll demands that a numerical reference shows its own convergence.
double ownError(const Study& study, const results::Table& check, const Reference& reference) {
  const MeasuredError difference = measure(check, reference, study.errors);
  if (!difference.problem.empty())
    refuse(study, "The reference cannot be checked. " + difference.problem, "Correct [errors] or [reference].");
  return difference.total;
}

std::vector<PreparedReference> fromRuns(const Study& study, std::vector<ReceivedRun> runs) {
  const bool checked = !study.reference.checkSet.empty();
  std::vector<PreparedReference> references;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool isCheck = checked && i % 2 == 1;
    if (!runs[i].failure.empty())
      refuse(study,
             fmt::format("The {} did not complete. {}", isCheck ? "check of the reference" : "reference run",
                         runs[i].failure),
             isCheck ? "Change 'check_set'." : "Change 'set' in [reference].");
    if (isCheck)
      references.back().ownError = ownError(study, runs[i].table, *references.back().reference);
    else
      references.push_back(
          {std::make_shared<TableReference>(std::move(runs[i].table), study.reference.betweenRows), kNone});
  }
  return references;
}

}  // namespace

std::optional<std::vector<PreparedReference>> prepareReferences(const Study& study, unsigned jobs,
                                                                const std::function<bool()>& interrupted) {
  if (study.reference.kind == ReferenceKind::file) return fromFile(study);
  if (study.reference.kind == ReferenceKind::exact) return fromProjects(study);
  const std::vector<std::vector<project::Override>> settings = referenceSettings(study);
  std::vector<ReceivedRun> runs(settings.size());
  Children children;
  children.atOnce = jobs;
  children.work = [&](std::size_t i) { return pack(runToEnd(planOf(study, settings[i]))); };
  children.finished = [&](std::size_t i, const ChildResult& result) { runs[i] = unpack(result); };
  children.interrupted = interrupted;
  if (!workInChildren(settings.size(), children)) return std::nullopt;
  return fromRuns(study, std::move(runs));
}

void checkReference(const Study& study, std::span<const std::string> variables) {
  if (study.reference.kind == ReferenceKind::run) return;
  const bool isFile = study.reference.kind == ReferenceKind::file;
  const std::vector<PreparedReference> references = isFile ? fromFile(study) : fromProjects(study);
  const std::string who =
      isFile ? "The reference " + study.reference.file.value.string() : "The exact solution of the project";
  const std::vector<std::string>& names = references.front().reference->names();
  std::vector<core::Problem> problems;
  for (const std::string& variable : variables)
    if (std::ranges::find(names, variable) == names.end())
      problems.push_back({study.errors.variables.front().place, fmt::format("{} has no '{}'.", who, variable),
                          isFile ? "Leave it out, or choose another file."
                                 : fmt::format("Leave it out, or write \"{}\" = \"...\" in [reference.values] of the "
                                               "project.",
                                               variable)});
  if (!problems.empty()) throw core::InputError(std::move(problems));
}

std::size_t referenceFor(const Study& study, std::size_t point) {
  std::size_t index = 0;
  const std::vector<std::size_t> choice = study.grid.choice(point);
  for (std::size_t i = 0; i < choice.size(); ++i) {
    const Axis& axis = study.grid.axes()[i];
    if (std::ranges::any_of(study.reference.follows, [&](const auto& name) { return axis.has(name.value); }))
      index = index * axis.values.size() + choice[i];
  }
  return index;
}

}  // namespace koppla::study
