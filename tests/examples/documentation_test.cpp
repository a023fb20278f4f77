// What the documentation says about files, options and commands must be there, and the other way round.

#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "koppla/core/file.hpp"

#include "example_run.hpp"
#include "support/matches.hpp"

namespace koppla::test::documentation_test {
namespace {

namespace fs = std::filesystem;

fs::path root() {
  return examplesFolder().parent_path();
}

std::set<std::string> found(const std::string& text, const std::string& expression) {
  std::set<std::string> result;
  for (const Match& match : matches(text, expression)) result.insert(match[1]);
  return result;
}

std::vector<fs::path> pages() {
  std::vector<fs::path> result;
  for (const fs::directory_entry& entry : fs::directory_iterator(root()))
    if (entry.path().extension() == ".md") result.push_back(entry.path());
  for (const char* folder : {"docs", "examples"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root() / folder))
      if (entry.path().extension() == ".md") result.push_back(entry.path());
  return result;
}

TEST(Documentation, EveryExampleHasNoMistakesAndIsExplainedBesideIt) {
  for (const std::string& project : exampleProjects()) {
    const CommandResult check = checkExample(project);
    EXPECT_EQ(check.exitCode, 0) << project << "\n" << check.errors;
    EXPECT_EQ(check.errors, "") << project;
    const fs::path file = examplesFolder() / (project + ".toml");
    const std::string readme = core::readWhole(file.parent_path() / "README.md");
    EXPECT_NE(readme.find(file.filename().string()), std::string::npos) << project;
  }
}

TEST(Documentation, EveryStudyIsExplainedBesideIt) {
  EXPECT_GE(exampleStudies().size(), 2U);
  for (const std::string& study : exampleStudies()) {
    const fs::path file = examplesFolder() / (study + ".toml");
    EXPECT_NE(core::readWhole(file.parent_path() / "README.md").find(file.filename().string()), std::string::npos)
        << study;
  }
}

TEST(Documentation, EveryOptionOfTheStudyFileIsDescribed) {
  const std::string page = core::readWhole(root() / "docs/study.md");
  for (const char* option : {"format", "project",      "set",        "name",    "names", "labels",         "values",
                             "from",   "to",           "per_decade", "count",   "kind",  "check_set",      "follows",
                             "file",   "between_rows", "variables",  "measure", "skip",  "unstable_above", "over"})
    EXPECT_NE(page.find("| `" + std::string(option) + "`"), std::string::npos) << option;
}

TEST(Documentation, EveryOptionOfNativeModelsConditionsAndReferencesIsDescribed) {
  const std::string page = core::readWhole(root() / "docs/project-file.md");
  for (const char* option : {"model",
                             "micro_step",
                             "overshoot",
                             "phases",
                             "factors",
                             "markers",
                             "input_derivatives",
                             "integrator",
                             "alpha",
                             "beta",
                             "gamma",
                             "restart",
                             "corrected",
                             "inputs",
                             "outputs",
                             "states",
                             "derivatives",
                             "unknowns",
                             "residuals",
                             "units",
                             "A",
                             "B",
                             "C",
                             "D",
                             "x0",
                             "file",
                             "columns",
                             "times",
                             "values",
                             "interpolation",
                             "u",
                             "y",
                             "extrapolation",
                             "input",
                             "output",
                             "elements",
                             "boundary",
                             "node_inertia",
                             "acceleration",
                             "stiffness",
                             "damping",
                             "force",
                             "between",
                             "decomposition",
                             "joint",
                             "method",
                             "velocity_weight",
                             "acceleration_weight",
                             "formulas",
                             "names"})
    EXPECT_NE(page.find("`" + std::string(option) + "`"), std::string::npos) << option;
}

TEST(Documentation, EveryOptionOfBodiesIsDescribed) {
  const std::string page = core::readWhole(root() / "docs/mechanics.md");
  for (const char* option : {"rotation",
                             "gravity",
                             "constraints",
                             "rate",
                             "name",
                             "mass",
                             "inertia",
                             "position",
                             "velocity",
                             "angular_velocity",
                             "body",
                             "at",
                             "axis",
                             "cross",
                             "loads",
                             "first",
                             "second",
                             "ground",
                             "stiffness",
                             "damping",
                             "relaxed",
                             "marker",
                             "force`, `force_rate",
                             "moment`, `moment_rate",
                             "joint",
                             "alignment"})
    EXPECT_NE(page.find("| `" + std::string(option) + "`"), std::string::npos) << option;
}

TEST(Documentation, EveryOptionOfProgramsIsDescribed) {
  const std::string page = core::readWhole(root() / "docs/programs.md");
  for (const char* option : {"program",
                             "digits",
                             "before`, `after",
                             "folder",
                             "link",
                             "include",
                             "deck",
                             "inputs`, `outputs",
                             "parameters",
                             "transient",
                             "restart_files",
                             "service",
                             "time_limit",
                             "memory_limit",
                             "file_size_limit",
                             "retries",
                             "ok_status",
                             "failure_patterns",
                             "failure_files",
                             "keep",
                             "size",
                             "ids",
                             "components",
                             "unit`, `description",
                             "nominal",
                             "start",
                             "file",
                             "open_end",
                             "columns",
                             "id_column",
                             "separator",
                             "key",
                             "begin",
                             "end",
                             "quantity",
                             "set",
                             "point",
                             "take",
                             "write",
                             "read"})
    EXPECT_NE(page.find("| `" + std::string(option) + "`"), std::string::npos) << option;
}

TEST(Documentation, EveryOptionOfTheStabilityFileIsDescribed) {
  const std::string page = core::readWhole(root() / "docs/stability.md");
  for (const char* option : {"project", "set", "find", "from", "to", "allowance", "increment"})
    EXPECT_NE(page.find("| `" + std::string(option) + "`"), std::string::npos) << option;
}

TEST(Documentation, EveryOptionOfCalibrationsIsDescribed) {
  const std::string page = core::readWhole(root() / "docs/calibration.md");
  for (const char* option : {"kind",   "algorithm", "values", "first", "margin", "rtol",      "max_iterations",
                             "models", "passes",    "best",   "sets",  "field",  "influence", "lower",
                             "upper",  "gain",      "slope",  "mass",  "name",   "start",     "first`, `second"})
    EXPECT_NE(page.find("| `" + std::string(option) + "`"), std::string::npos) << option;
}

TEST(Documentation, EveryLinkLeadsToAFile) {
  for (const fs::path& page : pages())
    for (const std::string& link : found(core::readWhole(page), R"(\]\(([^)#:\s]+)(?:#[^)]*)?\))"))
      EXPECT_TRUE(fs::exists(page.parent_path() / link)) << page << " links to " << link;
}

TEST(Documentation, EveryOptionOfTheProjectFileIsDescribed) {
  const std::string page = core::readWhole(root() / "docs/project-file.md");
  const core::TemporaryFolder folder("options");
  const fs::path project = folder.path() / "project.toml";
  const CommandResult made =
      command({"new", std::string(KOPPLA_FMU_DIR) + "/Math003Part3.fmu", "-o", project.string()});
  ASSERT_EQ(made.exitCode, 0) << made.errors;
  // A model without parameters: all that is left are options.
  const std::set<std::string> options = found(core::readWhole(project), R"(^(?:# )?([a-z_]+) = )");
  EXPECT_GT(options.size(), 20U);
  for (const std::string& option : options) EXPECT_NE(page.find("`" + option + "`"), std::string::npos) << option;
}

TEST(Documentation, EveryCommandAndItsOptionsAreDescribed) {
  const std::string page = core::readWhole(root() / "docs/command-line.md");
  const std::string help = command({"--help"}).output;
  const std::set<std::string> commands = found(help.substr(help.find("Subcommands:")), R"(^  ([a-z]+)  )");
  EXPECT_GE(commands.size(), 7U);
  for (const std::string& name : commands) {
    if (name == "koppla") continue;  // the examples at the end
    EXPECT_NE(page.find("## koppla " + name), std::string::npos) << name;
    for (const std::string& option : found(command({name, "--help"}).output, R"((--[a-z-]+))"))
      EXPECT_NE(page.find("`" + option), std::string::npos) << name << " " << option;
  }
}

}  // namespace
}  // namespace koppla::test::documentation_test
