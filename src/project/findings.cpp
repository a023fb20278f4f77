#include "koppla/project/findings.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace koppla::project {

void Findings::mistake(core::Place place, std::string message, std::string remedy) {
  mistakes.push_back({std::move(place), std::move(message), std::move(remedy)});
}

void Findings::warning(core::Place place, std::string message, std::string remedy) {
  warnings.push_back({std::move(place), std::move(message), std::move(remedy)});
}

void Findings::append(Findings other) {
  std::ranges::move(other.mistakes, std::back_inserter(mistakes));
  std::ranges::move(other.warnings, std::back_inserter(warnings));
}

void Findings::sort(const std::string& file) {
  const auto earlier = [&file](const core::Problem& a, const core::Problem& b) {
    return std::tuple(a.place.file != file, a.place.line, a.place.column) <
           std::tuple(b.place.file != file, b.place.line, b.place.column);
  };
  std::ranges::stable_sort(mistakes, earlier);
  std::ranges::stable_sort(warnings, earlier);
}

void Findings::conclude(core::Log& log) const {
  for (const core::Problem& warning : warnings) log.write(core::Severity::warning, "project", core::text(warning));
  if (!mistakes.empty()) throw core::InputError(mistakes);
}

}  // namespace koppla::project
