#include "koppla/project/reader.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "koppla/project/acceleration_reader.hpp"
#include "koppla/project/check.hpp"
#include "koppla/project/condition_reader.hpp"
#include "koppla/project/document.hpp"
#include "koppla/project/mapping_reader.hpp"
#include "koppla/project/overrides.hpp"
#include "koppla/project/parameters.hpp"
#include "koppla/project/reference_reader.hpp"
#include "koppla/project/settings_reader.hpp"
#include "koppla/project/subsystem_reader.hpp"
#include "koppla/project/table_reader.hpp"
#include "koppla/run/preparation.hpp"

namespace koppla::project {

namespace {

namespace fs = std::filesystem;

constexpr std::array kOrderWords{Word{"fastest-first", OrderBy::fastestFirst},
                                 Word{"slowest-first", OrderBy::slowestFirst}};

constexpr std::array kFormatWords{Word{"csv", results::Format::csv}, Word{"hdf5", results::Format::hdf5}};

/// False if the file belongs to a later Koppla, whose options we cannot judge.
bool readFormat(TableReader& root) {
  unsigned format = kFormat;
  root.count("format", format, 1, {.required = "Write format = 1 in the first line."});
  if (format <= kFormat) return true;
  root.mistake("format",
               "The format " + std::to_string(format) + " is newer than this Koppla, which knows format " +
                   std::to_string(kFormat) + ".",
               "Use a newer Koppla.");
  return false;
}

std::optional<PortReference> readReference(TableReader& table, std::string_view key) {
  Placed<std::string> typed;
  table.text(key, typed, {.required = "Write " + std::string(key) + " = \"subsystem.port\"."});
  if (!table.sound({key})) return std::nullopt;
  return parseReference(typed);
}

/// Whether a subsystem names the one that it is inside.
bool hasInside(const Table& document) {
  const auto subsystems = std::ranges::find(document, "subsystems", &Entry::key);
  const Array* const list = subsystems == document.end() ? nullptr : std::get_if<Array>(&subsystems->node.value);
  return list != nullptr && std::ranges::any_of(*list, [](const Node& node) {
           const Table* const table = std::get_if<Table>(&node.value);
           return table != nullptr && std::ranges::find(*table, "inside", &Entry::key) != table->end();
         });
}

/// Reads a document part by part. What cannot be read is reported and left out.
class ProjectReader {
 public:
  ProjectReader(const Table& document, const fs::path& file)
      : root_(&document, {file.string(), 0, 0}, "the project file", reports_),
        simulation_(root_.table("simulation")),
        algorithm_(root_.table("algorithm")),
        stepControl_(root_.table("step_control")),
        acceleration_(root_.table("acceleration")),
        convergence_(root_.tables("convergence")),
        results_(root_.table("results")),
        reference_(root_.table("reference")),
        hasInside_(hasInside(document)) {
    project_.file = file;
  }

  Reading read(std::span<const Override> parameters) && {
    if (!readFormat(root_)) return {std::move(project_), std::move(reports_.findings)};
    project_.settings = readSettings({simulation_, algorithm_, stepControl_, acceleration_, convergence_, hasInside_});
    project_.factorPlaces = readFieldFactors(acceleration_, project_.settings.algorithm, algorithm_.sound({"kind"}));
    project_.incrementPlaces = readIncrements(algorithm_, project_.settings.algorithm);
    for (const TableReader& table : convergence_) project_.convergencePlaces.push_back(table.place());
    readOrder();
    readResults();
    readSubsystems();
    readConnections();
    readConditions();
    readExactSolution();
    for (TableReader* table :
         {&root_, &simulation_, &algorithm_, &stepControl_, &acceleration_, &results_, &reference_})
      table->finish();
    for (TableReader& table : convergence_) table.finish();
    applyToParameters(project_, parameters, optionNames(), reports_.findings);
    return {std::move(project_), std::move(reports_.findings)};
  }

 private:
  /// Names, or the rule that the order follows.
  void readOrder() {
    if (algorithm_.isText("order")) {
      algorithm_.word("order", project_.orderBy.value, kOrderWords);
      project_.orderBy.place = algorithm_.place("order");
    } else {
      algorithm_.texts("order", project_.order);
    }
    const auto kind = project_.settings.algorithm.kind;
    algorithm_.text(
        "master", project_.master,
        {.idle = kind == coupling::AlgorithmKind::masterSlave || kind == coupling::AlgorithmKind::modelCoupling
                     ? ""
                     : "the algorithm '" + std::string(wordFor(kAlgorithmWords, kind)) + "' has no master"});
  }

  [[nodiscard]] fs::path besideProject(const std::string& path) const { return project_.file.parent_path() / path; }

  void readResults() {
    Placed<std::string> folder{project_.file.stem().string() + ".run", {}};
    results_.text("folder", folder);
    if (folder.value.empty()) results_.mistake("folder", "The folder for results has no name.");
    project_.resultsFolder = besideProject(folder.value);
    readFormats();
    results_.real("interval", project_.settings.outputInterval, kNotNegative);
    std::vector<Placed<std::string>> iterated;
    results_.texts("iterations", iterated);
    project_.settings.recordsIterations = results_.given("iterations");
    for (Placed<std::string>& pattern : iterated) {
      project_.settings.iterationVariables.push_back(std::move(pattern.value));
      project_.iterationPlaces.push_back(std::move(pattern.place));
    }
    std::vector<Placed<std::string>> patterns;
    results_.texts("variables", patterns);
    if (patterns.empty() && results_.given("variables") && results_.sound({"variables"}))
      results_.mistake("variables", "'variables' in [results] is an empty array: nothing would be recorded.",
                       "Name some, or leave it out to record all outputs.");
    for (Placed<std::string>& pattern : patterns) {
      project_.settings.variables.push_back(std::move(pattern.value));
      project_.variablePlaces.push_back(std::move(pattern.place));
    }
  }

