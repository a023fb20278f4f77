#include "koppla/program/fingerprint.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <glob.h>
#include <unistd.h>

#include "koppla/core/file.hpp"
#include "koppla/core/hash.hpp"

namespace koppla::program {

namespace fs = std::filesystem;

namespace {

using core::Hash;

enum class By : std::uint8_t { content, time };

/// Large files go by size and time. Folders and what is not there add nothing.
void addFile(Hash& hash, const fs::path& file, By by = By::content) {
  constexpr std::uintmax_t kLarge = 1U << 20U;
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) return;
  hash.add(size);
  if (size <= kLarge && by == By::content)
    hash.add(core::readWhole(file));
  else
    hash.add(static_cast<std::uint64_t>(fs::last_write_time(file, error).time_since_epoch().count()));
}

/// One that a command names, whether we may read it or not.
void addNamedFile(Hash& hash, const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return;
  addFile(hash, file, ::access(file.c_str(), R_OK) == 0 ? By::content : By::time);
}

/// A program that PATH finds. Those of the system are many and change with its packages, whose files have their times.
void addProgramInPath(Hash& hash, const std::string& name) {
  if (name.find('/') != std::string::npos) return;
  const fs::path file = findInPath(name);
  if (!file.is_absolute()) return;
  static const std::set<fs::path> kSystem{"/bin", "/sbin", "/usr/bin", "/usr/sbin"};
  if (kSystem.contains(file.parent_path().lexically_normal()))
    addFile(hash, file, By::time);
  else
    addNamedFile(hash, file);
}

constexpr const char* kPythonCache = "__pycache__";  // follows from its sources

/// All files, also of folders that links lead to, in an order that does not depend on the file system.
void addFolder(Hash& hash, const fs::path& folder, void (*add)(Hash&, const fs::path&)) {
  std::vector<fs::path> files;
  std::set<fs::path> linked{fs::canonical(folder)};  // a link may lead back to where it is
  fs::recursive_directory_iterator entry(folder, fs::directory_options::follow_directory_symlink);
  for (; entry != fs::recursive_directory_iterator(); ++entry) {
    if (entry->is_regular_file()) files.push_back(entry->path());
    const bool leadsBack =
        entry->is_symlink() && entry->is_directory() && !linked.insert(fs::canonical(entry->path())).second;
    if (leadsBack || entry->path().filename() == kPythonCache) entry.disable_recursion_pending();
  }
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    hash.add(file.lexically_relative(folder).string());
    add(hash, file);
  }
}

/// A command between separators of the shell; what it writes to behind '>' is left out.
using SimpleCommand = std::vector<std::string>;

/// As a shell takes them: quotes join what stands in and beside them.
std::vector<SimpleCommand> simpleCommandsOf(std::string_view line) {
  constexpr std::string_view kBetweenWords = " \t<>";
  constexpr std::string_view kBetweenCommands = "\n()|;&";
  std::vector<SimpleCommand> commands(1);
  std::string word;
  bool written = false;  // the word is a file that is written to
  const auto endWord = [&] {
    if (word.empty()) return;
    if (!std::exchange(written, false)) commands.back().push_back(word);
    word.clear();
  };
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      word += line[++i];
    } else if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (quote == 0 && kBetweenWords.find(c) != std::string_view::npos) {
      endWord();
      if (c == '>') written = true;
    } else if (quote == 0 && kBetweenCommands.find(c) != std::string_view::npos) {
      endWord();
      written = false;
      commands.emplace_back();
    } else {
      word += c;
    }
  }
  endWord();
  return commands;
}

/// Adds the files that commands name, as far as that can be seen without running them.
class NamedFiles {
 public:
  NamedFiles(Hash& hash, fs::path project) : hash_(hash), project_(std::move(project)) {}

  void addLine(std::string_view line) {
    for (const SimpleCommand& command : simpleCommandsOf(line)) add(command);
  }

