#include "arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/suggest.hpp"
#include "koppla/version.hpp"

namespace koppla::cli {

namespace {

constexpr const char* kFooter = R"(Examples:
  koppla new Controller.fmu Plant.fmu          write project.toml that connects equal names
  koppla check project.toml                    look for mistakes, show the order of evaluation
  koppla run project.toml --end 20             simulate; results go to project.run/
  koppla status project.run                    how far is it, and who is being waited for?
  koppla resume project.run                    go on with a run that was stopped or killed
  koppla study convergence.toml                run with varied settings; orders of convergence
  koppla stability limits.toml                 which macro steps are stable?
  koppla plot project.run 'Plant.*'            draw variables in the terminal
  koppla compare project.run reference.csv     are they equal within tolerances?

Exit codes: 0 ok, 1 compared results differ or a run is not certified, 2 bad input, 3 a subsystem failed, 4 not
converged, 5 a value exploded, 6 output failed, 70 a bug in Koppla, 130 interrupted.)";

constexpr const char* kMoreHelp = "'koppla --help' and 'koppla COMMAND --help' tell more.";

std::vector<std::string> commandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> optionNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// What the first word must be; the parser itself would only say that some command is missing.
void checkFirstWord(const CLI::App& app, int argc, const char* const* argv) {
  const std::vector<std::string> commands = commandNames(app);
  if (argc < 2) throw core::InputError("No command is given.", core::suggestion({}, commands) + " " + kMoreHelp);
  const std::string word = argv[1];
  const bool isOption = word.starts_with('-');
  const std::vector<std::string> options = optionNames(app);
  const std::vector<std::string>& known = isOption ? options : commands;
  if (std::ranges::find(known, word) != known.end() || word == "-h") return;
  throw core::InputError(isOption ? fmt::format("There is no option '{}' before a command.", word)
                                  : fmt::format("There is no command '{}'.", word),
                         core::suggestion(word, known) + " " + kMoreHelp);
}

/// An argument that its command does not know: an option rather than a word, which may be the option's value.
core::InputError unknownArgument(const CLI::App& app, const CLI::App& command) {
  const std::vector<std::string> extras = app.remaining(true);
  const auto option = std::ranges::find_if(extras, [](const std::string& extra) { return extra.starts_with('-'); });
  if (option == extras.end())
    return {fmt::format("'koppla {}' has no place for '{}'.", command.get_name(), extras.empty() ? "" : extras.front()),
            fmt::format("'koppla {} --help' tells more.", command.get_name())};
  const std::string name = option->substr(0, option->find('='));
  return {fmt::format("'koppla {}' has no option '{}'.", command.get_name(), name),
          core::suggestion(name, optionNames(command))};
}

core::InputError inWords(const CLI::App& app, const CLI::ParseError& error) {
  const auto used = app.get_subcommands();
  if (used.empty()) return {std::string(error.what()) + ".", kMoreHelp};
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return unknownArgument(app, *used.front());
  return {fmt::format("'koppla {}': {}.", used.front()->get_name(), error.what()),
          fmt::format("'koppla {} --help' tells more.", used.front()->get_name())};
}

/// NaN for what is no finite number: the parser's own tests let 'nan' pass.
double finiteNumber(const std::string& text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool isNumber = error == std::errc() && end == text.data() + text.size();
  return isNumber && std::isfinite(value) ? value : NAN;
}

/// For tolerances.
std::string notNegative(const std::string& text) {
  return finiteNumber(text) >= 0.0 ? "" : fmt::format("'{}' is no number that is 0 or more", text);
}

/// For instants.
std::string finite(const std::string& text) {
  return std::isfinite(finiteNumber(text)) ? "" : fmt::format("'{}' is no instant", text);
}

/// For options that are asked by `--option ''`, mostly an empty shell variable.
std::string notEmpty(const std::string& text) {
  return text.empty() ? "the name is empty" : "";
}

}  // namespace

