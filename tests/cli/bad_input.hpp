#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "command.hpp"

namespace koppla::test {

struct TextFile {
  std::string name;
  std::string content;
};

/// Something a user may get wrong, and what the command has to say to it: the place, the value, the remedy.
struct BadInput {
  std::string name;
  std::vector<std::string> arguments;
  std::vector<std::string> says;                    ///< on standard error, in this order
  std::vector<TextFile> files{};                    ///< in the working folder
  std::function<void(const Workspace&)> prepare{};  ///< for what is no text
  int exitCode = 2;
};

/// For gtest, which would print the bytes.
inline void PrintTo(const BadInput& input, std::ostream* out) {
  *out << input.name;
}

/// `koppla run` of a project with this text.
inline BadInput badProject(std::string name, std::string text, std::vector<std::string> says) {
  return {std::move(name), {"run", "project.toml"}, std::move(says), {{"project.toml", std::move(text)}}};
}

/// The same for the project of one Gain with more lines, which begin at line 8.
inline BadInput badLines(std::string name, const std::string& lines, std::vector<std::string> says) {
  return badProject(std::move(name), project(lines), std::move(says));
}

std::vector<BadInput> commandLineCases();
std::vector<BadInput> projectCases();
std::vector<BadInput> accelerationCases();
std::vector<BadInput> couplingCases();
std::vector<BadInput> jointCases();
std::vector<BadInput> insideCases();
std::vector<BadInput> fmuCases();
std::vector<BadInput> runFolderCases();
std::vector<BadInput> resultsCases();
std::vector<BadInput> studyCases();
std::vector<BadInput> stabilityCases();

}  // namespace koppla::test
