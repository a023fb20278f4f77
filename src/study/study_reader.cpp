#include "koppla/study/study_reader.hpp"

#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/suggest.hpp"
#include "koppla/core/value.hpp"
#include "koppla/project/document.hpp"
#include "koppla/project/table_reader.hpp"

namespace koppla::study {

namespace {

namespace fs = std::filesystem;
using project::Override;
using project::Placed;
using project::TableReader;
using project::Word;

constexpr unsigned kFormat = 1;
constexpr std::array kMeasureWords{Word{"nrmse", Measure::nrmse}, Word{"wrmse", Measure::wrmse},
                                   Word{"wrmse-sum", Measure::wrmseSum}};
constexpr std::array kReferenceWords{Word{"run", ReferenceKind::run}, Word{"file", ReferenceKind::file}};
constexpr std::array kBetweenWords{Word{"cubic", BetweenRows::cubic}, Word{"skip", BetweenRows::skip}};

/// As `--set` would spell it; nothing for what no setting can be.
std::optional<VariedValue> variedValue(const project::Node& node) {
  if (const auto* real = std::get_if<double>(&node.value)) return VariedValue{core::text(*real), *real, node.place};
  if (const auto* integer = std::get_if<std::int64_t>(&node.value))
    return VariedValue{std::to_string(*integer), static_cast<double>(*integer), node.place};
  if (const auto* flag = std::get_if<bool>(&node.value))
    return VariedValue{*flag ? "true" : "false", std::nullopt, node.place};
  if (const auto* text = std::get_if<std::string>(&node.value)) return VariedValue{*text, std::nullopt, node.place};
  return std::nullopt;
}

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
    if (readFormat()) {
      readHead();
      readAxes();
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
  /// False if the file belongs to a later Koppla, whose options we cannot judge.
  bool readFormat() {
    unsigned format = kFormat;
    root_.count("format", format, 1, {.required = "Write format = 1 in the first line."});
    if (format <= kFormat) return true;
    root_.mistake("format",
                  fmt::format("The format {} is newer than this Koppla, which knows format {}.", format, kFormat),
                  "Use a newer Koppla.");
    return false;
  }

  [[nodiscard]] fs::path beside(const std::string& path) const { return study_.file.parent_path() / path; }

  std::vector<Override> readSettings(TableReader& table, std::string_view key) {
    std::vector<Placed<std::string>> texts;
    table.texts(key, texts);
    std::vector<Override> settings;
    for (const auto& [text, place] : texts) {
      try {
        settings.push_back(project::parseOverride(text, place));
      } catch (const core::InputError& error) {
        for (const core::Problem& problem : error.problems()) reports_.findings.mistakes.push_back(problem);
      }
    }
    return settings;
  }

  void readHead() {
    Placed<std::string> project;
    head_.text("project", project, {.required = "Write project = \"project.toml\", relative to this file."});
    study_.project = beside(project.value);
    study_.set = readSettings(head_, "set");
  }

  void readAxes() {
    std::vector<TableReader> tables = root_.tables("vary");
    if (tables.empty() && root_.sound({"vary"}))
      root_.mistake("vary", "Nothing is varied: no [[vary]].",
                    "Write [[vary]] with name = \"simulation.step\" and values = [...].");
    std::vector<Axis> axes;
    for (TableReader& table : tables) {
      Axis axis = readAxis(table);
      for (const Axis& other : axes)
        for (const std::string& name : axis.names)
          if (other.has(name)) table.mistake("name", fmt::format("'{}' is varied twice.", name), "Remove one.");
      if (table.sound({"name"}) && !axis.names.empty() && !axis.values.empty()) axes.push_back(std::move(axis));
    }
    for (TableReader& table : tables) table.finish();
    study_.grid = Grid(std::move(axes));
    constexpr double kMostRuns = 1e5;
    double runs = 1.0;
    for (const Axis& axis : study_.grid.axes()) runs *= static_cast<double>(axis.values.size());
    if (runs > kMostRuns)
      root_.mistake("vary", fmt::format("The grid has {:.3g} runs; at most {:.0f} are accepted.", runs, kMostRuns),
                    "Vary less in one study.");
  }

  Axis readAxis(TableReader& table) {
    Placed<std::string> name;
    std::vector<Placed<std::string>> names;
    table.text("name", name);
    table.texts("names", names);
    if (table.given("name") == table.given("names"))
      table.mistake("name", "A [[vary]] has either 'name' or 'names'.",
                    "Write name = \"simulation.step\", or names = [...] for settings of equal value.");
    if (table.given("name")) names.push_back(name);
    Axis axis;
    for (Placed<std::string>& each : names) axis.names.push_back(std::move(each.value));
    if (table.given("names") && names.empty()) table.mistake("names", "'names' is empty.", "Name a setting.");
    if (table.given("values"))
      readValues(table, axis);
    else
      readRange(table, axis);
    return axis;
  }

  void readValues(TableReader& table, Axis& axis) {
    const project::Array& values = table.freeArray("values");
    for (const std::string_view key : {"from", "to", "per_decade", "count"})
      if (table.given(key))
        table.mistake(key, fmt::format("'values' and '{}' exclude each other.", key), "Remove one of them.");
    for (const project::Node& node : values) {
      if (std::optional<VariedValue> value = variedValue(node))
        axis.values.push_back(std::move(*value));
      else
        reports_.findings.mistake(node.place, fmt::format("{} is no value of a setting.", project::inWords(node)),
                                  "Write numbers, words in quotes, true or false.");
    }
    if (values.empty() && table.sound({"values"})) table.mistake("values", "'values' is empty.", "Write some.");
    touchRange(table);
  }

  /// So that the keys of the other form are known when what nobody asked for is reported.
  static void touchRange(TableReader& table) {
    std::optional<Placed<double>> ignored;
    unsigned count = 0;
    for (const std::string_view key : {"from", "to"}) table.optionalReal(key, ignored);
    for (const std::string_view key : {"per_decade", "count"}) table.count(key, count, 0);
  }

  void readRange(TableReader& table, Axis& axis) {
    table.freeArray("values");
    double from = 0.0;
    double to = 0.0;
    unsigned perDecade = 0;
    unsigned count = 0;
    const std::string remedy = "Write values = [...], or from and to with per_decade or count.";
    table.real("from", from, {}, {.required = remedy});
    table.real("to", to, {}, {.required = remedy});
    table.count("per_decade", perDecade, 1);
    table.count("count", count, 2);
    if (!table.sound({"from", "to", "per_decade", "count"})) return;
    if (table.given("per_decade") == table.given("count")) {
      table.mistake("from", "A range needs either 'per_decade' or 'count'.", remedy);
      return;
    }
    const std::vector<double> values =
        table.given("count") ? linearValues(from, to, count) : readDecades(table, from, to, perDecade);
    for (const double value : values) axis.values.push_back({core::text(value), value, table.place("from")});
  }

  static std::vector<double> readDecades(TableReader& table, double from, double to, unsigned perDecade) {
    for (const auto& [key, value] : {std::pair("from", from), std::pair("to", to)}) {
      if (value <= 0.0) {
        table.mistake(key, fmt::format("'{}' is {}; decades need numbers above 0.", key, core::text(value)));
        return {};
      }
      if (decadeValues(value, value, perDecade)) continue;
      const double nearest = std::pow(10.0, std::round(std::log10(value) * perDecade) / perDecade);
      table.mistake(key,
                    fmt::format("'{}' is {}, which is not on the grid of {} values per decade.", key, core::text(value),
                                perDecade),
                    fmt::format("The nearest grid value is {:.3g}.", nearest));
      return {};
    }
    return decadeValues(from, to, perDecade).value_or(std::vector<double>{});
  }

  void readReference() {
    ReferenceSettings& settings = study_.reference;
    settings.place = reference_.place();
    if (settings.place.file.empty()) settings.place.file = study_.file.string();
    Placed<std::string> kind;
    reference_.word("kind", settings.kind, kReferenceWords,
                    {.required = "Write [reference] with kind = \"run\" and set = [...], or kind = \"file\"."});
    const bool isRun = settings.kind == ReferenceKind::run;
    settings.set = readSettings(reference_, "set");
    settings.checkSet = readSettings(reference_, "check_set");
    reference_.texts("follows", settings.follows);
    Placed<std::string> file;
    reference_.text("file", file, {.required = isRun ? "" : "Write file = \"reference.csv\", relative to this file."});
    settings.file = {beside(file.value), file.place};
    settings.betweenRows = isRun ? BetweenRows::cubic : BetweenRows::skip;
    reference_.word("between_rows", settings.betweenRows, kBetweenWords);
    refuseOthers(isRun ? std::vector<std::string_view>{"file"}
                       : std::vector<std::string_view>{"set", "check_set", "follows"});
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
    errors_.count("skip", settings.skip, 0);
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
