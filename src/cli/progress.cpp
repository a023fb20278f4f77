#include "progress.hpp"

#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "koppla/report/duration.hpp"

namespace koppla::cli {

namespace {

std::string text(const run::Progress& progress, double start, double end) {
  const double done = (progress.time - start) / (end - start);
  const double speed = progress.elapsed > 0.0 ? (progress.time - start) / progress.elapsed : 0.0;
  const double remaining = speed > 0.0 ? (end - progress.time) / speed : 0.0;
  // Within a step nothing but its iterations moves.
  const std::string iteration =
      progress.iteration == 0 ? ""
                              : fmt::format("  iteration {}, residual {:.3g}", progress.iteration, progress.residual);
  return fmt::format(
      "{:5.1f} %  t = {:.6g} s of {:.6g} s  step {} of {:.3g} s{}  {} failures  {} elapsed  {:.3g} x real time  {} "
      "left",
      100.0 * done, progress.time, end, progress.steps, progress.step, iteration, progress.failures,
      report::duration(progress.elapsed), speed, report::duration(remaining));
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
    std::fputs(("\r\033[K" + text(progress, start_, end_)).c_str(), stderr);
    std::fflush(stderr);
    shown_ = true;
    return;
  }
  std::fputs((text(progress, start_, end_) + "\n").c_str(), stderr);
}

void ProgressLine::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

}  // namespace koppla::cli
