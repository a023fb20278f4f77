#include "koppla/program/call.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <deque>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"
#include "koppla/core/printable.hpp"
#include "koppla/core/value.hpp"
#include "koppla/program/detail/call_book.hpp"
#include "koppla/program/detail/numbers.hpp"
#include "koppla/program/detail/rows.hpp"
#include "koppla/program/fingerprint.hpp"

namespace koppla::program {

namespace fs = std::filesystem;

namespace {

constexpr const char* kOutput = "stdout.txt";
constexpr const char* kErrors = "stderr.txt";
constexpr const char* kServiceErrors = "service.stderr.txt";

/// The last lines of a file that may be long or missing, as they may be shown.
std::vector<std::string> lastLines(const fs::path& file) {
  constexpr std::size_t kShown = 8;
  constexpr std::size_t kMost = std::size_t{1} << 28U;
  std::deque<std::string> lines;
  std::error_code error;
  if (!fs::exists(file, error) || fs::file_size(file, error) > kMost) return {};
  const std::string text = core::readWhole(file, kMost);
  detail::Lines all(text);
  while (const std::optional<std::string_view> line = all.next()) {
    if (detail::trimmed(*line).empty()) continue;
    lines.emplace_back(line->substr(0, 300));
    if (lines.size() > kShown) lines.pop_front();
  }
  std::vector<std::string> shown;
  for (const std::string& line : lines) shown.push_back(core::printable(line, core::LineEnds::kept));  // and tabs
  return shown;
}

std::string remedyFor(const Ended& ended, bool byShell) {
  if (ended.ending == Ending::notStarted) return "Check the command and that the file may be executed.";
  if (ended.ending == Ending::outOfTime) return "Raise time_limit, or find out why it does not end.";
  if (ended.ending == Ending::interrupted) return "";
  if (ended.ending == Ending::unknown)
    return "An FMU beside it ignores SIGCHLD, or waits for children that are not its own: couple it without programs, "
           "or "
           "have it mended.";
  if (ended.ending == Ending::killed && ended.code == SIGXFSZ)
    return "It wrote a file larger than file_size_limit: raise that, or make it write less.";
  if (ended.ending == Ending::killed) return "It crashed, or needed more memory than there is or memory_limit allows.";
  if (byShell && (ended.code == 127 || ended.code == 126)) return "The shell found no such program, or may not run it.";
  if (byShell && ended.code == 128 + SIGXFSZ)
    return "It wrote a file larger than file_size_limit: raise that, or make it write less.";
  return "Run the command by hand in that folder; an exit status that means success belongs to ok_status.";
}

std::vector<std::string> environmentOf(const CallFolders::Call& call, const Request& request,
                                       const ProgramSettings& settings) {
  return {"KOPPLA_PROJECT=" + settings.projectFolder.string(), "KOPPLA_STEP=" + std::to_string(call.step),
          "KOPPLA_ITERATION=" + std::to_string(call.iteration), "KOPPLA_T0=" + core::text(request.t0),
          "KOPPLA_T1=" + core::text(request.t1)};
}

void put(const fs::path& file, std::string_view content) {
  if (file.has_parent_path()) fs::create_directories(file.parent_path());
  if (fs::is_symlink(file)) fs::remove(file);  // to a file of the user's
  core::writeWhole(file, content);
}

detail::Question questionOf(const Request& request) {
  return {request.step, request.restart ? request.restart->number() : 0, request.t0, request.t1, request.values};
}

std::string textOf(const core::InputError& refusal) {
  std::string result;
  for (const core::Problem& problem : refusal.problems()) result += (result.empty() ? "" : " ") + core::text(problem);
  return result;
}

}  // namespace

Caller::Caller(ProgramSettings settings, const std::atomic<bool>* interrupted)
    : settings_(withAbsolutePaths(std::move(settings))),
      interrupted_(interrupted),
      folders_(settings_.workFolder, settings_.name, settings_.keep, settings_.resume) {
  const std::vector<Field> fields = deckFields(settings_);
  for (const DeckFile& file : settings_.deck)
    decks_.emplace_back(file.name, Deck(core::readWhole(file.original), file.shown, fields));
  for (const std::string& pattern : settings_.failurePatterns) patterns_.emplace_back(pattern);
  settings_.command = located(settings_.command, settings_);
  settings_.before = located(settings_.before, settings_);
  settings_.after = located(settings_.after, settings_);
  if (!folders_.isTemporary() && !settings_.remembers())
    book_ = std::make_unique<detail::CallBook>(folders_.root(), fingerprint(settings_), settings_.resume);
}

Caller::~Caller() = default;

Answer Caller::call(const Request& request) {
  if (isInterrupted())
    throw core::SubsystemError(fmt::format("The program '{}' was not called: the run is to end.", settings_.name));
  if (std::optional<Answer> known = recall(request)) return std::move(*known);
  Call call{folders_.root(), request.step, 0};  // until it has a folder of its own
  processorSeconds_ = 0.0;
  try {
    call = folders_.begin(request.step);
    if (book_) book_->begin(call);
    Answer answer = callIn(call, request);
    record(call, request, answer);
    end(call, request, true);
    return answer;
  } catch (const core::SubsystemError& failure) {
    fail(call, request, failure.what(), false);
  } catch (const core::InputError& refusal) {
    fail(call, request, textOf(refusal), false);
  } catch (const core::FileError& failure) {
    fail(call, request, failure.what(), true);
  } catch (const std::system_error& error) {
    fail(call, request, error.what(), !core::placeIsAtFault(error.code().value()));
  }
}

void Caller::end(const Call& call, const Request& request, bool well) {
  if (call.iteration == 0) return;  // it has no folder
  if (book_) book_->end(call, {request.t0, request.t1, processorSeconds_, well});
  folders_.end(call, well);
}

void Caller::fail(const Call& call, const Request& request, const std::string& what, bool atFile) {
  end(call, request, false);
  const std::string which =
      fmt::format("The program '{}' failed in step {}{}.", settings_.name, call.step,
                  call.iteration > 0 ? fmt::format(", call {}", call.iteration) : ", before its call");
  const std::string how = call.iteration == 0 ? what
                                              : fmt::format("{} Its folder was {}{}.", what, call.folder.string(),
                                                            folders_.isTemporary() ? ", which was temporary" : "");
  if (atFile) core::passOnFileError(which, how);
  throw core::SubsystemError(which + " " + how);
}

fs::path Caller::restartFolder() const {
  return folders_.root() / "restart";
}

std::optional<Answer> Caller::recall(const Request& request) {
  if (!book_) return std::nullopt;
  const std::optional<detail::RecordedAnswer> known = book_->answers().find(questionOf(request));
  if (!known) return std::nullopt;
  Answer answer;
  auto at = known->outputs.begin();
  for (const OutputSettings& output : settings_.outputs) {
    const auto size = static_cast<std::ptrdiff_t>(output.port.field.size());
    if (known->outputs.end() - at < size) return std::nullopt;
    answer.outputs.emplace_back(at, at + size);
    at += size;
  }
  if (known->restart != 0) {
    restarts_ = known->restart;
    answer.restart =
        std::make_shared<RestartFiles>(settings_.restart, restartFolder(), restarts_, known->restartChecksum);
  }
  folders_.recall(request.step, known->iteration);
  ++recalled_;
  return answer;
}

void Caller::record(const Call& call, const Request& request, const Answer& answer) {
  if (!book_) return;
  detail::RecordedAnswer recorded{call.iteration,
                                  answer.restart ? answer.restart->number() : 0,
                                  {},
                                  answer.restart ? answer.restart->checksum() : 0};
  for (const std::vector<double>& output : answer.outputs)
    recorded.outputs.insert(recorded.outputs.end(), output.begin(), output.end());
  book_->answers().add(questionOf(request), recorded);
}

Answer Caller::callIn(const Call& call, const Request& request) {
  bringFiles(call, request);
  writeInputs(call, request);
  if (!isEmpty(settings_.before)) run(settings_.before, call, request, "before.");
  if (settings_.service)
    ask(call);
  else
    run(settings_.command, call, request, "");
  searchFailures(call);
  if (!isEmpty(settings_.after)) run(settings_.after, call, request, "after.");
  Answer answer;
  for (const OutputSettings& output : settings_.outputs)
    answer.outputs.push_back(read(output.reading, output.port.field, call.folder, request.t1));
  if (!settings_.restart.empty())
    answer.restart = std::make_shared<RestartFiles>(settings_.restart, restartFolder(), ++restarts_, call.folder);
  return answer;
}

void Caller::bringFiles(const Call& call, const Request& request) const {
  if (!settings_.folder.empty()) {
    if (settings_.link)
      for (const fs::directory_entry& entry : fs::directory_iterator(settings_.folder))
        fs::create_symlink(fs::absolute(entry.path()), call.folder / entry.path().filename());
    else
      copyFolderInto(settings_.folder, call.folder);
  }
  for (const fs::path& file : settings_.include) copyInto(file, call.folder / file.filename());
  // Results that came with the files are not this call's.
  for (const OutputSettings& output : settings_.outputs) fs::remove(call.folder / output.reading.file);
  for (const char* prefix : {"before.", "", "after."})
    for (const char* name : {kOutput, kErrors}) fs::remove(call.folder / (std::string(prefix) + name));
  if (request.restart)
    request.restart->provide(call.folder);
  else
    provideStart(settings_.restart, call.folder);
}

void Caller::writeInputs(const Call& call, const Request& request) const {
  const std::vector<double> ofCall{request.t0, request.t1, static_cast<double>(call.step),
                                   static_cast<double>(call.iteration)};
  std::vector<std::span<const double>> values = request.values;
  for (const double& value : ofCall) values.emplace_back(&value, 1);
  for (const auto& [name, deck] : decks_) put(call.folder / name, deck.render(values));
  for (std::size_t i = 0; i < settings_.inputs.size(); ++i) {
    const PortSettings& input = settings_.inputs[i];
    if (!input.file.empty()) put(call.folder / input.file, standardCsvText(input.field.ids, values[i]));
  }
}

void Caller::run(const Command& command, const Call& call, const Request& request, const std::string& prefix) {
  const Ended ended = program::run({.command = command,
                                    .folder = call.folder,
                                    .output = call.folder / (prefix + kOutput),
                                    .errors = call.folder / (prefix + kErrors),
                                    .limits = settings_.limits,
                                    .environment = environmentOf(call, request, settings_),
                                    .interrupted = [this] { return isInterrupted(); }});
  processorSeconds_ += ended.processorSeconds;
  if (ended.ending == Ending::exited && std::ranges::find(settings_.okStatus, ended.code) != settings_.okStatus.end())
    return;
  const bool byShell = std::holds_alternative<std::string>(command);
  std::string message = fmt::format("The command '{}' {}.", text(command), text(ended));
  const std::vector<std::string> said = lastLines(call.folder / (prefix + kErrors));
  if (!said.empty()) message += fmt::format(" Its standard error ends with: {}", fmt::join(said, " | "));
  const std::string remedy = remedyFor(ended, byShell);
  throw core::SubsystemError(message + (remedy.empty() ? "" : " " + remedy));
}

void Caller::ask(const Call& call) {
  if (!service_)
    service_ = std::make_unique<Service>(Launch{.command = settings_.command,
                                                .folder = folders_.root(),
                                                .output = {},
                                                .errors = folders_.root() / kServiceErrors,
                                                .limits = settings_.limits,
                                                .environment = {"KOPPLA_PROJECT=" + settings_.projectFolder.string()},
                                                .interrupted = [this] { return isInterrupted(); }});
  const double before = service_->processorSeconds();
  const std::string failure = service_->request("run " + call.folder.string());
  if (failure.empty()) {
    processorSeconds_ += service_->processorSeconds() - before;
    return;
  }
  service_.reset();
  const std::vector<std::string> said = lastLines(folders_.root() / kServiceErrors);
  throw core::SubsystemError(
      fmt::format("{} Its command is '{}'.{}", core::printable(failure), text(settings_.command),
                  said.empty() ? "" : fmt::format(" Its standard error ends with: {}", fmt::join(said, " | "))));
}

void Caller::searchFailures(const Call& call) const {
  if (patterns_.empty()) return;
  std::vector<fs::path> files{kOutput, kErrors};
  files.insert(files.end(), settings_.failureFiles.begin(), settings_.failureFiles.end());
  for (const fs::path& name : files) {
    if (!fs::exists(call.folder / name)) continue;
    const detail::Source source{(call.folder / name).string(), core::readWhole(call.folder / name)};
    detail::Lines lines(source.text);
    while (const std::optional<std::string_view> line = lines.next())
      for (std::size_t i = 0; i < patterns_.size(); ++i)
        if (detail::matches(*line, patterns_[i]))
          detail::fail(source, lines.number(),
                       fmt::format("The program says '{}', which means failure ('{}').",
                                   detail::trimmed(line->substr(0, 300)), settings_.failurePatterns[i]),
                       "Look there for the reason, or change failure_patterns.");
  }
}

}  // namespace koppla::program
