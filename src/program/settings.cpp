#include "koppla/program/settings.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <regex>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"

namespace koppla::program {

namespace fs = std::filesystem;

namespace {

Field scalar(const std::string& name) {
  return {name, {1}};
}

bool hasFolder(const std::string& program) {
  return program.find('/') != std::string::npos;
}

/// Whether a relative path will be in the folder of the call.
bool isBrought(const fs::path& path, const ProgramSettings& settings) {
  const fs::path plain = path.lexically_normal();
  if (!settings.folder.empty() && fs::exists(settings.folder / plain)) return true;
  return std::ranges::any_of(settings.include, [&](const fs::path& file) { return file.filename() == plain; }) ||
         std::ranges::any_of(settings.deck, [&](const DeckFile& file) { return file.name == plain; });
}

bool staysInside(const fs::path& name) {
  const fs::path plain = name.lexically_normal();
  return !plain.empty() && plain.is_relative() && *plain.begin() != ".." && plain != "." && plain.has_filename();
}

class Checker {
 public:
  explicit Checker(const ProgramSettings& settings) : settings_(settings) {}

  void check() {
    checkCommand(settings_.command, "command");
    if (!isEmpty(settings_.before)) checkCommand(settings_.before, "'before'");
    if (!isEmpty(settings_.after)) checkCommand(settings_.after, "'after'");
    checkFiles();
    checkPorts();
    checkDecks();
    if (settings_.retries > 0 && settings_.remembers())
      mistake("A service that keeps its state to itself has lost it when a call fails: there is nothing to try again.",
              "Remove 'retries', or let it write restart_files.");
    for (const std::string& pattern : settings_.failurePatterns) collect([&] { checkPattern(pattern); });
    if (!problems_.empty()) throw core::InputError(std::move(problems_));
  }

 private:
  void mistake(std::string message, std::string remedy) {
    problems_.push_back({{}, std::move(message), std::move(remedy)});
  }

  void collect(const std::function<void()>& action) {
    try {
      action();
    } catch (const core::InputError& refusal) {
      problems_.insert(problems_.end(), refusal.problems().begin(), refusal.problems().end());
    }
  }

  void checkCommand(const Command& command, const std::string& what) {
    if (isEmpty(command)) return mistake("There is no " + what + ".", "Write the program and its arguments.");
    const auto* const words = std::get_if<std::vector<std::string>>(&command);
    if (words == nullptr) return;  // a line for the shell may be anything
    const std::string program = std::get<std::vector<std::string>>(located(command, settings_)).front();
    const bool found = hasFolder(words->front())
                           ? isBrought(words->front(), settings_) || ::access(program.c_str(), X_OK) == 0
                           : !findInPath(program).empty();
    if (!found)
      mistake(fmt::format("There is no program '{}' that may be executed.", words->front()),
              hasFolder(words->front())
                  ? "Give its path from the project file, or bring it with 'include' or 'folder'."
                  : "It is looked for in PATH; write ./ before the name of a program beside the project file.");
  }

  void checkFiles() {
    const auto exists = [this](const fs::path& file, const std::string& what) {
      if (!fs::is_regular_file(file))
        mistake(fmt::format("There is no file {} {}.", file.string(), what),
                "Check the path; it starts from the project file.");
    };
    for (const fs::path& file : settings_.include) exists(file, "to be included");
    for (const DeckFile& file : settings_.deck) {
      exists(file.original, "to be the template of " + file.name.string());
      checkName(file.name, "An input file");
    }
    if (!settings_.folder.empty() && !fs::is_directory(settings_.folder))
      mistake(fmt::format("There is no folder {}.", settings_.folder.string()),
              "Check the path; it starts from the project file.");
    for (const RestartFile& file : settings_.restart) {
      if (!file.start.empty()) exists(file.start, "to start from");
      checkName(file.write, "A restart file");
      if (!file.read.empty()) checkName(file.read, "A restart file");
    }
  }

  void checkName(const fs::path& name, const std::string& what) {
    const fs::path plain = name.lexically_normal();
    if (settings_.link && plain.has_parent_path() && staysInside(name) && fs::exists(settings_.folder / *plain.begin()))
      mistake(fmt::format("{} cannot be {}: that folder is a link to {}.", what, name.string(),
                          (settings_.folder / *plain.begin()).string()),
              "Remove 'link', or name a file outside of the linked folders.");
    if (!staysInside(name))
      mistake(fmt::format("{} cannot have the name '{}'.", what, name.string()),
              "Name a file in the folder of the call, without leading / or '..'.");
  }

