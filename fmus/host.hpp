#pragma once
// What a model may ask of its surroundings: log lines, its instance name, its resources.

#include <array>
#include <cstdarg>
#include <cstdio>
#include <string>
#include <string_view>

#include "fmi2.hpp"

namespace koppla::fmus {

// The standard's names for log categories; every FMU of ours declares exactly these.
inline constexpr std::array<std::string_view, 6> kLogCategories{
    "logAll", "logStatusWarning", "logStatusDiscard", "logStatusError", "logStatusFatal", "logEvents"};

class Host {
 public:
  Host(const fmi2CallbackFunctions& callbacks, const char* instanceName, const char* resourceLocation, bool loggingOn)
      : callbacks_(callbacks),
        instanceName_(instanceName ? instanceName : ""),
        resourceLocation_(resourceLocation ? resourceLocation : ""),
        enabled_(loggingOn ? kEverything : 0) {}

  // Problems are always told; plain news only if logging is on for its category.
  [[gnu::format(printf, 4, 5)]] void log(fmi2Status status, const char* category, const char* format, ...) const {
    if (!callbacks_.logger || (status == fmi2OK && !(enabled_ & bit(category)))) return;
    std::array<char, 1024> line{};
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(line.data(), line.size(), format, arguments);
    va_end(arguments);
    callbacks_.logger(callbacks_.componentEnvironment, instanceName_.c_str(), status, category, "%s", line.data());
  }

  // An empty list means all categories. False if one of them does not exist.
  bool setLogging(bool on, std::size_t count, const fmi2String categories[]) {
    unsigned chosen = count == 0 ? kEverything : 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!categories || !categories[i] || bit(categories[i]) == 0) return false;
      chosen |= categories[i] == kLogCategories[0] ? kEverything : bit(categories[i]);
    }
    enabled_ = on ? enabled_ | chosen : enabled_ & ~chosen;
    return true;
  }

  const fmi2CallbackFunctions& callbacks() const { return callbacks_; }
  const std::string& instanceName() const { return instanceName_; }
  // A file URI, as the importing tool gave it; empty if it gave none.
  const std::string& resourceLocation() const { return resourceLocation_; }

 private:
  static constexpr unsigned kEverything = ~0u;

  static unsigned bit(std::string_view category) {
    for (unsigned i = 0; i < kLogCategories.size(); ++i)
      if (kLogCategories[i] == category) return 1u << i;
    return 0;
  }

  // A copy: tools exist whose callback structure does not outlive fmi2Instantiate.
  fmi2CallbackFunctions callbacks_;
  std::string instanceName_;
  std::string resourceLocation_;
  unsigned enabled_;
};

}  // namespace koppla::fmus
