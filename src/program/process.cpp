#include "koppla/program/process.hpp"

#include <cstring>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "koppla/program/detail/child.hpp"

namespace koppla::program {

std::string text(const Command& command) {
  if (const auto* line = std::get_if<std::string>(&command)) return *line;
  return fmt::format("{}", fmt::join(std::get<std::vector<std::string>>(command), " "));
}

bool isEmpty(const Command& command) {
  return std::visit([](const auto& given) { return given.empty(); }, command);
}

std::string text(const Ended& ended) {
  switch (ended.ending) {
    case Ending::exited:
      return fmt::format("ended with exit status {}", ended.code);
    case Ending::killed:
      return fmt::format("was killed by signal {} ({})", ended.code, ::strsignal(ended.code));
    case Ending::outOfTime:
      return fmt::format("was ended by its time limit after {:.3g} s", ended.seconds);
    case Ending::interrupted:
      return "was interrupted";
    case Ending::notStarted:
      return "could not be started: " + std::error_code(ended.code, std::generic_category()).message();
    case Ending::unknown:
      return "has ended, nobody knows how: something in Koppla's process took the news of its end";
  }
  return {};
}

Ended run(const Launch& launch) {
  const detail::Descriptor input = detail::openNothing();
  const detail::Descriptor output = detail::openForWriting(launch.output);
  const detail::Descriptor errors = detail::openForWriting(launch.errors);
  const detail::Clock::time_point begin = detail::Clock::now();
  detail::Child child({detail::argumentsOf(launch.command), launch.environment, launch.folder, launch.limits,
                       input.get(), output.get(), errors.get()});
  if (child.startFailure() != 0) return {Ending::notStarted, child.startFailure()};
  std::optional<detail::Clock::time_point> deadline;
  if (launch.limits.seconds > 0.0)
    deadline = begin + std::chrono::duration_cast<detail::Clock::duration>(
                           std::chrono::duration<double>(launch.limits.seconds));
  if (const std::optional<Ended> ended = child.wait(deadline, launch.interrupted)) return *ended;
  child.kill();
  const std::optional<Ended> killed = child.wait({}, {});
  const bool interrupted = launch.interrupted && launch.interrupted();
  return {interrupted ? Ending::interrupted : Ending::outOfTime, 0, killed ? killed->seconds : 0.0};
}

}  // namespace koppla::program
