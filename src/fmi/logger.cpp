#include "koppla/fmi/logger.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdlib>
#include <optional>
#include <shared_mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "koppla/core/printable.hpp"
#include "koppla/core/utf8.hpp"
#include "koppla/fmi/detail/foreign_memory.hpp"
#include "koppla/fmi/detail/message_format.hpp"
#include "koppla/fmi/text.hpp"
#include "koppla/subsystem/call_under_way.hpp"

namespace koppla::fmi {

namespace {

constexpr std::size_t kKept = 20;
constexpr std::size_t kQuoted = 5;
constexpr std::size_t kQuotedLength = 500;
// In bytes. FMUs may say anything, in any length.
constexpr std::size_t kLongestMessage = std::size_t{16} << 10U;
constexpr std::size_t kLongestName = 1000;

/// The instances that live now. The callback takes them from here rather than trust the pointer it is handed: some FMUs
/// pass NULL or a pointer of their own as component environment, or log after they were freed.
class Living {
 public:
  static Living& all() {
    static Living only;
    return only;
  }

  void add(InstanceLog* log) {
    const std::unique_lock lock(mutex_);
    logs_.push_back(log);
  }
  void remove(InstanceLog* log) {
    const std::unique_lock lock(mutex_);
    std::erase(logs_, log);
  }

  /// Calls the function with the instance meant: by pointer, else by name, else any; not at all if none lives.
  template <typename Function>
  void with(const void* environment, const std::optional<std::string>& name, Function function) {
    const std::shared_lock lock(mutex_);
    auto found =
        std::ranges::find(logs_, environment, [](const InstanceLog* log) { return static_cast<const void*>(log); });
    if (found == logs_.end() && name)
      found = std::ranges::find_if(logs_, [&](const InstanceLog* log) { return log->instance() == *name; });
    if (found != logs_.end())
      function(**found, true);
    else if (!logs_.empty())
      function(*logs_.front(), logs_.size() == 1);
  }

