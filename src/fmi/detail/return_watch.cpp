#include "koppla/fmi/detail/return_watch.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "koppla/fmi/detail/differ.hpp"

namespace koppla::fmi::detail {

using subsystem::Status;

namespace {

constexpr std::size_t kFirstTry = 2;   // steps: in the first one there is nothing to go back to
constexpr std::size_t kPatience = 10;  // steps
constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

/// The largest difference of reals that is more than rounding; infinite where other values differ.
double distance(const core::Values& a, const core::Values& b) {
  if (a.integers != b.integers || a.booleans != b.booleans) return HUGE_VAL;
  double largest = 0.0;
  for (std::size_t i = 0; i < a.reals.size(); ++i)
    if (differ(a.reals[i], b.reals[i])) largest = std::fmax(largest, std::fabs(a.reals[i] - b.reals[i]));
  return largest;
}

}  // namespace

ReturnWatch::ReturnWatch(TrialCalls& calls, double end)
    : calls_(calls), instance_(calls.instance()), end_(end), nextTry_(kFirstTry), patience_(kPatience) {}

Status ReturnWatch::arrive(const subsystem::Step& step) {
  if (step.returnsBefore) {
    doubted_ = true;
    return Status::ok;
  }
  const bool accepted = step.t0 > begin_;
  const bool doubted = std::exchange(doubted_, false);
  begin_ = step.t0;
  return accepted && doubted ? judge() : Status::ok;
}

/// An FMU that gives no outputs can go on from a saved state only. What could be read once is not saved before.
Status ReturnWatch::look() {
  const bool mayFail = !known_;
  if (mayFail)
    if (const Status status = instance_.save(kWatchedEnd); status >= Status::discard) return status;
  known_ = calls_.read(now_);
  if (known_) return Status::ok;
  if (mayFail) return instance_.restore(kWatchedEnd);
  instance_.addToFailure(" Its outputs cannot be read, and could after the step before.");
  return instance_.phase() == Phase::lost ? Status::fatal : Status::error;
}

/// An output that has not moved in any repeated call: nothing is known of what it depends on, whatever the others do.
bool ReturnWatch::movesAnew() const {
  for (std::size_t i = 0; i < now_.reals.size(); ++i)
    if (differ(now_.reals[i], last_.reals[i]) && (i >= judged_.size() || !judged_[i])) return true;
  return false;
}

void ReturnWatch::noteMovements(const Moves& moves) {
  judged_.resize(moves.first.reals.size());
  for (std::size_t i = 0; i < judged_.size(); ++i)
    if (differ(moves.first.reals[i], moves.second.reals[i])) judged_[i] = true;
}

Status ReturnWatch::judge() {
  const bool knownBefore = known_;
  if (const Status status = look(); status >= Status::discard) return status;
  still_ = known_ && knownBefore && last_ == now_ ? still_ + 1 : 0;
  std::swap(last_, now_);
  if (still_ == 0) patience_ = kPatience;
  const bool due = isDue(++steps_, still_);
  const Status status = due && kept_ && known_ ? repeat() : Status::ok;
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

/// fmi2True comes last, since it promises that nobody goes back any more.
Status ReturnWatch::repeat() {
  if (!(kept_->t1 + kept_->h <= end_)) return Status::ok;
  if (const Status status = instance_.save(kWatchedEnd); status >= Status::discard) return status;
  const std::optional<Moves> doubted = moves(true);
  const std::optional<Moves> freely = doubted ? moves(false) : std::nullopt;
  if (instance_.phase() == Phase::lost) return Status::fatal;
  if (const Status status = instance_.restore(kWatchedEnd); status >= Status::discard) return status;
  if (!freely) return Status::ok;

  constexpr double kMuch = 0.1;  // of the movement: solvers that begin anew differ by less
  const double movement = distance(freely->first, freely->second);
  const double difference =
      std::fmax(distance(doubted->first, freely->first), distance(doubted->second, freely->second));
  const bool repeatsItself = !(distance(doubted->first, last_) > kMuch * movement);
  if (!repeatsItself) return Status::ok;
  if (!(difference > kMuch * movement)) {
    noteMovements(*freely);
    if (movement > 0.0) nextTry_ = kNever;
    return Status::ok;
  }
  return instance_.fail(fmt::format(
      "Told that an earlier state may be restored (noSetFMUStatePriorToCurrentPoint = fmi2False), fmi2DoStep goes back "
      "by itself: the step from {} s to {} s and another one of that size give other outputs than told that none will "
      "be. That is against FMI 2.0.4, 4.2.2, and all results since then are wrong. Use this FMU without "
      "step_control.kind = \"double-step\", algorithm.waveform and micro_step, or have it mended.",
      core::text(kept_->t0), core::text(kept_->t1)));
}

}  // namespace koppla::fmi::detail
