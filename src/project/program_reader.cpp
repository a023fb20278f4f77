#include "koppla/project/program_reader.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/file.hpp"

namespace koppla::project {

namespace {

namespace fs = std::filesystem;
using program::Command;
using program::Format;
using program::Keep;
using program::OutputSettings;
using program::PortSettings;
using program::Take;

constexpr std::array kKeepWords{Word{"all", Keep::all}, Word{"last", Keep::last}, Word{"failed", Keep::failed}};
constexpr std::array kReaderWords{Word{"csv", Format::csv}, Word{"columns", Format::columns},
                                  Word{"key-value", Format::keyValue}, Word{"block", Format::block},
                                  Word{"calculix-dat", Format::calculixDat}};
constexpr std::array kTakeWords{Word{"last", Take::last}, Word{"first", Take::first}, Word{"time", Take::atTime}};

constexpr double kMegabyte = 1e6;

class ProgramReader {
 public:
  ProgramReader(TableReader& table, fs::path folder) : table_(table), folder_(std::move(folder)) {}

  program::ProgramSettings read(const std::string& name, std::span<const Parameter> parameters) {
    settings_.name = name;
    settings_.projectFolder = folder_;
    settings_.command = command("program");
    settings_.before = command("before");
    settings_.after = command("after");
    readFiles();
    readPorts(parameters);
    table_.flag("transient", settings_.isTransient);
    readRestart();
    table_.flag("service", settings_.service);
    readLimits();
    table_.word("keep", settings_.keep, kKeepWords);
    return std::move(settings_);
  }

 private:
  Command command(std::string_view key) {
    if (!table_.given(key) || table_.isText(key)) {
      Placed<std::string> line;
      table_.text(key, line);
      return line.value;
    }
    std::vector<std::string> words;
    for (Placed<std::string>& word : texts(key)) words.push_back(std::move(word.value));
    return words;
  }

  std::vector<Placed<std::string>> texts(std::string_view key) {
    std::vector<Placed<std::string>> result;
    table_.texts(key, result);
    return result;
  }

  /// The path of a file beside the project file, which must be there.
  fs::path existing(TableReader& table, std::string_view key, const std::string& path) const {
    fs::path file = folder_ / path;
    std::error_code error;
    if (!fs::is_regular_file(file, error))
      table.mistake(key, fmt::format("There is no file {}.", file.string()),
                    "Check the path; it starts from the project file.");
    return file;
  }

  void readFiles() {
    Placed<std::string> model;
    table_.text("folder", model);
    if (!model.value.empty()) {
      settings_.folder = folder_ / model.value;
      std::error_code error;
      if (!fs::is_directory(settings_.folder, error))
        table_.mistake("folder", fmt::format("There is no folder {}.", settings_.folder.string()),
                       "Check the path; it starts from the project file.");
    }
    table_.flag("link", settings_.link, {.idle = model.value.empty() ? "there is no 'folder' to be linked" : ""});
    for (const Placed<std::string>& file : texts("include"))
      settings_.include.push_back(existing(table_, "include", file.value));
    for (const auto& [name, original] : table_.namedTexts("deck"))
      settings_.deck.push_back({name.value, existing(table_, "deck", original.value)});
  }

  void readPorts(std::span<const Parameter> parameters) {
    std::vector<TableReader> inputs = table_.namedTables("inputs");
    for (TableReader& input : inputs) {
      settings_.inputs.push_back(port(input));
      Placed<std::string> file;
      input.text("file", file);
      settings_.inputs.back().file = file.value;
    }
    std::vector<TableReader> outputs = table_.namedTables("outputs");
    for (TableReader& output : outputs) {
      OutputSettings& made = settings_.outputs.emplace_back();
      made.port = port(output);
      made.reading = reading(output);
      made.reading.unit = made.port.unit;
    }
    for (std::vector<TableReader>* tables : {&inputs, &outputs})
      for (TableReader& one : *tables) one.finish();
    for (const Parameter& parameter : parameters)
      if (!isPort(parameter.port.value)) addParameter(parameter);
  }

  [[nodiscard]] bool isPort(const std::string& name) const {
    const auto named = [&](const PortSettings& port) { return port.field.name == name; };
    return std::ranges::any_of(settings_.inputs, named) ||
           std::ranges::any_of(settings_.outputs, named, &OutputSettings::port);
  }