 private:
  std::shared_mutex mutex_;
  std::vector<InstanceLog*> logs_;
};

extern "C" void logFromFmu(fmi2::ComponentEnvironment environment, fmi2::String instance, fmi2::Status status,
                           fmi2::String category, fmi2::String message, ...) {
  std::va_list arguments;
  va_start(arguments, message);
  try {
    const std::optional<std::string> format = detail::foreignText(message, kLongestMessage + 1);
    std::string text = format ? detail::formattedMessage(*format, arguments, kLongestMessage) : std::string();
    const std::optional<std::string> name = detail::foreignText(instance, kLongestName);
    Living::all().with(environment, name, [&](InstanceLog& log, bool sure) {
      if (!sure) text = fmt::format("(from '{}', which is no instance) {}", name.value_or("NULL"), text);
      log.write(status, detail::foreignText(category, kLongestName).value_or(""), std::move(text));
    });
  } catch (...) {  // a message is lost (no memory); it must not tear the FMU apart
  }
  va_end(arguments);
}

std::string cut(std::string message) {
  if (message.size() <= kLongestMessage) return message;
  message.resize(core::fitting(message, kLongestMessage).size());
  return message + fmt::format(" ... (cut here: longer than {} bytes)", kLongestMessage);
}

core::Severity severityOf(fmi2::Status status, bool logging) {
  switch (status) {
    case fmi2::Status::ok:
    case fmi2::Status::pending:
      return logging ? core::Severity::info : core::Severity::debug;
    case fmi2::Status::warning:
    case fmi2::Status::discard:
      return core::Severity::warning;
    case fmi2::Status::error:
    case fmi2::Status::fatal:
      return core::Severity::error;
  }
  return core::Severity::warning;
}

/// The name behind '#r12#', given "r12"; empty if there is none.
std::string_view variableNamed(std::string_view token, const ModelDescription& model) {
  if (token.size() < 2) return {};
  const std::size_t type = std::string_view("ribs").find(token.front());
  const std::optional<std::uint32_t> reference = readUnsigned(token.substr(1));
  if (type == std::string_view::npos || !reference) return {};
  constexpr std::array kTypes{core::Type::real, core::Type::integer, core::Type::boolean, core::Type::string};
  for (const Variable& variable : model.variables) {
    const core::Type base = variable.type == core::Type::enumeration ? core::Type::integer : variable.type;
    if (variable.valueReference == *reference && base == kTypes.at(type)) return variable.name;
  }
  return {};
}

}  // namespace

std::string resolved(std::string_view message, const ModelDescription& model) {
  std::string result;
  while (!message.empty() && result.size() <= kLongestMessage) {
    const std::size_t begin = std::min(message.find('#'), message.size());
    result += message.substr(0, begin);
    message.remove_prefix(begin);
    if (message.empty()) break;
    const std::size_t end = message.find('#', 1);
    const std::string_view token = end != std::string_view::npos ? message.substr(1, end - 1) : std::string_view();
    const std::string_view name = variableNamed(token, model);
    if (end == 1 || !name.empty()) {
      result += end == 1 ? "#" : name;
      message.remove_prefix(end + 1);
    } else {
      result += '#';
      message.remove_prefix(1);
    }
  }
  return result;
}

InstanceLog::InstanceLog(std::string instance, const ModelDescription& model, core::Log& log, const Options& options)
    : instance_(std::move(instance)),
      model_(model),
      log_(log),
      options_(options),
      callbacks_{&logFromFmu, &std::calloc, &std::free, nullptr, this} {
  Living::all().add(this);
}

InstanceLog::~InstanceLog() {
  Living::all().remove(this);
  if (subsystem::callUnderWay.instance == &instance_) subsystem::callUnderWay.instance = nullptr;
  for (std::size_t i = 0; i < written_.size(); ++i) {
    if (written_[i] <= options_.logLines) continue;
    const auto severity = static_cast<core::Severity>(i);
    try {
      log_.write(severity, instance_,
                 fmt::format("{} further messages of severity '{}' were not logged.", written_[i] - options_.logLines,
                             core::word(severity)));
    } catch (...) {  // a destructor has nobody to tell
    }
  }
}

void InstanceLog::write(fmi2::Status status, std::string_view category, std::string message) {
  const core::Severity severity = severityOf(status, options_.logging);
  message = cut(core::printable(resolved(trimmed(message), model_), core::LineEnds::kept));
  std::size_t count = 0;
  {
    const std::lock_guard lock(mutex_);
    last_.push_back({severity, std::string(core::fitting(message, kQuotedLength))});
    if (last_.size() > kKept) last_.pop_front();
    count = ++written_.at(static_cast<std::size_t>(severity));
  }
  if (count <= options_.logLines)
    log_.write(severity, instance_,
               category.empty() ? message : fmt::format("[{}] {}", core::printable(category), message));
  else if (count == options_.logLines + 1)
    log_.write(severity, instance_,
               fmt::format("This instance has logged {} messages of severity '{}'; further ones are only counted.",
                           options_.logLines, core::word(severity)));
}

void InstanceLog::write(core::Severity severity, std::string_view message) {
  log_.write(severity, instance_, message);
}

std::string InstanceLog::lastWords() const {
  const std::lock_guard lock(mutex_);
  const bool trouble =
      std::ranges::any_of(last_, [](const Line& line) { return line.severity >= core::Severity::warning; });
  std::vector<std::string_view> quotes;
  for (const Line& line : last_)
    if (!trouble || line.severity >= core::Severity::warning) quotes.push_back(line.message);
  if (quotes.empty()) return {};
  if (quotes.size() > kQuoted) quotes.erase(quotes.begin(), quotes.end() - kQuoted);
  return fmt::format(" The FMU said: '{}'.", fmt::join(quotes, "', '"));
}

}  // namespace koppla::fmi
