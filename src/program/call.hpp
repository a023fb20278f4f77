#pragma once

#include <memory>
#include <optional>
#include <regex>
#include <span>
#include <string>
#include <vector>

#include "koppla/program/call_folder.hpp"
#include "koppla/program/deck.hpp"
#include "koppla/program/service.hpp"
#include "koppla/program/settings.hpp"

namespace koppla::program {

/// What is asked of the program.
struct Request {
  std::uint64_t step;
  double t0, t1;                                  ///< s; equal for a static program
  std::vector<std::span<const double>> values;    ///< of inputs and parameters, in their order
  std::shared_ptr<const RestartFiles> restart{};  ///< of the step before; none before the first
};

struct Answer {
  std::vector<std::vector<double>> outputs;
  std::shared_ptr<const RestartFiles> restart{};
};

/// Calls a program: files in, run, files out.
class Caller {
 public:
  /// The settings have been checked.
  explicit Caller(ProgramSettings settings);

  /// Throws core::SubsystemError; its text says what failed, where, and what to do.
  Answer call(const Request& request);

 private:
  using Call = CallFolders::Call;

  Answer callIn(const Call& call, const Request& request);
  void writeInputs(const Call& call, const Request& request) const;
  void bringFiles(const Call& call, const Request& request) const;
  void run(const Command& command, const Call& call, const Request& request, const std::string& prefix) const;
  void ask(const Call& call);
  void searchFailures(const Call& call) const;
  [[nodiscard]] std::string report(const Call& call, const std::string& what) const;

  ProgramSettings settings_;
  std::vector<std::pair<std::filesystem::path, Deck>> decks_;
  std::vector<std::regex> patterns_;
  CallFolders folders_;
  std::unique_ptr<Service> service_;
  std::uint64_t restarts_ = 0;  ///< sets of restart files so far
};

}  // namespace koppla::program
