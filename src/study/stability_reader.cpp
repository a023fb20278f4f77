#include <array>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/file.hpp"
#include "koppla/core/value.hpp"
#include "koppla/project/document.hpp"
#include "koppla/project/table_reader.hpp"
#include "koppla/study/stability.hpp"
#include "koppla/study/survey.hpp"
#include "koppla/study/vary_reader.hpp"

namespace koppla::study {

namespace {

using project::Placed;
using project::TableReader;
using project::Word;

constexpr std::array kQuestionWords{Word{"critical-step", StabilityQuestion::criticalStep},
                                    Word{"spectral-radius", StabilityQuestion::spectralRadius}};

void readHead(TableReader& head, project::Reports& reports, StabilityAnalysis& analysis) {
  Placed<std::string> project;
  head.text("project", project, {.required = "Write project = \"project.toml\", relative to this file."});
  analysis.project = analysis.file.parent_path() / project.value;
  analysis.set = readSettings(head, "set", reports);
  head.word("find", analysis.find, kQuestionWords,
            {.required = "Write find = \"critical-step\" or find = \"spectral-radius\"."});
  const bool seeksStep = analysis.find == StabilityQuestion::criticalStep;
  head.real("from", analysis.range.from, project::kPositive);
  head.real("to", analysis.range.to, project::kPositive);
  head.real("increment", analysis.recursion.increment, project::kPositive);
  head.real("allowance", analysis.recursion.allowance, project::kNotNegative);
  if (!head.sound({"find", "from", "to"})) return;
  for (const std::string_view key : {"from", "to"})
    if (!seeksStep && head.given(key))
      head.mistake(key, fmt::format("find = \"spectral-radius\" has no '{}'.", key),
                   "Remove it; the step is simulation.step of the project, which can be varied.");
  if (seeksStep && analysis.range.to <= analysis.range.from)
    head.mistake("to",
                 fmt::format("'to', {} s, is not above 'from', {} s.", core::text(analysis.range.to),
                             core::text(analysis.range.from)),
                 "Give the shorter step as 'from'.");
}

}  // namespace

StabilityAnalysis parseStability(std::string_view text, const std::filesystem::path& file) {
  const project::Table document = project::parseToml(text, file.string());
  project::Reports reports;
  TableReader root(&document, {file.string(), 0, 0}, "the stability file", reports);
  TableReader head = root.table("stability");
  StabilityAnalysis analysis;
  analysis.file = file;
  if (readFormat(root)) {
    readHead(head, reports, analysis);
    analysis.grid = readGrid(root, reports);
    if (analysis.find == StabilityQuestion::criticalStep && analysis.grid.axisOf("simulation.step"))
      root.mistake("vary", "simulation.step is varied, but the critical step is what is sought.",
                   "Remove it, or write find = \"spectral-radius\".");
    for (TableReader* table : {&root, &head}) table->finish();
  }
  reports.findings.sort(file.string());
  if (!reports.findings.mistakes.empty()) throw core::InputError(reports.findings.mistakes);
  return analysis;
}

StabilityAnalysis readStability(const std::filesystem::path& file, core::Log& log,
                                std::span<const project::Override> set) {
  StabilityAnalysis analysis = parseStability(core::readWhole(file), file);
  analysis.projectText = core::readWhole(analysis.project);
  analysis.set.insert(analysis.set.end(), set.begin(), set.end());
  Survey survey;
  for (std::size_t point = 0; point < analysis.grid.size(); ++point)
    survey.add(
        readingOf(CommonProject{analysis.project, analysis.projectText, analysis.set}, analysis.grid.overrides(point)));
  survey.conclude(log);
  return analysis;
}

}  // namespace koppla::study
