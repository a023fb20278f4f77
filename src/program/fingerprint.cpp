#include "koppla/program/fingerprint.hpp"

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "koppla/core/file.hpp"
#include "koppla/core/hash.hpp"

namespace koppla::program {

namespace fs = std::filesystem;

namespace {

using core::Hash;

void addFile(Hash& hash, const fs::path& file) {
  constexpr std::uintmax_t kLarge = 1U << 20U;
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) return;
  hash.add(size);
  if (size <= kLarge)
    hash.add(core::readWhole(file));
  else
    hash.add(static_cast<std::uint64_t>(fs::last_write_time(file, error).time_since_epoch().count()));
}

/// Words as a shell takes them: quotes join what stands in and beside them.
std::vector<std::string> wordsOf(std::string_view command) {
  constexpr std::string_view kSeparators = " \t\n()<>|;&";
  std::vector<std::string> words(1);
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (c == '\\' && quote != '\'' && i + 1 < command.size())
      words.back() += command[++i];
    else if (c == quote)
      quote = 0;
    else if (quote == 0 && (c == '\'' || c == '"'))
      quote = c;
    else if (quote == 0 && kSeparators.find(c) != std::string_view::npos)
      words.emplace_back();
    else
      words.back() += c;
  }
  return words;
}

/// Files that a command names; in words of several words (`bash -c "..."`) a command of its own.
void addNamedFiles(Hash& hash, std::string_view command, const fs::path& project) {
  for (const std::string& word : wordsOf(command)) {
    if (word.empty()) continue;
    std::error_code error;
    const std::string value = word.substr(word.find('=') + 1);      // of --option=file
    for (const fs::path& file : {project / word, project / value})  // an absolute one stays as it is
      if (fs::is_regular_file(file, error)) addFile(hash, file);
    if (word != command && word.find_first_of(" \t\n'\"") != std::string::npos) addNamedFiles(hash, word, project);
  }
}

/// A script of the project is a part of the command that names it.
void addCommand(Hash& hash, const std::string& command, const fs::path& project) {
  hash.add(command);
  static const std::regex kProject("\\$(KOPPLA_PROJECT|\\{KOPPLA_PROJECT[^}]*\\})");
  addNamedFiles(hash, std::regex_replace(command, kProject, project.string()), project);
}

void addPort(Hash& hash, const PortSettings& port) {
  hash.add(port.field.name).add(port.file.string()).add(std::uint64_t{port.field.components});
  for (const Id id : port.field.ids) hash.add(static_cast<std::uint64_t>(id));
}

void addReading(Hash& hash, const Reading& reading) {
  const auto add = [&hash](const auto& column) {
    if constexpr (std::is_same_v<std::decay_t<decltype(column)>, std::monostate>)
      hash.add(std::uint64_t{0});
    else
      hash.add(column);
  };
  for (const Column& column : reading.columns) std::visit(add, column);
  std::visit(add, reading.idColumn);
  hash.add(static_cast<std::uint64_t>(reading.format)).add(static_cast<std::uint64_t>(reading.take));
  hash.add(static_cast<std::uint64_t>(reading.separator)).add(std::uint64_t{reading.point});
  for (const std::string& text :
       {reading.file.string(), reading.key, reading.begin, reading.end, reading.quantity, reading.set})
    hash.add(text);
}

/// All files, also of folders that links lead to, in an order that does not depend on the file system.
void addFolder(Hash& hash, const fs::path& folder) {
  std::vector<fs::path> files;
  std::set<fs::path> linked{fs::canonical(folder)};  // a link may lead back to where it is
  fs::recursive_directory_iterator entry(folder, fs::directory_options::follow_directory_symlink);
  for (; entry != fs::recursive_directory_iterator(); ++entry) {
    if (entry->is_regular_file()) files.push_back(entry->path());
    if (entry->is_symlink() && entry->is_directory() && !linked.insert(fs::canonical(entry->path())).second)
      entry.disable_recursion_pending();
  }
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    hash.add(file.lexically_relative(folder).string());
    addFile(hash, file);
  }
}

}  // namespace

std::string fingerprint(const ProgramSettings& settings) {
  Hash hash;
  // A project file in the working folder has none in its path.
  const fs::path project = settings.projectFolder.empty() ? fs::current_path() : fs::absolute(settings.projectFolder);
  for (const Command* command : {&settings.before, &settings.command, &settings.after})
    addCommand(hash, text(*command), project);
  for (const PortSettings& input : settings.inputs) addPort(hash, input);
  for (const OutputSettings& output : settings.outputs) {
    addPort(hash, output.port);
    addReading(hash, output.reading);
  }
  for (const DeckFile& deck : settings.deck) {
    hash.add(deck.name.string());
    addFile(hash, deck.original);
  }
  for (const fs::path& file : settings.include) addFile(hash.add(file.filename().string()), file);
  if (!settings.folder.empty()) addFolder(hash, settings.folder);
  for (const RestartFile& file : settings.restart)
    if (!file.start.empty()) addFile(hash, file.start);
  return fmt::format("{:016x}", hash.value());
}

}  // namespace koppla::program
