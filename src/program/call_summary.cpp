#include "koppla/program/call_summary.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include "koppla/core/file.hpp"
#include "koppla/program/detail/call_book.hpp"

namespace koppla::program {

namespace fs = std::filesystem;

namespace {

std::vector<std::string_view> cellsOf(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t comma = line.find(',');
    cells.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

template <typename Number>
Number numberOf(std::string_view text) {
  Number number{};
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// What is not there yet, or no longer, is empty.
std::string contentOf(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return {};
  try {
    return core::readWhole(file);
  } catch (const std::exception&) {
    return {};
  }
}

CallSummary summaryOf(const fs::path& folder) {
  CallSummary summary{.program = folder.filename().string()};
  const std::string calls = contentOf(folder / detail::kCallsFile);
  std::string_view rest = calls;
  bool header = true;
  for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    const std::vector<std::string_view> cells = cellsOf(rest.substr(0, end));
    rest.remove_prefix(end + 1);
    constexpr std::size_t kCells = 8;
    if (!std::exchange(header, false) && cells.size() == kCells) {
      const auto seconds = numberOf<double>(cells[5]);
      summary.processorSeconds += numberOf<double>(cells[6]);
      ++summary.calls;
      if (cells.back() != "ok") ++summary.failed;
      summary.seconds += seconds;
      summary.longest = std::max(summary.longest, seconds);
    }
  }
  const std::string now = contentOf(folder / detail::kUnderWayFile);
  const std::vector<std::string_view> cells = cellsOf(std::string_view(now).substr(0, now.find('\n')));
  if (cells.size() == 3)
    summary.underWay = {numberOf<std::uint64_t>(cells[0]), numberOf<std::uint64_t>(cells[1]), std::string(cells[2])};
  return summary;
}

}  // namespace

std::vector<CallSummary> summariseCalls(const fs::path& programsFolder) {
  std::vector<CallSummary> result;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(programsFolder, error))
    if (entry.is_directory(error)) result.push_back(summaryOf(entry.path()));
  std::ranges::sort(result, {}, &CallSummary::program);
  return result;
}

}  // namespace koppla::program
