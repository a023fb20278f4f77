#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "koppla/program/deck.hpp"
#include "koppla/program/field.hpp"
#include "koppla/program/process.hpp"
#include "koppla/program/readers.hpp"

namespace koppla::program {

/// An input or a parameter.
struct PortSettings {
  Field field;
  std::string unit{};
  std::string description{};
  std::optional<double> nominal{};
  std::vector<double> start{};   ///< one value for all, or one each
  std::filesystem::path file{};  ///< where it is written as standard csv, in the folder of the call; empty: nowhere
};

struct OutputSettings {
  PortSettings port;
  Reading reading;
};

/// An input file that is made from a template for every call.
struct DeckFile {
  std::filesystem::path name;      ///< in the folder of the call
  std::filesystem::path original;  ///< the template
  std::string shown{};             ///< its name in messages; empty: as `original`
};

/// What the program writes at the end of a step for the beginning of the next one.
struct RestartFile {
  std::filesystem::path write;    ///< its name when the program has written it
  std::filesystem::path read{};   ///< its name for the next step; empty: the same
  std::filesystem::path start{};  ///< given to the first step; empty: there is none
};

/// Which folders of calls stay.
enum class Keep : std::uint8_t {
  all,
  last,   ///< the last one that ended well, and those that failed
  failed  ///< only those that failed
};

struct ProgramSettings {
  std::string name;
  Command command;
  Command before{std::string{}};  ///< runs before it in the same folder; may be empty
  Command after{std::string{}};   ///< runs behind it

  std::filesystem::path projectFolder{};  ///< relative programs are looked for there
  std::filesystem::path workFolder{};  ///< where folders of calls are made, below the program's name; empty: temporary
  bool resume = false;                 ///< goes on with what an earlier run left there
  std::filesystem::path folder{};      ///< its content is put into the folder of every call; empty: none
  bool link = false;                   ///< by links instead of copies
  std::vector<std::filesystem::path> include{};  ///< files copied into the folder of every call
  std::vector<DeckFile> deck{};

  std::vector<PortSettings> inputs{};
  std::vector<PortSettings> parameters{};
  std::vector<OutputSettings> outputs{};

  bool isTransient = false;  ///< one call goes over one step; otherwise outputs follow from the present inputs
  std::vector<RestartFile> restart{};
  bool service = false;  ///< one process takes all calls

  Limits limits{};
  unsigned retries = 0;
  std::vector<int> okStatus{0};
  std::vector<std::string> failurePatterns{};         ///< regular expressions for lines that mean failure
  std::vector<std::filesystem::path> failureFiles{};  ///< searched for them beside standard output and error
  Keep keep = Keep::last;

  /// A service with a state that no restart file holds: what it has lost cannot be brought back.
  [[nodiscard]] bool remembers() const { return service && isTransient && restart.empty(); }
};

/// Names that a deck knows beside the ports.
inline const std::vector<std::string> kCallNames{"t0", "t1", "step", "iteration"};

/// What decks can name: inputs, parameters and kCallNames, in this order.
std::vector<Field> deckFields(const ProgramSettings& settings);

/// The program itself as an absolute path where it lies beside the project file; a name in PATH or in the folder of the
/// call stays as it is.
Command located(const Command& command, const ProgramSettings& settings);

/// Where PATH finds a program of this name; empty where it does not.
std::filesystem::path findInPath(const std::string& program);

/// The same settings with paths that mean the same whatever the working folder becomes: an FMU may change it.
ProgramSettings withAbsolutePaths(ProgramSettings settings);

/// Finds what is wrong before anything runs, in templates too. Throws core::InputError with every mistake.
void check(const ProgramSettings& settings);

}  // namespace koppla::program
