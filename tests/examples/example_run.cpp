#include "example_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include <sys/wait.h>

#include "koppla/core/file.hpp"
#include "koppla/results/load.hpp"

#include "support/matches.hpp"

namespace koppla::test {

namespace fs = std::filesystem;

namespace {

std::string quoted(const std::string& word) {
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// All files of that ending, but for results of commands that somebody ran there.
std::vector<fs::path> filesOf(const std::string& ending) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(examplesFolder()))
    if (entry.path().extension() == ending && entry.path().parent_path().extension().empty())
      files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

bool isStudy(const fs::path& file) {
  const std::string text = core::readWhole(file);
  return text.find("\n[study]\n") != std::string::npos || text.find("\n[stability]\n") != std::string::npos;
}

/// By whether they are about many runs of a project, without ".toml", in order.
std::vector<std::string> exampleFiles(bool studies) {
  std::vector<std::string> files;
  for (const fs::path& file : filesOf(".toml"))
    if (isStudy(file) == studies)
      files.push_back(fs::relative(file, examplesFolder()).replace_extension().generic_string());
  std::ranges::sort(files);
  return files;
}

/// What a project may name beside itself: programs and their files.
void copyFilesBeside(const fs::path& project, const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(project.parent_path()))
    if (entry.is_directory() && entry.path().extension().empty())
      fs::copy(entry.path(), folder / entry.path().filename(),
               fs::copy_options::recursive | fs::copy_options::overwrite_existing);
}

/// The project with the FMUs of the present build, in `folder`. Programs that several examples share stay where they
/// are.
fs::path copyOf(const std::string& project, const fs::path& folder) {
  copyFilesBeside(examplesFolder() / project, folder);
  std::string text = replaced(core::readWhole(examplesFolder() / (project + ".toml")), "../../build/fmus/",
                              std::string(KOPPLA_FMU_DIR) + "/");
  text = replaced(std::move(text), "\"../programs/", "\"" + (examplesFolder() / "programs/").string());
  fs::path copy = folder / (fs::path(project).filename().string() + ".toml");
  core::writeWhole(copy, text);
  return copy;
}

const results::Series& seriesOf(const results::Table& table, const std::string& name) {
  const results::Series* series = table.find(name);
  if (series == nullptr) throw std::runtime_error("There is no '" + name + "' in the results.");
  return *series;
}

}  // namespace

fs::path examplesFolder() {
  return KOPPLA_EXAMPLES_DIR;
}

bool isInstalled(const std::string& program) {
  return std::system(("command -v " + quoted(program) + " >/dev/null").c_str()) == 0;
}

namespace {

/// With assignments for the shell before the command.
CommandResult commandIn(const std::string& environment, const std::vector<std::string>& arguments) {
  const core::TemporaryFolder folder("example");
  std::string line = environment + " " + quoted(KOPPLA_COMMAND);
  for (const std::string& argument : arguments) line += " " + quoted(argument);
  const fs::path output = folder.path() / "output";
  const fs::path errors = folder.path() / "errors";
  const int status = std::system((line + " >" + quoted(output.string()) + " 2>" + quoted(errors.string())).c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, core::readWhole(output), core::readWhole(errors)};
}

/// Solvers that may be missing here: so everything else about their examples can be checked anyway.
void makeStandIns(const fs::path& folder) {
  fs::create_directories(folder);
  for (const char* solver : {"ccx", "FreeFem++", "ngspice", "octave-cli"}) {
    core::writeWhole(folder / solver, "");
    fs::permissions(folder / solver, fs::perms::owner_all);
  }
}

}  // namespace

CommandResult command(const std::vector<std::string>& arguments) {
  return commandIn("", arguments);
}