  void checkPorts() {
    std::set<std::string> names(kCallNames.begin(), kCallNames.end());
    std::set<fs::path> made;
    for (const DeckFile& file : settings_.deck) made.insert(file.name.lexically_normal());
    for (const std::vector<PortSettings>* ports : {&settings_.inputs, &settings_.parameters})
      for (const PortSettings& port : *ports) {
        checkPort(port, names);
        if (port.file.empty()) continue;
        checkName(port.file, "The file of an input");
        if (!made.insert(port.file.lexically_normal()).second)
          mistake(fmt::format("The file {} is made twice.", port.file.string()), "Give every input a file of its own.");
      }
    for (const OutputSettings& output : settings_.outputs) {
      checkPort(output.port, names);
      checkName(output.reading.file, "The file of an output");
      if (made.contains(output.reading.file.lexically_normal()))
        mistake(fmt::format("The output '{}' is read from {}, which is an input file.", output.port.field.name,
                            output.reading.file.string()),
                "Name the file that the program writes.");
      collect([&] { program::check(output.reading, output.port.field); });
    }
    if (settings_.outputs.empty()) mistake("The program has no outputs.", "Declare what is read from its files.");
  }

  void checkPort(const PortSettings& port, std::set<std::string>& names) {
    const Field& field = port.field;
    if (!names.insert(field.name).second)
      mistake(fmt::format("The name '{}' is taken.", field.name),
              "Ports have different names, other than t0, t1, step and iteration.");
    if (field.ids.empty() || field.components == 0)
      mistake(fmt::format("'{}' has no values.", field.name), "Give it size, ids or components above 0.");
    if (port.start.size() > 1 && port.start.size() != field.size())
      mistake(fmt::format("Start values of '{}': {}; it has {}.", field.name, port.start.size(), field.size()),
              "Give one for all, or one each.");
    std::vector<Id> sorted = field.ids;
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
      mistake(fmt::format("'{}' has the id {} twice.", field.name, *twice), "Remove one of the two.");
  }

  void checkDecks() {
    const std::vector<Field> fields = deckFields(settings_);
    for (const DeckFile& file : settings_.deck)
      if (fs::is_regular_file(file.original))
        collect([&] { Deck(core::readWhole(file.original), file.original.string(), fields); });
  }

  static void checkPattern(const std::string& pattern) {
    try {
      const std::regex compiled(pattern);
    } catch (const std::regex_error& error) {
      throw core::InputError(fmt::format("'{}' is no regular expression: {}.", pattern, error.what()),
                             "Write one as for grep -E.");
    }
  }

  const ProgramSettings& settings_;
  std::vector<core::Problem> problems_;
};

}  // namespace

std::vector<Field> deckFields(const ProgramSettings& settings) {
  std::vector<Field> fields;
  for (const PortSettings& port : settings.inputs) fields.push_back(port.field);
  for (const PortSettings& port : settings.parameters) fields.push_back(port.field);
  for (const std::string& name : kCallNames) fields.push_back(scalar(name));
  return fields;
}

Command located(const Command& command, const ProgramSettings& settings) {
  const auto* const words = std::get_if<std::vector<std::string>>(&command);
  if (words == nullptr || words->empty() || !hasFolder(words->front()) || isBrought(words->front(), settings))
    return command;
  std::vector<std::string> result = *words;
  result.front() = fs::absolute(settings.projectFolder / result.front()).lexically_normal().string();
  return result;
}

fs::path findInPath(const std::string& program) {
  const char* const variable = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  std::string_view rest = variable == nullptr ? "/usr/bin:/bin" : variable;
  while (true) {
    const std::size_t colon = rest.find(':');
    fs::path file = fs::path(rest.substr(0, colon)) / program;
    if (::access(file.c_str(), X_OK) == 0) return file;
    if (colon == rest.npos) return {};
    rest.remove_prefix(colon + 1);
  }
}

ProgramSettings withAbsolutePaths(ProgramSettings settings) {
  const auto settle = [](fs::path& path) {
    if (!path.empty()) path = fs::absolute(path);
  };
  // A project file in the working folder has none in its path.
  settings.projectFolder = settings.projectFolder.empty() ? fs::current_path() : fs::absolute(settings.projectFolder);
  settle(settings.workFolder);
  settle(settings.folder);
  for (fs::path& file : settings.include) settle(file);
  for (DeckFile& file : settings.deck) {
    if (file.shown.empty()) file.shown = file.original.string();
    settle(file.original);
  }
  for (RestartFile& file : settings.restart) settle(file.start);
  return settings;
}

void check(const ProgramSettings& settings) {
  Checker(settings).check();
}

}  // namespace koppla::program