  /// What is no number is reported when it is set.
  void addParameter(const Parameter& parameter) {
    PortSettings& port = settings_.parameters.emplace_back();
    port.field.name = parameter.port.value;
    for (const Placed<RawValue>& raw : parameter.values) {
      const auto* real = std::get_if<double>(&raw.value);
      const auto* integer = std::get_if<std::int64_t>(&raw.value);
      port.start.push_back(real != nullptr ? *real : integer != nullptr ? static_cast<double>(*integer) : 0.0);
    }
    port.field.ids.resize(port.start.size());
    std::iota(port.field.ids.begin(), port.field.ids.end(), program::Id{1});
  }

  PortSettings port(TableReader& table) {
    PortSettings port;
    port.field.name = table.title();
    Placed<std::string> unit, description;
    table.text("unit", unit);
    table.text("description", description);
    port.unit = unit.value;
    port.description = description.value;
    table.optionalReal("nominal", port.nominal, kPositive, {});
    table.realOrReals("start", port.start);
    unsigned components = 1;
    table.count("components", components, 1);
    port.field.components = components;
    port.field.numbered = table.given("ids");
    port.field.ids = ids(table);
    return port;
  }

  std::vector<program::Id> ids(TableReader& table) {
    unsigned size = 1;
    table.count("size", size, 1);
    if (!table.given("ids")) {
      std::vector<program::Id> counted(size);
      std::iota(counted.begin(), counted.end(), program::Id{1});
      table.freeArray("ids");
      return counted;
    }
    if (table.given("size")) table.mistake("size", "'size' and 'ids' exclude each other.", "Remove one of them.");
    if (table.isText("ids")) return idsOfFile(table);
    std::vector<program::Id> result;
    for (const Node& node : table.freeArray("ids")) {
      if (const auto* id = std::get_if<std::int64_t>(&node.value))
        result.push_back(*id);
      else
        table.mistake("ids", fmt::format("An id is {}; expected is a whole number.", inWords(node)));
    }
    return result;
  }

  /// One id a line; what follows it behind a comma does not matter.
  std::vector<program::Id> idsOfFile(TableReader& table) const {
    Placed<std::string> path;
    table.text("ids", path);
    const fs::path file = existing(table, "ids", path.value);
    if (!table.sound({"ids"})) return {1};
    try {
      return program::parseIds(core::readWhole(file), file.string());
    } catch (const core::InputError& refusal) {
      for (const core::Problem& problem : refusal.problems())
        table.mistake("ids", "The ids cannot be read: " + core::text({problem.place, problem.message, {}}),
                      problem.remedy);
      return {1};
    }
  }

  program::Reading reading(TableReader& table) {
    program::Reading reading;
    Placed<std::string> file;
    table.text("file", file, {.required = "Write file = \"...\", the file that the program writes."});
    reading.file = file.value;
    table.word("reader", reading.format, kReaderWords);
    table.flag("open_end", reading.openEnd);
    constexpr unsigned kMostDigits = 17;  // more are in no double
    table.count("digits", reading.digits, 1, {}, kMostDigits);
    const bool columns = reading.format != Format::keyValue;
    const bool table2 = reading.format == Format::columns || reading.format == Format::block;
    const auto usedIf = [&](bool used) {
      return Rule{.idle = used ? ""
                               : fmt::format("the reader '{}' does not use it", wordFor(kReaderWords, reading.format))};
    };
    readColumns(table, reading);
    if (!columns && table.given("columns")) table.mistake("columns", "Key and value have no columns.", "Remove it.");
    readIdColumn(table, reading, table2);
    Placed<std::string> separator, key, begin, end, quantity, set;
    table.text("separator", separator, usedIf(table2));
    if (separator.value.size() > 1)
      table.mistake("separator", fmt::format("'{}' is no separator of columns.", separator.value),
                    "Write one character.");
    if (separator.value.size() == 1) reading.separator = separator.value.front();
    table.text("key", key, usedIf(!columns));
    const bool block = reading.format == Format::block;
    table.text("begin", begin,
               block ? Rule{.required = "Write begin = \"...\", a regular expression."} : usedIf(false));
    table.text("end", end, usedIf(block));
    const bool calculix = reading.format == Format::calculixDat;
    table.text("quantity", quantity,
               calculix ? Rule{.required = "Write quantity = \"displacements\", as in the file."} : usedIf(false));
    table.text("set", set, usedIf(calculix));
    table.word("take", reading.take, kTakeWords, usedIf(calculix || block || !columns));
    if (reading.take == Take::atTime && !calculix)
      table.mistake("take", "Only tables of CalculiX tell their time.", "Write take = \"last\" or \"first\".");
    unsigned point = 1;
    table.count("point", point, 1, usedIf(calculix));
    reading.point = point;
    reading.key = key.value;
    reading.begin = begin.value;
    reading.end = end.value;
    reading.quantity = quantity.value;
    reading.set = set.value;
    return reading;
  }

