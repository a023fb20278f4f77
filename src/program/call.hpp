#pragma once

#include <atomic>
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

namespace detail {
class CallBook;
}

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
  /// The settings have been checked. Where `interrupted` becomes true, a call under way is given up and no other
  /// begins; it may be missing.
  explicit Caller(ProgramSettings settings, const std::atomic<bool>* interrupted = nullptr);
  ~Caller();
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  /// Throws core::SubsystemError, or core::FileError where the system failed and not the program, as on a full disk;
  /// the text says what failed, where, and what to do.
  Answer call(const Request& request);

  /// Answers that came from the record of an earlier run.
  [[nodiscard]] std::uint64_t recalled() const { return recalled_; }
  [[nodiscard]] bool isInterrupted() const { return interrupted_ != nullptr && interrupted_->load(); }

 private:
  using Call = CallFolders::Call;

  std::optional<Answer> recall(const Request& request);
  Answer callIn(const Call& call, const Request& request);
  void record(const Call& call, const Request& request, const Answer& answer);
  [[nodiscard]] std::filesystem::path restartFolder() const;
  void writeInputs(const Call& call, const Request& request) const;
  void bringFiles(const Call& call, const Request& request) const;
  void run(const Command& command, const Call& call, const Request& request, const std::string& prefix);
  void ask(const Call& call);
  void searchFailures(const Call& call) const;
  void end(const Call& call, const Request& request, bool well);
  [[noreturn]] void fail(const Call& call, const Request& request, const std::string& what, bool atFile);

  ProgramSettings settings_;
  const std::atomic<bool>* interrupted_;
  std::vector<std::pair<std::filesystem::path, Deck>> decks_;
  std::vector<std::regex> patterns_;
  CallFolders folders_;
  std::unique_ptr<Service> service_;
  double processorSeconds_ = 0.0;  ///< of the processes of the call under way
  std::uint64_t restarts_ = 0;     ///< sets of restart files so far
  /// Missing where folders are temporary, and where a service remembers what only its own calls can bring back.
  std::unique_ptr<detail::CallBook> book_;
  std::uint64_t recalled_ = 0;
};

}  // namespace koppla::program
