#include "koppla/core/moment.hpp"

#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace koppla::core {

using Clock = std::chrono::system_clock;

std::string moment(Clock::time_point when) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(Clock::to_time_t(when)));
}

std::optional<Clock::time_point> parseMoment(const std::string& text) {
  std::tm parts{};
  const char* const end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return Clock::from_time_t(::timegm(&parts));
}

}  // namespace koppla::core