  void add(const SimpleCommand& given) {
    SimpleCommand words;
    for (const std::string& word : given) {
      if (words.empty() && (word == "export" || word == "readonly")) continue;  // variables follow
      words.push_back(expanded(word));
      if (const std::size_t equals = word.find('='); words.size() == 1 && isName(word.substr(0, equals)) &&
                                                     equals != std::string::npos) {  // a variable of the shell
        addVariable(word.substr(0, equals), expanded(word.substr(equals + 1)));
        words.clear();
      }
      // Several words in one (`bash -c "..."`) are a line of their own, and shorter than what they stand in.
      if (word.find_first_of(" \t\n'\"") != std::string::npos) addLine(word);
    }
    if (words.empty()) return;
    const std::string name = fs::path(words.front()).filename().string();
    if (name == "cd" && words.size() > 1) return enter(words.back());
    const bool copies = name == "cp" || name == "ln" || name == "rsync";
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool isTarget = copies && i > 0 && i + 1 == words.size();
      if (!isTarget) addWord(words[i], copies);
    }
  }

 private:
  static bool isName(std::string_view text) {
    return !text.empty() && text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") ==
                                std::string_view::npos;
  }

  /// With the values of variables and of '~'; those that nobody knows stay.
  [[nodiscard]] std::string expanded(const std::string& word) const {
    static const std::regex kVariable("\\$(?:(\\w+)|\\{(\\w+)[^}]*\\})");
    std::string result = word.starts_with("~/") ? valueOf("HOME").value_or("~") : std::string();
    auto from = word.begin() + (word.starts_with("~/") ? 1 : 0);
    for (std::sregex_iterator found(from, word.end(), kVariable), none; found != none; ++found) {
      const std::smatch& match = *found;
      result.append(from, match[0].first);
      result += valueOf(match[1].matched ? match[1].str() : match[2].str()).value_or(match[0].str());
      from = match[0].second;
    }
    return result.append(from, word.end());
  }

  [[nodiscard]] std::optional<std::string> valueOf(const std::string& name) const {
    if (name == "KOPPLA_PROJECT") return project_.string();
    if (const auto own = variables_.find(name); own != variables_.end()) return own->second;
    if (name == "PWD" || name == "OLDPWD") return std::nullopt;  // ours are not those of the call
    const char* const value = std::getenv(name.c_str());         // NOLINT(concurrency-mt-unsafe): nobody sets it
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  }

  /// Folders of the project in PYTHONPATH, PATH and the like are searched by whoever comes next.
  void addVariable(const std::string& name, const std::string& value) {
    variables_[name] = value;
    addWord(value, false);
    if (!name.ends_with("PATH")) return;
    for (std::size_t begin = 0; begin <= value.size();) {
      const std::size_t end = std::min(value.find(':', begin), value.size());
      const fs::path folder = fs::path(value.substr(begin, end - begin)).lexically_normal();
      if (isInside(folder, project_)) addNamedFolder(folder);
      begin = end + 1;
    }
  }

  /// Words behind `cd` may be files in there.
  void enter(const fs::path& folder) {
    std::error_code error;
    if (folder.is_absolute() && fs::is_directory(folder, error)) entered_.push_back(folder);
  }

  void addWord(const std::string& word, bool copied) {
    addProgramInPath(hash_, word);
    addPlaces(word, copied);
    if (const std::size_t equals = word.find('='); equals != std::string::npos)  // --option=file
      addPlaces(word.substr(equals + 1), copied);
    if (word.size() > 2 && word.front() == '-' && word[1] != '-') addPlaces(word.substr(2), copied);  // -ffile
  }

  void addPlaces(const fs::path& path, bool copied) {
    if (path.is_absolute()) return addPlace(path, copied);
    addNamedFile(hash_, project_ / path);  // folders and patterns of that name are in the folder of the call
    for (const fs::path& folder : entered_) addPlace(folder / path, copied);
  }

  void addPlace(const fs::path& place, bool copied) {
    std::error_code error;
    if (fs::is_regular_file(place, error)) return addNamedFile(hash_, place);
    if (copied && fs::is_directory(place, error)) return addNamedFolder(place);
    if (place.native().find_first_of("*?[") != std::string::npos) addMatches(place, copied);
  }

  void addMatches(const fs::path& pattern, bool copied) {
    glob_t found{};
    if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
      const std::vector<fs::path> places(found.gl_pathv, found.gl_pathv + found.gl_pathc);  // sorted
      for (const fs::path& place : places) {
        if (isOurs(place) || place.filename() == kPythonCache) continue;
        hash_.add(place.filename().string());
        addNamedFile(hash_, place);
        if (copied) addNamedFolder(place);
      }
    }
    ::globfree(&found);
  }

  /// Not where it holds the project: runs and studies write there.
  void addNamedFolder(const fs::path& folder) {
    std::error_code error;
    if (!fs::is_directory(folder, error) || isInside(project_, folder) || isOurs(folder)) return;
    try {
      addFolder(hash_, folder, addNamedFile);
    } catch (const fs::filesystem_error&) {  // who may not look into it is told by the command itself
    }
  }

  /// The folder of a run or of a study.
  static bool isOurs(const fs::path& folder) {
    std::error_code error;
    return fs::exists(folder / "ingredients.txt", error) || fs::exists(folder / "study.journal", error);
  }

  /// Or the same.
  static bool isInside(const fs::path& inner, const fs::path& outer) {
    const fs::path way = inner.lexically_normal().lexically_relative(outer.lexically_normal());
    return !way.empty() && *way.begin() != "..";
  }

  Hash& hash_;
  fs::path project_;
  std::vector<fs::path> entered_;  ///< by cd
  std::map<std::string, std::string> variables_;
};

/// The program itself, and a script of the project, are parts of the command that names them.
void addCommand(Hash& hash, const Command& command, const fs::path& project) {
  hash.add(text(command));
  NamedFiles files(hash, project);
  if (const auto* const words = std::get_if<std::vector<std::string>>(&command))
    files.add(*words);
  else
    files.addLine(std::get<std::string>(command));
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

}  // namespace

std::string fingerprint(const ProgramSettings& settings) {
  Hash hash;
  // A project file in the working folder has none in its path.
  const fs::path project = settings.projectFolder.empty() ? fs::current_path() : fs::absolute(settings.projectFolder);
  for (const Command* command : {&settings.before, &settings.command, &settings.after})
    addCommand(hash, *command, project);
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
  if (!settings.folder.empty())
    addFolder(hash, settings.folder, [](Hash& sum, const fs::path& file) { addFile(sum, file); });
  for (const RestartFile& file : settings.restart)
    if (!file.start.empty()) addFile(hash, file.start);
  return fmt::format("{:016x}", hash.value());
}

}  // namespace koppla::program
