#include "koppla/subsystem/overshoot.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "koppla/core/error.hpp"
#include "koppla/subsystem/detail/micro_samples.hpp"
#include "koppla/subsystem/detail/wrapper.hpp"
#include "koppla/subsystem/trajectory_pieces.hpp"

namespace koppla::subsystem {

namespace {

using detail::MicroSamples;

class Overshoot final : public detail::Wrapper {
 public:
  Overshoot(std::unique_ptr<Subsystem> inner, double microStep, unsigned degree, Past past)
      : Wrapper(std::move(inner)),
        microStep_(microStep),
        degree_(degree),
        past_(std::move(past)),
        taken_(describe().capabilities.inputDerivatives) {
    Capabilities& capabilities = description().capabilities;
    capabilities.inputDerivatives = kMaxDegree;
    capabilities.stepDerivatives = false;
    capabilities.variableStep = true;
    capabilities.microStep = microStep;
    // Between communication points the inner one stands elsewhere, and its micro steps are part of the past.
    capabilities.ownSteps = false;
    capabilities.states = false;
    capabilities.evaluatesBetweenSteps = false;
  }

  void bind(Binding binding) override {
    inputs_ = binding.inputs;
    outputs_ = binding.outputs;
    slopes_ = binding.outputDerivatives;
    // Outputs that nobody is connected to are sampled as well: they may be recorded.
    const std::vector<Port>& ports = describe().ports;
    for (PortIndex port = 0; port < ports.size(); ++port)
      if (ports[port].type == core::Type::real && ports[port].causality == Causality::output &&
          std::ranges::find(outputs_, port) == outputs_.end())
        others_.push_back(port);
    binding.outputs.insert(binding.outputs.end(), others_.begin(), others_.end());
    now_.u.resize(realScalars(inputs_));
    now_.y.resize(realScalars(outputs_) * (slopes_ ? 2 : 1));
    now_.others.resize(realScalars(others_));
    now_.samples = MicroSamples(degree_, now_.y.size());
    now_.otherSamples = MicroSamples(degree_, now_.others.size());
    fresh_ = now_.y;
    freshOthers_ = now_.others;
    delivered_.assign((realScalars(outputs_) + now_.others.size()) * (slopes_ ? 2 : 1), 0.0);
    saved_.fill(now_);
    pieces_ = TrajectoryPieces(now_.u.size(), taken_);
    Wrapper::bind(std::move(binding));
  }

  void enterInitialisation(const Experiment& experiment) override {
    start_ = experiment.start;
    Experiment longer = experiment;
    longer.end += microStep_;
    Wrapper::enterInitialisation(longer);
  }

  Status evaluate(double t, std::span<const double> u, std::span<double> y) override {
    const Status status = Wrapper::evaluate(t, u, delivered_);
    sortOut();
    std::ranges::copy(u, now_.u.begin());
    now_.y = fresh_;
    now_.others = freshOthers_;
    std::ranges::copy(now_.y, y.begin());
    return status;
  }

  void leaveInitialisation() override {
    Wrapper::leaveInitialisation();
    for (unsigned k = degree_; past_ && k > 0; --k) {
      past_(start_ - k * microStep_, fresh_);
      now_.samples.add(start_ - k * microStep_, fresh_);
    }
    now_.samples.add(start_, now_.y);
    now_.otherSamples.add(start_, now_.others);
  }

  Status readOutputs(std::span<double> y) override {
    const Status status = Wrapper::readOutputs(delivered_);
    sortOut();
    now_.y = fresh_;
    now_.others = freshOthers_;
    now_.samples.add(start_, now_.y);
    now_.otherSamples.add(start_, now_.others);
    std::ranges::copy(now_.y, y.begin());
    return status;
  }

  StepResult advance(const Step& step, Trajectory u, std::span<double> y) override;

  Status save(Slot slot) override {
    saved_[static_cast<std::size_t>(slot)] = now_;
    return Wrapper::save(slot);
  }
  Status restore(Slot slot) override {
    now_ = saved_[static_cast<std::size_t>(slot)];
    return Wrapper::restore(slot);
  }

  [[nodiscard]] Effort effort() const override {
    Effort effort = inner().effort();
    effort.microSteps = std::max(effort.microSteps, microSteps_);
    effort.rejectedMicroSteps = std::max(effort.rejectedMicroSteps, rejected_);
    return effort;
  }

  void observe(std::span<const PortIndex> ports, core::Values& into) override;

 private:
  /// All that belongs to the past: how many micro steps were done, their samples, and the values at the last
  /// communication point.
  struct Memory {
    std::uint64_t index = 0;
    MicroSamples samples, otherSamples;
    std::vector<double> u, y, others;
  };

  [[nodiscard]] double microTime(std::uint64_t index) const { return start_ + static_cast<double>(index) * microStep_; }
  StepResult microStep(const Step& step, const Trajectory& u, bool first);
  void patch(PortIndex port, std::span<double> observed) const;
  void sortOut();