  static std::optional<program::Column> column(TableReader& table, std::string_view key, const Node& node) {
    if (const auto* name = std::get_if<std::string>(&node.value)) return *name;
    const auto* position = std::get_if<std::int64_t>(&node.value);
    if (position != nullptr && *position >= 1) return static_cast<std::size_t>(*position);
    table.mistake(key, fmt::format("A column is {}.", inWords(node)), "Write its name, or its position from 1.");
    return std::nullopt;
  }

  static void readColumns(TableReader& table, program::Reading& reading) {
    for (const Node& node : table.freeArray("columns"))
      if (std::optional<program::Column> found = column(table, "columns", node))
        reading.columns.push_back(std::move(*found));
  }

  static void readIdColumn(TableReader& table, program::Reading& reading, bool used) {
    const Rule rule{.idle = used ? "" : "the reader knows where its ids are"};
    if (table.isText("id_column")) {
      Placed<std::string> name;
      table.text("id_column", name, rule);
      reading.idColumn = name.value;
      return;
    }
    unsigned position = 1;
    table.count("id_column", position, 1, rule);
    if (table.given("id_column")) reading.idColumn = std::size_t{position};
  }

  void readRestart() {
    std::vector<TableReader> tables = table_.tables("restart_files");
    for (TableReader& table : tables) {
      Placed<std::string> write, read, start;
      table.text("write", write, {.required = "Write write = \"...\", the file that the program leaves."});
      table.text("read", read);
      table.text("start", start);
      settings_.restart.push_back(
          {write.value, read.value, start.value.empty() ? fs::path() : existing(table, "start", start.value)});
    }
    for (TableReader& table : tables) table.finish();
    if (!tables.empty() && !settings_.isTransient)
      table_.mistake("restart_files", "A static program has no steps to begin from files of the step before.",
                     "Write transient = true, or remove them.");
  }

  void readLimits() {
    table_.real("time_limit", settings_.limits.seconds, kPositive);
    settings_.limits.memoryBytes = megabytes("memory_limit");
    settings_.limits.fileBytes = megabytes("file_size_limit");
    table_.count("retries", settings_.retries, 0);
    const Array& statuses = table_.freeArray("ok_status");
    if (table_.given("ok_status")) settings_.okStatus.clear();
    for (const Node& node : statuses) {
      const auto* status = std::get_if<std::int64_t>(&node.value);
      if (status != nullptr && *status >= 0 && *status <= 255)
        settings_.okStatus.push_back(static_cast<int>(*status));
      else
        table_.mistake("ok_status", fmt::format("An exit status is {}.", inWords(node)), "They go from 0 to 255.");
    }
    for (Placed<std::string>& pattern : texts("failure_patterns"))
      settings_.failurePatterns.push_back(std::move(pattern.value));
    for (const Placed<std::string>& file : texts("failure_files")) settings_.failureFiles.emplace_back(file.value);
  }

  std::size_t megabytes(std::string_view key) {
    double size = 0.0;
    table_.real(key, size, kPositive);
    constexpr double kMost = 1e12;  // MB
    return static_cast<std::size_t>(std::min(size, kMost) * kMegabyte);
  }

  TableReader& table_;
  fs::path folder_;
  program::ProgramSettings settings_;
};

}  // namespace

program::ProgramSettings readProgram(TableReader& table, const std::string& name, std::span<const Parameter> parameters,
                                     const fs::path& folder) {
  return ProgramReader(table, folder).read(name, parameters);
}

}  // namespace koppla::project
