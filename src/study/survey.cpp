#include "koppla/study/survey.hpp"

#include "koppla/core/error.hpp"

namespace koppla::study {

project::Reading readingOf(const CommonProject& common, std::span<const project::Override> settings) {
  std::vector<project::Override> all = common.set;
  all.insert(all.end(), settings.begin(), settings.end());
  return project::parse(common.text, common.file, all);
}

void Survey::add(const project::Reading& reading) {
  ++readings_;
  for (const core::Problem& problem : reading.findings.mistakes)
    if (mistakes_.emplace(core::text(problem), mistakes_.size()).second) problems_.push_back(problem);
  for (const core::Problem& problem : reading.findings.warnings) ++warnings_[core::text(problem)];
}

void Survey::conclude(core::Log& log) const {
  if (!problems_.empty()) throw core::InputError(problems_);
  for (const auto& [text, count] : warnings_)
    if (count == readings_) log.write(core::Severity::warning, "project", text);
}

}  // namespace koppla::study
