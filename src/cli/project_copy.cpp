#include "project_copy.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"

namespace koppla::cli {

namespace {

constexpr std::string_view kFirst = "# Copy of ";
constexpr std::string_view kAsRun = " as it was run; relative paths start from there.";
constexpr std::string_view kChanged = "\n# Changed on the command line for this run:\n";
constexpr std::string_view kSet = "# --set ";

}  // namespace

std::string textOf(const ProjectCopy& copy) {
  std::string origin = std::filesystem::absolute(copy.origin).string();
  std::ranges::replace(origin, '\n', '?');  // a comment is one line
  std::string text = fmt::format("{}{}{}\n", kFirst, origin, kAsRun) + copy.text;
  if (copy.overrides.empty()) return text;
  if (!text.ends_with('\n')) text += '\n';
  text += kChanged;
  for (const project::Override& change : copy.overrides)
    text += fmt::format("{}{}={}\n", kSet, change.name, change.value);
  return text;
}

ProjectCopy readProjectCopy(const std::filesystem::path& file) {
  const std::string content = core::readWhole(file);
  const std::size_t end = content.find('\n');
  const std::string_view first = std::string_view(content).substr(0, end);
  if (end == std::string::npos || !first.starts_with(kFirst) || !first.ends_with(kAsRun))
    throw core::InputError({{{file.string(), 1},
                             "This is not the copy of a project that a run keeps.",
                             "Give the folder of a run, as `koppla run` has made it."}});
  ProjectCopy copy;
  copy.origin = first.substr(kFirst.size(), first.size() - kFirst.size() - kAsRun.size());
  copy.text = content.substr(end + 1);
  const std::size_t changes = copy.text.rfind(kChanged);
  if (changes == std::string::npos) return copy;
  std::istringstream lines(copy.text.substr(changes + kChanged.size()));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(kSet))
      copy.overrides.push_back(project::parseOverride(std::string_view(line).substr(kSet.size())));
  copy.text.erase(changes);
  return copy;
}

}  // namespace koppla::cli
