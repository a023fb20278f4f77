#include "progress.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "koppla/report/duration.hpp"
#include "koppla/report/text.hpp"

namespace koppla::cli {

namespace {

/// A part of the line, and how early it is left out where there is no room.
struct Part {
  std::string text;
  int rank;  ///< the greatest goes first; 0 stays
};

std::vector<Part> partsOf(const run::Progress& progress, double start, double end) {
  const double done = (progress.time - start) / (end - start);
  const double speed = progress.elapsed > 0.0 ? (progress.time - start) / progress.elapsed : 0.0;
  const double remaining = speed > 0.0 ? (end - progress.time) / speed : 0.0;
  std::vector<Part> parts{{fmt::format("{:5.1f} %", 100.0 * done), 0},
                          {fmt::format("  t = {:.6g} s of {:.6g} s", progress.time, end), 1},
                          {fmt::format("  step {}", progress.steps), 4},
                          {fmt::format(" of {:.3g} s", progress.step), 6}};
  if (progress.iteration > 0) {  // within a step nothing but its iterations moves
    parts.push_back({fmt::format("  iteration {}", progress.iteration), 3});
    parts.push_back({fmt::format(", residual {:.3g}", progress.residual), 5});
  }
  parts.push_back({fmt::format("  {} failures", progress.failures), progress.failures == 0 ? 8 : 3});
  parts.push_back({fmt::format("  {} elapsed", report::duration(progress.elapsed)), 5});
  parts.push_back({fmt::format("  {:.3g} x real time", speed), 7});
  parts.push_back({fmt::format("  {} left", report::duration(remaining)), 2});
  return parts;
}

std::string text(const run::Progress& progress, double start, double end, std::size_t columns) {
  std::vector<Part> parts = partsOf(progress, start, end);
  const auto length = [&parts] {
    return std::accumulate(parts.begin(), parts.end(), std::size_t{0},
                           [](std::size_t sum, const Part& part) { return sum + report::cells(part.text); });
  };
  while (parts.size() > 1 && length() > columns) parts.erase(std::ranges::max_element(parts, {}, &Part::rank));
  std::string line;
  for (const Part& part : parts) line += part.text;
  return line;
}

/// Where a line that is rewritten has room: one that wraps cannot be taken back. All where the width is not known.
std::size_t columnsOfErrors() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return std::numeric_limits<std::size_t>::max();
  return size.ws_col - 1U;  // some terminals wrap behind the last column
}

}  // namespace

void showCount(std::size_t done, std::size_t all, std::string_view counted) {
  if (::isatty(STDERR_FILENO) != 1) return;
  std::fputs(fmt::format("\r\033[K{} of {} {}", done, all, counted).c_str(), stderr);
  if (done == all) std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

ProgressLine::ProgressLine(double start, double end)
    : start_(start), end_(end), terminal_(::isatty(STDERR_FILENO) == 1) {}

void ProgressLine::show(const run::Progress& progress) {
  constexpr std::chrono::milliseconds kBetweenRewrites(150);
  constexpr std::chrono::milliseconds kBetweenPlainLines(5000);
  const auto now = std::chrono::steady_clock::now();
  if (now - lastLine_ < (terminal_ ? kBetweenRewrites : kBetweenPlainLines)) return;
  lastLine_ = now;
  if (terminal_) {
    std::fputs(("\r\033[K" + text(progress, start_, end_, columnsOfErrors())).c_str(), stderr);
    std::fflush(stderr);
    shown_ = true;
    return;
  }
  std::fputs((text(progress, start_, end_, std::numeric_limits<std::size_t>::max()) + "\n").c_str(), stderr);
}

void ProgressLine::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

}  // namespace koppla::cli