  double microStep_;  ///< s
  unsigned degree_;
  Past past_;
  unsigned taken_;  ///< the highest degree that the inner one takes
  double start_ = 0.0;
  std::vector<PortIndex> inputs_, outputs_;
  std::vector<PortIndex> others_;  ///< real outputs that are not bound
  bool slopes_ = false;
  TrajectoryPieces pieces_;
  std::vector<double> delivered_;            ///< by the inner one: bound outputs, others, then the slopes of both
  std::vector<double> fresh_, freshOthers_;  ///< the same, sorted out
  Memory now_;
  std::array<Memory, kSlots> saved_;
  std::uint64_t microSteps_ = 0;
  std::uint64_t rejected_ = 0;
};

StepResult Overshoot::advance(const Step& step, Trajectory u, std::span<double> y) {
  // Without this a hit of a communication point flips with rounding (Schmoll notes, section 8).
  const double tie = 1e-6 * (step.t1 - step.t0);
  Status worst = Status::ok;
  for (bool first = true; microTime(now_.index) < step.t1 - tie; first = false) {
    const StepResult result = microStep(step, u, first);
    if (result.status >= Status::discard) return {result.status, std::clamp(result.reached, step.t0, step.t1)};
    worst = std::max(worst, result.status);
    sortOut();
    now_.samples.add(microTime(++now_.index), fresh_);
    now_.otherSamples.add(microTime(now_.index), freshOthers_);
    ++microSteps_;
  }
  now_.samples.interpolate(step.t1, now_.y);
  now_.otherSamples.interpolate(step.t1, now_.others);
  for (std::size_t i = 0; i < now_.u.size(); ++i) now_.u[i] = u.value(i, 1.0);
  std::ranges::copy(now_.y, y.begin());
  return {worst, step.t1};
}

/// One micro step along the trajectory, which holds beyond its step. A discarded one is tried again from where the
/// inner subsystem says it is.
StepResult Overshoot::microStep(const Step& step, const Trajectory& u, bool first) {
  constexpr int kAttempts = 10;
  const double unit = 1.0 / (step.t1 - step.t0);
  const double end = microTime(now_.index + 1);
  StepResult result{Status::discard, microTime(now_.index)};
  for (int attempt = 0; attempt < kAttempts && result.status == Status::discard; ++attempt) {
    if (attempt > 0) ++rejected_;
    const double begin = result.reached;
    const Trajectory piece = pieces_.cut(u, (begin - step.t0) * unit, (end - begin) * unit);
    const double nominal = attempt == 0 ? microStep_ : end - begin;
    result = inner().advance(step.part(begin, end, nominal, first && attempt == 0), piece, delivered_);
  }
  return result;
}

void Overshoot::sortOut() {
  const std::size_t bound = slopes_ ? fresh_.size() / 2 : fresh_.size();
  const std::size_t all = bound + freshOthers_.size();
  std::copy_n(delivered_.begin(), bound, fresh_.begin());
  std::copy_n(delivered_.begin() + static_cast<std::ptrdiff_t>(bound), freshOthers_.size(), freshOthers_.begin());
  if (slopes_)
    std::copy_n(delivered_.begin() + static_cast<std::ptrdiff_t>(all), bound,
                fresh_.begin() + static_cast<std::ptrdiff_t>(bound));
}

/// The inner subsystem's values are those of its own time; inputs and outputs are replaced by those of the
/// communication point.
void Overshoot::observe(std::span<const PortIndex> ports, core::Values& into) {
  std::size_t at = into.reals.size();
  Wrapper::observe(ports, into);
  for (const PortIndex port : ports) {
    const Port& declared = describe().ports[port];
    if (declared.type != core::Type::real) continue;
    patch(port, std::span(into.reals).subspan(at, declared.size));
    at += declared.size;
  }
}

void Overshoot::patch(PortIndex port, std::span<double> observed) const {
  const auto find = [&](const std::vector<PortIndex>& bound, const std::vector<double>& values) {
    const auto found = std::ranges::find(bound, port);
    if (found == bound.end()) return;
    const std::size_t first = realScalars({bound.begin(), found});
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first), observed.size(), observed.begin());
  };
  find(inputs_, now_.u);
  find(outputs_, now_.y);
  find(others_, now_.others);
}

}  // namespace

std::unique_ptr<Subsystem> overshoot(std::unique_ptr<Subsystem> inner, double microStep, unsigned degree, Past past) {
  if (!std::isfinite(microStep) || microStep <= 0.0)
    throw core::InputError("A micro step of " + core::text(microStep) + " s is impossible.",
                           "Give a length above zero.");
  if (degree > kMaxDegree)
    throw core::InputError("Interpolation of degree " + std::to_string(degree) + " is not offered.",
                           "Give a degree from 0 to " + std::to_string(kMaxDegree) + ".");
  return std::make_unique<Overshoot>(std::move(inner), microStep, degree, std::move(past));
}

}  // namespace koppla::subsystem