  /// One word, or several in an array.
  void readFormats() {
    std::vector<Placed<std::string>> typed;
    if (results_.isText("format"))
      results_.text("format", typed.emplace_back());
    else
      results_.texts("format", typed);
    if (!results_.given("format") || !results_.sound({"format"})) return;
    project_.resultsFormats.clear();
    for (const Placed<std::string>& word : typed) {
      const auto* const known = std::ranges::find(kFormatWords, word.value, &Word<results::Format>::text);
      if (known == kFormatWords.end()) {
        results_.mistake("format", "There is no format '" + word.value + "' of results.",
                         "Choose \"csv\", \"hdf5\" or both.");
        return;
      }
      if (std::ranges::find(project_.resultsFormats, known->value) == project_.resultsFormats.end())
        project_.resultsFormats.push_back(known->value);
    }
    if (typed.empty())
      results_.mistake("format", "No format of results is given.", "Choose \"csv\", \"hdf5\" or both.");
  }

  void readSubsystems() {
    std::vector<TableReader> tables = root_.tables("subsystems");
    if (tables.empty() && root_.sound({"subsystems"}))
      root_.mistake("subsystems", "There is nothing to simulate: no [[subsystems]].",
                    "Write [[subsystems]] with a name and the path of an FMU or the word of a model.");
    for (TableReader& table : tables) {
      auto entry = readSubsystem(table, project_.file.parent_path(), reports_.findings);
      if (entry && !entry->name.value.empty()) {
        project_.subsystems.push_back(std::move(*entry));
        continue;
      }
      Placed<std::string> name;
      if (!entry && table.given("name") && table.sound({"name"})) table.text("name", name);
      if (name.value.empty())
        project_.namesAreMissing = true;
      else
        project_.unreadSubsystems.push_back(name.value);
      if (entry) project_.subsystems.push_back(std::move(*entry));
    }
    for (TableReader& table : tables) table.finish();
  }

  void readConnections() {
    std::vector<TableReader> tables = root_.tables("connections");
    std::vector<TableReader> mappings;
    for (TableReader& table : tables) {
      std::optional<PortReference> from = readReference(table, "from");
      std::optional<PortReference> to = readReference(table, "to");
      std::optional<Placed<double>> scale;
      std::optional<Placed<double>> offset;
      table.optionalReal("scale", scale);
      table.optionalReal("offset", offset);
      std::optional<MappingEntry> mapping;
      if (table.given("mapping")) {
        mappings.push_back(table.table("mapping"));
        mapping = readMapping(mappings.back(), project_.file.parent_path());
      } else {
        table.table("mapping");
      }
      if (from && to)
        project_.connections.push_back({std::move(*from), std::move(*to), scale, offset, std::move(mapping)});
    }
    for (TableReader& mapping : mappings) mapping.finish();
    for (TableReader& table : tables) table.finish();
  }

  void readConditions() {
    std::vector<TableReader> tables = root_.tables("conditions");
    for (TableReader& table : tables)
      if (auto entry = readCondition(table)) {
        // The most stable one there; elsewhere all are alike, and a law inside a subsystem is solved with it.
        if (project_.settings.algorithm.kind == coupling::AlgorithmKind::semiImplicit && !entry->decomposed)
          entry->decomposition.value = Decomposition::forceForce;
        project_.conditions.push_back(std::move(*entry));
      }
    for (TableReader& table : tables) table.finish();
  }

  void readExactSolution() {
    if (root_.given("reference")) project_.reference = readReferenceEntry(reference_);
    const run::Settings& settings = project_.settings;
    if (settings.algorithm.startUp == coupling::StartUp::analytic && !root_.given("reference") &&
        run::highestDegree(settings.algorithm, settings.stepControl) > 0)
      algorithm_.mistake("start_up", "An analytic start needs an exact solution.",
                         "Write [reference], or leave start_up out.");
  }

  /// The names of all options as the command line spells them.
  [[nodiscard]] std::vector<std::string> optionNames() const {
    std::vector<std::string> names;
    for (const auto& [section, key] : reports_.options)
      for (const std::string_view known : kSections)
        if (section == "[" + std::string(known) + "]") names.push_back(std::string(known) + "." + key);
    return names;
  }

  Reports reports_;
  TableReader root_;
  TableReader simulation_;
  TableReader algorithm_;
  TableReader stepControl_;
  TableReader acceleration_;
  std::vector<TableReader> convergence_;
  TableReader results_;
  TableReader reference_;
  bool hasInside_;
  Project project_;
};

}  // namespace

Reading parse(std::string_view text, const fs::path& file, std::span<const Override> overrides) {
  Reading reading;
  try {
    Table document = parseToml(text, file.string());
    const std::vector<Override> parameters = applyToEntries(document, applyToSections(document, overrides, kSections));
    reading = ProjectReader(document, file).read(parameters);
    reading.findings.append(checkEntries(reading.project));
  } catch (const core::InputError& error) {
    reading.project.file = file;
    reading.findings.mistakes = error.problems();
  }
  reading.findings.sort(file.string());
  return reading;
}

}  // namespace koppla::project
