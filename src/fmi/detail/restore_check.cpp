#include "koppla/fmi/detail/restore_check.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "koppla/fmi/detail/differ.hpp"

namespace koppla::fmi::detail {

using subsystem::PortIndex;
using subsystem::Status;

RestoreCheck::RestoreCheck(TrialCalls& calls) : calls_(calls) {
  for (const PortIndex port : calls_.outputs()) switch (calls_.instance().ports().description.ports[port].type) {
      case core::Type::real:
        reals_.push_back(port);
        break;
      case core::Type::integer:
      case core::Type::enumeration:
        integers_.push_back(port);
        break;
      case core::Type::boolean:
        booleans_.push_back(port);
        break;
      case core::Type::string:
        break;
    }
}

void RestoreCheck::connect(std::vector<PortIndex> outputs) {
  std::ranges::sort(outputs);
  connected_.clear();
  std::ranges::set_intersection(outputs, calls_.outputs(), std::back_inserter(connected_));
}

bool RestoreCheck::isUsed(PortIndex port) const {
  return std::ranges::binary_search(connected_, port);
}

template <class Use>
void RestoreCheck::forDiffering(const core::Values& a, const core::Values& b, Use&& use) const {
  for (std::size_t i = 0; i < reals_.size(); ++i)
    if (differ(a.reals[i], b.reals[i])) use(reals_[i]);
  const auto compare = [&use](const auto& x, const auto& y, const std::vector<PortIndex>& of) {
    for (std::size_t i = 0; i < of.size(); ++i)
      if (x[i] != y[i]) use(of[i]);
  };
  compare(a.integers, b.integers, integers_);
  compare(a.booleans, b.booleans, booleans_);
}

/// Outputs that nobody uses may be clocks, which tell nothing of the others.
bool RestoreCheck::isAtRest() const {
  bool moves = false;
  forDiffering(before_, first_, [&](PortIndex port) { moves = moves || connected_.empty() || isUsed(port); });
  return !moves && !calls_.outputs().empty();
}

RestoreCheck::Result RestoreCheck::take(double t, double h) {
  FmuInstance& instance = calls_.instance();
  if (const Status status = instance.save(kCheckedBegin); status >= Status::discard) return {{}, status};
  if (!calls_.read(before_)) return takeOnce(t, h);
  const Answer answer = calls_.doStep(t, h, false);
  if (answer.bad()) return {answer, std::nullopt};  // there is no step that could be compared
  if (!calls_.read(first_)) return takeOnce(t, h);
  // At rest most states look alike: one look, and another one when something moves.
  constexpr unsigned kPatience = 20;  // evaluations: looking whether something moves takes longer than a small FMU
  const bool atRest = isAtRest();
  if (atRest && waits_ > 0) {
    due_ = --waits_ > 0;
    return {answer, std::nullopt};
  }
  rest();
  due_ = atRest;
  waits_ = atRest ? kPatience : 0;
  Result result = repeat(t, h, second_);
  if (result.failed || differing(first_, second_).empty()) return result;
  if (const Status status = instance.restore(kCheckedBegin); status >= Status::discard) return {{}, status};
  if (!calls_.read(restored_)) return stopped(" Its outputs cannot be read after fmi2SetFMUstate.");
  result = repeat(t, h, third_);
  if (!result.failed) result.failed = judge(t, h);
  return result;
}

/// Where outputs cannot be read there is nothing to compare. Nobody may use those, so that the run could do without.
RestoreCheck::Result RestoreCheck::takeOnce(double t, double h) {
  FmuInstance& instance = calls_.instance();
  rest();
  if (const Status status = instance.restore(kCheckedBegin); status >= Status::discard) return {{}, status};
  if (!std::exchange(toldUnread_, true))
    instance.log().write(core::Severity::warning,
                         fmt::format("{} Outputs cannot be read at {} s or after the step from there, so it is not "
                                     "known whether fmi2SetFMUstate brings back the saved state.",
                                     instance.failure(), core::text(t)));
  return {calls_.doStep(t, h, false), std::nullopt};
}

/// The inputs are part of the saved state.
RestoreCheck::Result RestoreCheck::repeat(double t, double h, core::Values& into) {
  FmuInstance& instance = calls_.instance();
  if (const Status status = instance.restore(kCheckedBegin); status >= Status::discard) return {{}, status};
  const Answer answer = calls_.doStep(t, h, false);
  if (answer.bad())
    instance.note(answer);
  else if (calls_.read(into))
    return {answer, std::nullopt};
  return stopped(fmt::format(
      " {} the step from {} s with h = {} s, and not when it was repeated after fmi2SetFMUstate. Choose an algorithm "
      "that repeats no step, such as \"gauss-seidel\", or have the FMU mended.",
      answer.bad() ? "It took" : "Its outputs cannot be read: they could after", core::text(t), core::text(h)));
}

/// A call has failed, and was noted.
RestoreCheck::Result RestoreCheck::stopped(const std::string& why) {
  FmuInstance& instance = calls_.instance();
  instance.addToFailure(why);
  return {{}, instance.phase() == Phase::lost ? Status::fatal : Status::error};
}

std::vector<PortIndex> RestoreCheck::differing(const core::Values& a, const core::Values& b) const {
  std::vector<PortIndex> ports;
  forDiffering(a, b, [&ports](PortIndex port) { ports.push_back(port); });
  return ports;
}

/// Solvers that begin anew, or from their last iterate, answer otherwise by their own tolerance, which nobody knows.
/// Who has not gone back goes on in every repetition; who has gone elsewhere is seen there; and a step that differs by
/// as much as it moves was another one.
RestoreCheck::Doubt RestoreCheck::doubtOfReal(std::size_t real) const {
  const double y0 = before_.reals[real];
  const double y1 = first_.reals[real];
  const double y2 = second_.reals[real];
  const double y3 = third_.reals[real];
  if (!differ(y1, y2)) return Doubt::none;
  constexpr double kAlike = 2.0;
  const double ratio = (y3 - y2) / (y2 - y1);
  if (differ(y2, y3) && ratio >= 1.0 / kAlike && ratio <= kAlike) return Doubt::proven;
  const double change = std::fabs(y2 - y1);
  const double movement = std::fabs(y1 - y0);
  constexpr double kMuch = 0.01;  // of the movement
  if (differ(y0, restored_.reals[real]) && change > kMuch * movement) return Doubt::proven;
  constexpr double kMost = 0.1;      // of the movement
  constexpr double kLoosest = 1e-3;  // of the value: looser than solvers are usually run
  constexpr double kLoose = 1e-6;    // as some are
  const double size = std::fmax(std::fabs(y1), std::fabs(y2));
  if (change <= kMost * movement || change <= kLoose * size) return Doubt::none;
  return change > kLoosest * size ? Doubt::proven : Doubt::some;
}

RestoreCheck::Doubt RestoreCheck::doubtOf(PortIndex port) const {
  const auto real = std::ranges::find(reals_, port);
  return real == reals_.end() ? Doubt::proven : doubtOfReal(static_cast<std::size_t>(real - reals_.begin()));
}

/// An output that nobody uses may be a count of calls or a time of day: it is told, and the run goes on.
std::optional<Status> RestoreCheck::judge(double t, double h) {
  FmuInstance& instance = calls_.instance();
  std::vector<std::string> guilty;
  std::vector<std::string> unused;
  std::vector<std::string> doubtful;
  for (const PortIndex port : differing(first_, second_)) {
    const Doubt doubt = doubtOf(port);
    const bool used = isUsed(port);
    if (doubt == Doubt::none || (doubt == Doubt::some && !used)) continue;
    (doubt == Doubt::some ? doubtful : used ? guilty : unused).push_back(instance.ports().description.ports[port].name);
  }
  const auto text = [&](const std::vector<std::string>& names) {
    return fmt::format(
        "fmi2SetFMUstate returned fmi2OK and did not bring back the saved state: the step from {} s with h = {} s, "
        "repeated from there with the same inputs, gives other values of {}.",
        core::text(t), core::text(h), fmt::join(names, ", "));
  };
  if (!guilty.empty())
    return instance.fail(text(guilty) +
                         " Whatever repeats steps would compute with wrong values. Choose an algorithm that repeats "
                         "none (\"jacobi\", \"gauss-seidel\") with a fixed step and without on_discard = \"shorten\", "
                         "or have the FMU mended.");
  if (!unused.empty() && !std::exchange(warned_, true))
    instance.log().write(core::Severity::warning,
                         text(unused) +
                             " Nobody uses them, so the run goes on; what is recorded of them is not to be "
                             "trusted.");
  if (!doubtful.empty() && !std::exchange(doubted_, true))
    instance.log().write(
        core::Severity::warning,
        fmt::format(
            "The step from {} s with h = {} s, repeated after fmi2SetFMUstate with the same inputs, gives values "
            "of {} that differ by more than a tenth of what they move in it, though by less than 0.1 % of "
            "themselves. Tighten the tolerance of the FMU's solver; if that does not help, the FMU does not "
            "restore all of its state, and what repeats steps is not to be trusted.",
            core::text(t), core::text(h), fmt::join(doubtful, ", ")));
  return std::nullopt;
}

}  // namespace koppla::fmi::detail
