#include "koppla/study/study_reader.hpp"

#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/suggest.hpp"
#include "koppla/core/value.hpp"
#include "koppla/project/document.hpp"
#include "koppla/project/table_reader.hpp"
#include "koppla/study/study_kind.hpp"
#include "koppla/study/vary_reader.hpp"

namespace koppla::study {

namespace {

namespace fs = std::filesystem;
using project::Placed;
using project::TableReader;
using project::Word;

constexpr std::array kMeasureWords{Word{"nrmse", Measure::nrmse}, Word{"wrmse", Measure::wrmse},
                                   Word{"wrmse-sum", Measure::wrmseSum}};
constexpr std::array kReferenceWords{Word{"run", ReferenceKind::run}, Word{"file", ReferenceKind::file},
                                     Word{"exact", ReferenceKind::exact}};
constexpr std::array kErrorReferenceWords{Word{"global", ErrorReference::global}, Word{"local", ErrorReference::local}};
constexpr std::array kBetweenWords{Word{"cubic", BetweenRows::cubic}, Word{"skip", BetweenRows::skip}};

/// Reads a study file part by part. What cannot be read is reported and left out.
class StudyReader {
 public:
  StudyReader(const project::Table& document, const fs::path& file)
      : root_(&document, {file.string(), 0, 0}, "the study file", reports_),
        head_(root_.table("study")),
        reference_(root_.table("reference")),
        errors_(root_.table("errors")),
        fit_(root_.table("fit")) {
    study_.file = file;
  }

  Study read() && {
    if (readFormat(root_) && kindIsKnown()) {
      readHead();
      study_.grid = readGrid(root_, reports_, "Write [[vary]] with name = \"simulation.step\" and values = [...].");
      readReference();
      readErrors();
      if (root_.given("fit")) readFit();
      for (TableReader* table : {&root_, &head_, &reference_, &errors_, &fit_}) table->finish();
    }
    reports_.findings.sort(study_.file.string());
    if (!reports_.findings.mistakes.empty()) throw core::InputError(reports_.findings.mistakes);
    return std::move(study_);
  }

 private:
  [[nodiscard]] fs::path beside(const std::string& path) const { return study_.file.parent_path() / path; }

  /// Options of an unknown kind cannot be judged.
  bool kindIsKnown() {
    readKind(head_);
    return head_.sound({"kind"});
  }

  void readHead() {
    Placed<std::string> project;
    head_.text("project", project, {.required = "Write project = \"project.toml\", relative to this file."});
    study_.project = beside(project.value);
    study_.set = readSettings(head_, "set", reports_);
  }

  void readReference() {
    ReferenceSettings& settings = study_.reference;
    settings.place = reference_.place();
    if (settings.place.file.empty()) settings.place.file = study_.file.string();
    Placed<std::string> kind;
    reference_.word(
        "kind", settings.kind, kReferenceWords,
        {.required = "Write [reference] with kind = \"run\" and set = [...], kind = \"file\", or kind = \"exact\"."});
    const bool isRun = settings.kind == ReferenceKind::run;
    const bool isFile = settings.kind == ReferenceKind::file;
    settings.set = readSettings(reference_, "set", reports_);
    settings.checkSet = readSettings(reference_, "check_set", reports_);
    reference_.texts("follows", settings.follows);
    Placed<std::string> file;
    reference_.text("file", file,
                    {.required = !isFile ? "" : "Write file = \"reference.csv\", relative to this file."});
    settings.file = {beside(file.value), file.place};
    settings.betweenRows = isRun ? BetweenRows::cubic : BetweenRows::skip;
    reference_.word("between_rows", settings.betweenRows, kBetweenWords);
    refuseOthers(isRun    ? std::vector<std::string_view>{"file"}
                 : isFile ? std::vector<std::string_view>{"set", "check_set", "follows"}
                          : std::vector<std::string_view>{"set", "check_set", "file", "between_rows"});
    for (const auto& [name, place] : settings.follows)
      if (!study_.grid.axisOf(name)) notVaried("follows", name, reference_);
  }

  void refuseOthers(const std::vector<std::string_view>& keys) {
    if (!reference_.sound({"kind"})) return;
    const std::string_view kind = project::wordFor(kReferenceWords, study_.reference.kind);
    for (const std::string_view key : keys)
      if (reference_.given(key))
        reference_.mistake(key, fmt::format("A reference of kind \"{}\" has no '{}'.", kind, key), "Remove it.");
  }

  void notVaried(std::string_view key, const std::string& name, TableReader& table) {
    std::vector<std::string> names;
    for (const Axis& axis : study_.grid.axes()) names.insert(names.end(), axis.names.begin(), axis.names.end());
    table.mistake(key, fmt::format("'{}' is not varied.", name), core::suggestion(name, names));
  }

  void readErrors() {
    ErrorSettings& settings = study_.errors;
    errors_.texts("variables", settings.variables);
    if (settings.variables.empty() && errors_.sound({"variables"}))
      errors_.mistake("variables", "No variables are given whose errors are measured.",
                      "Write variables = [\"subsystem.port\"] in [errors].");
    errors_.word("measure", settings.measure, kMeasureWords);
    errors_.word("reference", settings.reference, kErrorReferenceWords);
    if (settings.reference == ErrorReference::local && study_.reference.kind != ReferenceKind::exact)
      errors_.mistake("reference", "Local errors need an exact solution that can start anew at every step.",
                      "Write kind = \"exact\" in [reference].");
    errors_.count("skip", settings.skip, 0);
    errors_.real("from", settings.from);
    errors_.real("to", settings.to);
    if (errors_.sound({"from", "to"}) && settings.from >= settings.to)
      errors_.mistake("to", "The window of times that count is empty: 'to' is not after 'from'.",
                      "Both are times of the run, in s.");
    errors_.real("unstable_above", settings.unstableAbove, project::kPositive);
  }

  void readFit() {
    FitSettings settings;
    Placed<std::string> over;
    fit_.text("over", over, {.required = "Write over = \"simulation.step\"."});
    fit_.real("from", settings.from, project::kPositive);
    fit_.real("to", settings.to, project::kPositive);
    if (!fit_.sound({"over", "from", "to"})) return;
    if (settings.to < settings.from)
      fit_.mistake("to",
                   fmt::format("'to', {}, is below 'from', {}.", core::text(settings.to), core::text(settings.from)),
                   "Swap them.");
    const std::optional<std::size_t> axis = study_.grid.axisOf(over.value);
    if (!axis) return notVaried("over", over.value, fit_);
    settings.axis = *axis;
    for (const VariedValue& value : study_.grid.axes()[*axis].values) {
      if (value.number && *value.number > 0.0) continue;
      fit_.mistake(
          "over",
          fmt::format("'{}' has the value '{}'; a slope is fitted over numbers above 0.", over.value, value.text),
          "Fit over another setting.");
      return;
    }
    study_.fit = settings;
  }

  project::Reports reports_;
  TableReader root_;
  TableReader head_;
  TableReader reference_;
  TableReader errors_;
  TableReader fit_;
  Study study_;
};

}  // namespace

std::string_view word(Measure measure) {
  return project::wordFor(kMeasureWords, measure);
}

Study parse(std::string_view text, const fs::path& file) {
  return StudyReader(project::parseToml(text, file.string()), file).read();
}

}  // namespace koppla::study
