#include "koppla/fmi/detail/return_watch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "koppla/fmi/detail/differ.hpp"

namespace koppla::fmi::detail {

using subsystem::Status;

namespace {

constexpr std::size_t kFirstTry = 2;   // steps: in the first one there is nothing to go back to
constexpr std::size_t kPatience = 10;  // steps
constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

/// Of one output: after the step before and after the call that is looked at; then after the repetition of that call
/// and after another call, told that a return is possible and told that none is.
struct Course {
  double before;
  double after;
  double doubted;
  double doubtedNext;
  double free;
  double freeNext;
};

enum class Verdict : std::uint8_t { unknown, right, wrong };

/// 0 where it is rounding.
double distance(double a, double b) {
  return differ(a, b) ? std::fabs(a - b) : 0.0;
}

/// What does not repeat itself when it is told the same as before (a count of calls, a time of day) says nothing. Right
/// is only who moves so far that going back would be seen.
Verdict judgeReal(const Course& y) {
  constexpr double kMuch = 0.1;     // of the movement: solvers that begin anew differ by less
  constexpr double kLoose = 1e-6;   // of the value: they may differ by that where it hardly moves
  constexpr double kLittle = 0.01;  // of the difference
  const double movement = distance(y.free, y.freeNext);
  const double size =
      std::max({std::fabs(y.doubted), std::fabs(y.doubtedNext), std::fabs(y.free), std::fabs(y.freeNext)});
  const double bound = std::max(kMuch * std::max(movement, distance(y.before, y.after)), kLoose * size);
  const double difference = std::max(distance(y.doubted, y.free), distance(y.doubtedNext, y.freeNext));
  const double unrepeated = distance(y.after, y.doubted);
  if (difference > bound) return unrepeated > kLittle * difference ? Verdict::unknown : Verdict::wrong;
  return movement > bound && unrepeated <= bound ? Verdict::right : Verdict::unknown;
}

/// Integers and booleans that differ are no looseness, whatever they move by.
Verdict judgeDiscrete(const Course& y) {
  if (y.doubted != y.after) return Verdict::unknown;
  if (y.doubted != y.free || y.doubtedNext != y.freeNext) return Verdict::wrong;
  return y.free != y.freeNext ? Verdict::right : Verdict::unknown;
}

bool isRealOutput(const core::Values& values, std::size_t output) {
  return output < values.reals.size();
}

/// Outputs are counted from reals over integers to booleans.
double valueOf(const core::Values& values, std::size_t output) {
  if (isRealOutput(values, output)) return values.reals[output];
  const std::size_t discrete = output - values.reals.size();
  return discrete < values.integers.size() ? values.integers[discrete]
                                           : values.booleans[discrete - values.integers.size()];
}

}  // namespace

ReturnWatch::ReturnWatch(TrialCalls& calls, double end)
    : calls_(calls),
      instance_(calls.instance()),
      end_(end),
      nextTry_(kFirstTry),
      patience_(kPatience),
      judged_(calls.outputs().size()) {}

Status ReturnWatch::arrive(const subsystem::Step& step) {
  if (step.returnsBefore) {
    doubted_ = true;
    return Status::ok;
  }
  const bool accepted = step.t0 > begin_;
  const bool doubted = std::exchange(doubted_, false);
  begin_ = step.t0;
  awake_ = !step.final;
  return accepted && doubted ? judge() : Status::ok;
}

/// An FMU that gives no outputs can go on from a saved state only. What could be read once is not saved before.
Status ReturnWatch::look() {
  const bool mayFail = !known_;
  if (mayFail)
    if (const Status status = instance_.save(kWatchedEnd); status >= Status::discard) return status;
  known_ = calls_.read(after_);
  if (known_) return Status::ok;
  if (mayFail) return instance_.restore(kWatchedEnd);
  instance_.addToFailure(" Its outputs cannot be read, and could after the step before.");
  return instance_.phase() == Phase::lost ? Status::fatal : Status::error;
}

/// An output that was not seen to move rightly: nothing is known of what it depends on, whatever the others do.
bool ReturnWatch::movesAnew() const {
  for (std::size_t output = 0; output < judged_.size(); ++output) {
    if (judged_[output]) continue;
    const double before = valueOf(before_, output);
    const double after = valueOf(after_, output);
    if (isRealOutput(before_, output) ? differ(before, after) : before != after) return true;
  }
  return false;
}

Status ReturnWatch::judge() {
  const bool knownBefore = known_;
  std::swap(before_, after_);
  if (const Status status = look(); status >= Status::discard) return status;
  still_ = known_ && knownBefore && before_ == after_ ? still_ + 1 : 0;
  if (still_ == 0) patience_ = kPatience;
  const bool due = isDue(++steps_, still_);
  const Status status = due && kept_ && known_ && knownBefore ? repeat() : Status::ok;
  // Who does not move is asked ever less often.
  if (due && nextTry_ != kNever) nextTry_ = 2 * steps_;
  if (known_ && knownBefore && steps_ >= barren_ && movesAnew()) {
    nextTry_ = steps_ + 1;
    barren_ = 2 * steps_;
  }
  if (still_ >= patience_) patience_ = 2 * still_;
  kept_.reset();
  return status;
}

Status ReturnWatch::depart(const subsystem::Step& step, double h) {
  if (!step.returnsBefore || !isDue(steps_ + 1, still_ + 1)) return Status::ok;
  kept_ = Call{step.t0, step.t1, h};
  return instance_.save(kWatchedBegin);
}

bool ReturnWatch::doStep(double t, double h, bool returnsBefore) {
  const Answer answer = calls_.doStep(t, h, returnsBefore);
  if (answer.bad()) instance_.note(answer);
  return !answer.bad();
}

/// The inputs are part of the saved state.
std::optional<ReturnWatch::Moves> ReturnWatch::moves(bool returnsBefore) {
  if (instance_.restore(kWatchedBegin) >= Status::discard || !doStep(kept_->t0, kept_->h, returnsBefore))
    return std::nullopt;
  Moves moves;
  if (!calls_.read(moves.first) || !doStep(kept_->t1, kept_->h, returnsBefore) || !calls_.read(moves.second))
    return std::nullopt;
  return moves;
}

/// Whether one of the outputs does; which of them are right is noted.
bool ReturnWatch::goesBack(const Moves& doubted, const Moves& freely) {
  bool wrong = false;
  for (std::size_t output = 0; output < judged_.size(); ++output) {
    const Course course{valueOf(before_, output),        valueOf(after_, output),       valueOf(doubted.first, output),
                        valueOf(doubted.second, output), valueOf(freely.first, output), valueOf(freely.second, output)};
    const Verdict verdict = isRealOutput(after_, output) ? judgeReal(course) : judgeDiscrete(course);
    if (verdict == Verdict::wrong) wrong = true;
    if (verdict != Verdict::right) continue;
    nextTry_ = kNever;
    if (!judged_[output]) barren_ = 0;
    judged_[output] = true;
  }
  return wrong;
}

/// fmi2True comes last, since it promises that nobody goes back any more.
Status ReturnWatch::repeat() {
  if (!(kept_->t1 + kept_->h <= end_)) return Status::ok;
  if (const Status status = instance_.save(kWatchedEnd); status >= Status::discard) return status;
  const std::optional<Moves> doubted = moves(true);
  const std::optional<Moves> freely = doubted ? moves(false) : std::nullopt;
  if (instance_.phase() == Phase::lost) return Status::fatal;
  if (const Status status = instance_.restore(kWatchedEnd); status >= Status::discard) return status;
  if (!freely || !goesBack(*doubted, *freely)) return Status::ok;
  return instance_.fail(fmt::format(
      "Told that an earlier state may be restored (noSetFMUStatePriorToCurrentPoint = fmi2False), fmi2DoStep goes back "
      "by itself: the step from {} s to {} s and another one of that size give other outputs than told that none will "
      "be. That is against FMI 2.0.4, 4.2.2, and all results since then are wrong. Use this FMU without "
      "step_control.kind = \"double-step\", algorithm.waveform and micro_step, or have it mended.",
      core::text(kept_->t0), core::text(kept_->t1)));
}

}  // namespace koppla::fmi::detail