ExitCode dispatch(int argc, const char* const* argv) {
  CLI::App app("Koppla couples simulations that were built apart.", "koppla");
  app.footer(kFooter);
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "Help for all commands");
  app.set_version_flag("--version", fmt::format("koppla {}", kVersion), "Print the version");

  RunOptions runOptions;
  CLI::App* run = app.add_subcommand("run", "Simulate a project");
  run->add_option("project", runOptions.project, "Project file (TOML)")->required();
  run->add_option(
         "--set", runOptions.set,
         "Override an option or a parameter: section.option=value or subsystem.parameter=value; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  run->add_option("--end", runOptions.end, "End of the simulation, s")->type_name("TIME");
  run->add_option("--step", runOptions.step, "Macro step, s")->type_name("TIME");
  run->add_option("--folder", runOptions.folder, "Run folder (default: results.folder of the project)")
      ->check(notEmpty, "");
  run->add_flag("--overwrite", runOptions.overwrite, "Replace an existing run folder's results");
  run->add_flag("--certify", runOptions.certify,
                "Run twice more, with half and a quarter of the step, and tell how far each variable is off");
  run->add_flag("--quiet", runOptions.quiet, "No progress, no statistics");
  run->add_flag("--json", runOptions.json, "Print the statistics as JSON");

  ResumeOptions resumeOptions;
  CLI::App* resume = app.add_subcommand("resume", "Go on with a run that was interrupted, killed or has failed");
  resume->add_option("run", resumeOptions.folder, "Run folder")->required();
  resume->add_option("--set", resumeOptions.set, "A further override, as in 'run'")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  resume->add_option("--end", resumeOptions.end, "Another end of the simulation, s")->type_name("TIME");
  resume->add_flag("--quiet", resumeOptions.quiet, "No progress, no statistics");
  resume->add_flag("--json", resumeOptions.json, "Print the statistics as JSON");

  StatusOptions statusOptions;
  CLI::App* status = app.add_subcommand("status", "Tell how far a run is, or how it ended");
  status->add_option("run", statusOptions.folder, "Run folder")->required();
  status->add_flag("--json", statusOptions.json, "Print as JSON");

  StudyOptions studyOptions;
  CLI::App* study = app.add_subcommand("study", "Run a project with varied settings and fit orders of convergence");
  study->add_option("study", studyOptions.study, "Study file (TOML)")->required();
  study->add_option("--set", studyOptions.set, "Override for all runs, as in 'run'")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  study->add_option("--jobs", studyOptions.jobs, "Runs at once (default: one for each processor)")
      ->check(CLI::Range(1, 1024));
  study->add_option("--folder", studyOptions.folder, "Folder of the study (default: its name with .study)")
      ->check(notEmpty, "");
  study->add_flag("--restart,--overwrite", studyOptions.restart, "Forget finished runs and start anew");
  study->add_flag("--quiet", studyOptions.quiet, "No progress, no table");

  StabilityOptions stabilityOptions;
  CLI::App* stability = app.add_subcommand("stability", "Find the macro steps at which a coupled model is stable");
  stability->add_option("file", stabilityOptions.file, "Stability file (TOML)")->required();
  stability->add_option("--set", stabilityOptions.set, "Override for all combinations, as in 'run'")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  stability->add_option("--jobs", stabilityOptions.jobs, "Combinations at once (default: one for each processor)")
      ->check(CLI::Range(1, 1024));
  stability
      ->add_option("--folder", stabilityOptions.folder, "Folder of results (default: the file's name with .stability)")
      ->check(notEmpty, "");
  stability->add_option("--at", stabilityOptions.at, "Instant of a run to look at, s (default: the start)")
      ->type_name("TIME")
      ->check(finite, "");
  stability->add_flag("--quiet", stabilityOptions.quiet, "No progress, no table");
  stability->add_flag("--json", stabilityOptions.json, "Print the answers as JSON; no progress");

  CheckOptions checkOptions;
  CLI::App* check = app.add_subcommand("check", "Look for mistakes in a project without running it");
  check->add_option("project", checkOptions.project, "Project file (TOML)")->required();
  check->add_option("--set", checkOptions.set, "Override, as in 'run'")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  check->add_flag("--json", checkOptions.json, "Print as JSON");

  InspectOptions inspectOptions;
  CLI::App* inspect = app.add_subcommand("inspect", "Show what an FMU or a built-in model says about itself");
  inspect->add_option("model", inspectOptions.model, "FMU file, or the word of a built-in model")->required();
  inspect->add_flag("--json", inspectOptions.json, "Print as JSON");

  CompareOptions compareOptions;
  CLI::App* compare = app.add_subcommand("compare", "Compare results with a reference");
  compare->add_option("results", compareOptions.results, "Run folder, CSV or HDF5 file")->required();
  compare->add_option("reference", compareOptions.reference, "Run folder, CSV or HDF5 file to compare with")
      ->required();
  compare->add_option("--rtol", compareOptions.rtol, "Relative tolerance")
      ->capture_default_str()
      ->check(notNegative, "");
  compare->add_option("--atol", compareOptions.atol, "Absolute tolerance")
      ->capture_default_str()
      ->check(notNegative, "");
  compare->add_option("--variables", compareOptions.variables,
                      "Patterns ('*', '?') of variables to compare; default: all");
  compare->add_flag("--json", compareOptions.json, "Print as JSON");

  PlotOptions plotOptions;
  CLI::App* plot = app.add_subcommand("plot", "Draw variables in the terminal or to SVG");
  plot->add_option("results", plotOptions.results, "Run folder, CSV or HDF5 file")->required();
  plot->add_option("variables", plotOptions.variables, "Names or patterns ('*', '?'); default: all");
  plot->add_flag("--iterations", plotOptions.iterations,
                 "Draw the history of iterations over their running number; default: residuals of groups, K, factors");
  plot->add_option("--svg", plotOptions.svg, "Write a picture to this file instead")->check(notEmpty, "");
  plot->add_option("--width", plotOptions.width, "Characters (default: the terminal's width)")
      ->check(CLI::Range(20, 500));
  plot->add_option("--height", plotOptions.height, "Lines")->capture_default_str()->check(CLI::Range(5, 500));

  NewOptions newOptions;
  CLI::App* create = app.add_subcommand("new", "Write a project that couples FMUs where names are equal");
  create->add_option("fmus", newOptions.fmus, "FMU files")->required();
  create->add_option("-o,--output", newOptions.output, "Project file to write")
      ->capture_default_str()
      ->check(notEmpty, "");
  create->add_flag("--overwrite", newOptions.overwrite, "Replace an existing project file");

  const CLI::App* version = app.add_subcommand("version", "Print the version");

  checkFirstWord(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return static_cast<ExitCode>(app.exit(error));
    throw inWords(app, error);
  }
  if (*run) return runCommand(runOptions);
  if (*resume) return resumeCommand(resumeOptions);
  if (*status) return statusCommand(statusOptions);
  if (*study) return studyCommand(studyOptions);
  if (*stability) return stabilityCommand(stabilityOptions);
  if (*check) return checkCommand(checkOptions);
  if (*inspect) return inspectCommand(inspectOptions);
  if (*compare) return compareCommand(compareOptions);
  if (*plot) return plotCommand(plotOptions);
  if (*create) return newCommand(newOptions);
  if (*version) std::cout << "koppla " << kVersion << "\n";
  return ExitCode::ok;
}

}  // namespace koppla::cli
