// What the documentation says about files, options and commands must be there, and the other way round.

#include <filesystem>
#include <map>
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

/// "examples/math003" and all others, in the order of the alphabet.
std::set<std::string> exampleFolders() {
  std::set<std::string> result;
  for (const fs::directory_entry& entry : fs::directory_iterator(examplesFolder()))
    if (fs::exists(entry.path() / "README.md")) result.insert("examples/" + entry.path().filename().string());
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

/// The commands of all examples can be pasted one after the other: none finds the folder of an earlier run in its way,
/// and what is read was made.
TEST(Documentation, EveryCommandOfTheExamplesFindsItsFoldersAsItNeedsThem) {
  std::map<std::string, std::string> madeBy;
  std::size_t runs = 0;
  for (const std::string& example : exampleFolders()) {
    const std::string readme = replaced(core::readWhole(root() / example / "README.md"), R"(\\\n)", " ");
    for (const Match& line : matches(readme, R"(^    build/koppla (run|plot|compare|status|resume) ([^#\n]*))")) {
      const std::string& words = line[2];
      if (line[1] != "run") {
        for (const std::string& folder : found(words, R"((\S+\.run)\b)"))
          EXPECT_TRUE(madeBy.contains(folder)) << example << ": " << line[0];
        continue;
      }
      ++runs;
      const std::string project = words.substr(0, words.find(' '));
      EXPECT_TRUE(fs::exists(root() / project)) << example << ": " << line[0];
      const auto given = matches(words, R"(--folder (\S+))");
      const std::string folder = given.empty() ? fs::path(project).replace_extension(".run").string() : given[0][1];
      const bool isNew = madeBy.emplace(folder, line[0]).second;
      EXPECT_TRUE(isNew || words.find("--overwrite") != std::string::npos)
          << example << ": " << line[0] << "\n  exists already: " << madeBy[folder];
    }
  }
  EXPECT_GT(runs, 40U);
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

TEST(Documentation, EveryKeyOfTheStatisticsIsDescribed) {
  const std::string page = core::readWhole(root() / "docs/command-line.md");
  const std::size_t table = page.find("`statistics.json`:");
  const std::string rows = page.substr(table, page.find("\n## ", table) - table);
  const CommandResult run = runExample("rigid-link/baumgarte", {"--json", "--end", "0.01"}).command;
  ASSERT_EQ(run.exitCode, 0) << run.errors;
  const std::set<std::string> keys = found(run.output, R"re("([a-z_]+)": )re");
  for (const char* inner : {"suspicious", "velocity_defect", "error_of_range", "static_calls"})
    EXPECT_TRUE(keys.contains(inner)) << inner << ": the example has no entry of its kind";
  for (const std::string& key : keys) EXPECT_NE(rows.find("`" + key + "`"), std::string::npos) << key;
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