ExampleRun runExample(const std::string& project, const std::vector<std::string>& arguments) {
  const core::TemporaryFolder folder("example");
  const fs::path run = folder.path() / "run";
  std::vector<std::string> all{"run", copyOf(project, folder.path()).string(), "--folder", run.string(), "--json"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  ExampleRun result;
  result.command = command(all);
  if (!fs::exists(run / "statistics.json")) throw std::runtime_error(result.command.errors);
  result.statistics = nlohmann::json::parse(result.command.output);
  result.table = results::load(run);
  for (const char* name : {"iterations.csv", "iterations.partial.csv"})
    if (fs::exists(run / name)) result.history = results::load(run / name);
  return result;
}

CommandResult checkExample(const std::string& project) {
  const core::TemporaryFolder folder("example");
  const fs::path standIns = folder.path() / "stand-ins";
  makeStandIns(standIns);
  return commandIn("PATH=\"$PATH\":" + quoted(standIns.string()), {"check", copyOf(project, folder.path()).string()});
}

ExampleStudy runStudy(const std::string& study) {
  const core::TemporaryFolder folder("example");
  for (const std::string& project : exampleProjects()) {
    fs::create_directories((folder.path() / project).parent_path());
    copyOf(project, (folder.path() / project).parent_path());
  }
  for (const fs::path& data : filesOf(".csv"))
    fs::copy_file(data, folder.path() / fs::relative(data, examplesFolder()), fs::copy_options::skip_existing);
  const fs::path file = folder.path() / (study + ".toml");
  fs::create_directories(file.parent_path());
  ExampleStudy result;
  result.command = command({"study", copyOf(study, file.parent_path()).string()});
  const fs::path made = fs::path(file).replace_extension(".study");
  if (!fs::exists(made / "study.csv")) throw std::runtime_error(result.command.errors);
  result.rows = core::readWhole(made / "study.csv");
  if (fs::exists(made / "fits.csv")) result.fits = core::readWhole(made / "fits.csv");
  return result;
}

ExampleAnalysis analyseStability(const std::string& file, const std::vector<std::string>& arguments) {
  const core::TemporaryFolder folder("stability");
  const fs::path made = folder.path() / "results";
  std::vector<std::string> all{"stability", (examplesFolder() / (file + ".toml")).string(), "--folder", made.string()};
  all.insert(all.end(), arguments.begin(), arguments.end());
  ExampleAnalysis result;
  result.command = command(all);
  const auto read = [&](const char* name) { return fs::exists(made / name) ? core::readWhole(made / name) : ""; };
  result.rows = read("stability.csv");
  result.picture = read("stability.svg");
  return result;
}

std::vector<std::string> exampleProjects() {
  return exampleFiles(false);
}

std::vector<std::string> exampleStudies() {
  return exampleFiles(true);
}

const std::vector<double>& ExampleRun::of(const std::string& name) const {
  return seriesOf(table, name).numbers;
}

int ExampleRun::evaluations() const {
  return statistics.at("cycles").at(0).at("evaluations").get<int>();
}

const std::vector<double>& ExampleRun::iterated(const std::string& column) const {
  return seriesOf(history, column).numbers;
}

const std::vector<std::string>& ExampleRun::words(const std::string& column) const {
  return seriesOf(history, column).texts;
}

double ExampleRun::at(const std::string& name, double t) const {
  const auto nearest = std::ranges::min_element(table.time, {}, [t](double time) { return std::fabs(time - t); });
  return of(name).at(static_cast<std::size_t>(nearest - table.time.begin()));
}

std::string ExampleRun::stepCalls() const {
  std::string text;
  for (const nlohmann::json& subsystem : statistics.at("subsystems"))
    text += (text.empty() ? "" : "/") + std::to_string(subsystem.at("step").at("count").get<int>());
  return text;
}

std::vector<double> ExampleStudy::slopes() const {
  std::vector<double> result;
  for (const Match& row : matches(fits, "\"simulation.step\",([^,]+),")) result.push_back(std::stod(row[1]));
  return result;
}

std::size_t ExampleStudy::rowsWith(const std::string& text) const {
  std::size_t count = 0;
  for (std::size_t at = rows.find(text); at != std::string::npos; at = rows.find(text, at + 1)) ++count;
  return count;
}

double ExampleStudy::errorOf(const std::string& start) const {
  const std::size_t at = rows.find(start);
  if (at == std::string::npos) throw std::runtime_error("No row of the study begins with " + start);
  return std::stod(rows.substr(at + start.size()));
}

}  // namespace koppla::test
