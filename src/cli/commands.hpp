#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace koppla::cli {

/// How a command ended; documented in docs/command-line.md.
enum class ExitCode {
  ok = 0,
  different = 1,  ///< compare found differences; a run was not certified
  badInput = 2,   ///< command line, project file, FMU or result file
  subsystemFailed = 3,
  notConverged = 4,
  exploded = 5,
  outputFailed = 6,  ///< results, files or standard output could not be written
  internal = 70,     ///< a bug in Koppla
  interrupted = 130,
};

struct RunOptions {
  std::filesystem::path project;
  std::vector<std::string> set;  ///< "name=value"
  std::optional<std::string> end;
  std::optional<std::string> step;
  std::filesystem::path folder;
  bool overwrite = false;
  bool certify = false;  ///< repeat the run with shorter steps and tell how far it is off
  bool quiet = false;
  bool json = false;
};
ExitCode runCommand(const RunOptions& options);

struct ResumeOptions {
  std::filesystem::path folder;
  std::vector<std::string> set;
  std::optional<std::string> end;
  bool quiet = false;
  bool json = false;
};
ExitCode resumeCommand(const ResumeOptions& options);

struct StatusOptions {
  std::filesystem::path folder;
  bool json = false;
};
ExitCode statusCommand(const StatusOptions& options);

struct StudyOptions {
  std::filesystem::path study;
  std::vector<std::string> set;
  unsigned jobs = 0;  ///< 0: as many as there are processors
  std::filesystem::path folder;
  bool restart = false;
  bool quiet = false;
};
ExitCode studyCommand(const StudyOptions& options);
/// The same for a study of kind "calibration", which runs no project.
ExitCode calibrationCommand(const StudyOptions& options);

struct StabilityOptions {
  std::filesystem::path file;
  std::vector<std::string> set;
  unsigned jobs = 0;  ///< 0: as many as there are processors
  std::filesystem::path folder;
  std::optional<double> at;  ///< s
  bool quiet = false;
  bool json = false;
};
ExitCode stabilityCommand(const StabilityOptions& options);

struct CheckOptions {
  std::filesystem::path project;
  std::vector<std::string> set;
  bool json = false;
};
ExitCode checkCommand(const CheckOptions& options);

struct InspectOptions {
  std::filesystem::path model;
  bool json = false;
};
ExitCode inspectCommand(const InspectOptions& options);

struct CompareOptions {
  std::filesystem::path results;
  std::filesystem::path reference;
  double rtol = 1e-6;
  double atol = 1e-9;
  std::vector<std::string> variables;
  bool json = false;
};
ExitCode compareCommand(const CompareOptions& options);

struct PlotOptions {
  std::filesystem::path results;
  std::vector<std::string> variables;
  std::filesystem::path svg;
  bool iterations = false;  ///< the history of iterations in place of the results
  int width = 0;            ///< character cells; 0: the terminal's
  int height = 24;
};
ExitCode plotCommand(const PlotOptions& options);

struct NewOptions {
  std::vector<std::filesystem::path> fmus;
  std::filesystem::path output = "project.toml";
  bool overwrite = false;
};
ExitCode newCommand(const NewOptions& options);

}  // namespace koppla::cli
