#include "koppla/study/row.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "koppla/core/error.hpp"
#include "koppla/core/value.hpp"

namespace koppla::study {

namespace {

constexpr std::array<std::string_view, 6> kWords{
    "ok", "unstable", "not-converged", "failed", "limited-by-reference", "ended-early"};
constexpr std::size_t kFields = 17;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

[[noreturn]] void refuse(std::string_view line) {
  throw core::InputError(fmt::format("'{}' is no row of a study.", line), "Start the study anew with --restart.");
}

template <typename Number>
Number numberFrom(std::string_view text, std::string_view line) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) refuse(line);
  return value;
}

std::string onOneLine(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text;
}

}  // namespace

std::string_view word(Status status) {
  return kWords.at(static_cast<std::size_t>(status));
}

std::string toLine(const Row& row) {
  std::vector<std::string> errors;
  for (const double error : row.errors) errors.push_back(core::text(error));
  const subsystem::Effort& effort = row.effort;
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", word(row.status),
                     core::text(row.error), fmt::join(errors, " "), core::text(row.referenceError),
                     core::text(row.meanStep), core::text(row.smallestStep), core::text(row.largestStep),
                     row.acceptedSteps, core::text(row.wallClock), core::text(row.cpu), effort.microSteps,
                     effort.rejectedMicroSteps, effort.rightHandSides, effort.jacobians, effort.correctorIterations,
                     effort.staticCalls, onOneLine(row.message));
}

Row rowFrom(std::string_view line) {
  const std::vector<std::string_view> fields = split(line, '\t');
  if (fields.size() != kFields) refuse(line);
  const auto* const status = std::ranges::find(kWords, fields[0]);
  if (status == kWords.end()) refuse(line);
  const auto real = [line](std::string_view text) { return numberFrom<double>(text, line); };
  Row row;
  row.status = static_cast<Status>(status - kWords.begin());
  row.error = real(fields[1]);
  if (!fields[2].empty())
    for (const std::string_view error : split(fields[2], ' ')) row.errors.push_back(real(error));
  row.referenceError = real(fields[3]);
  row.meanStep = real(fields[4]);
  row.smallestStep = real(fields[5]);
  row.largestStep = real(fields[6]);
  row.acceptedSteps = numberFrom<std::uint64_t>(fields[7], line);
  row.wallClock = real(fields[8]);
  row.cpu = real(fields[9]);
  const auto count = [line](std::string_view text) { return numberFrom<std::uint64_t>(text, line); };
  row.effort = {count(fields[10]), count(fields[11]), count(fields[12]),
                count(fields[13]), count(fields[14]), count(fields[15])};
  row.message = fields[16];
  return row;
}

}  // namespace koppla::study
