#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "koppla/coupling/network.hpp"
#include "koppla/coupling/settings.hpp"
#include "koppla/coupling/waveform.hpp"

namespace koppla::coupling {

/// Where the states at the beginning of a step are kept.
struct Start {
  subsystem::Slot slot = subsystem::Slot::iteration;
  bool saved = false;  ///< somebody has saved them already
};

/// d answered / d sent for one member over the step, row by row: outputs x inputs.
struct Sensitivity {
  std::vector<double> values;
  std::size_t inputs = 0;
  std::vector<double> increments{};  ///< by input; 0: nothing was probed
};

/// How far probes go: so many times the magnitude of an input, which is at least its nominal value.
struct Increments {
  double relative = 1e-6;  ///< small enough for the linear part to rule, large enough to stand out of rounding
  double linear = 1e-6;    ///< of members whose steps are linear
  // By output of the network that the input takes; empty: nothing.
  std::span<const double> atLeast{};
  std::span<const double> own{};  ///< relative, in place of all of this; 0: none
};

/// An entry of a sparse matrix.
struct Derivative {
  std::size_t row;
  std::size_t column;
  double value;
};

/// One closed cycle over one macro step: values go in, the subsystems run, values come out, and the difference is the
/// residual. The unknowns are the *cut*: real outputs that flow backward, so that somebody uses them before they are
/// computed; in parallel form these are all outputs consumed inside the cycle.
///
/// Order of calls: begin, then evaluate as often as needed, each time from the same states. The outputs of the network
/// are both what is sent (before evaluate) and what is answered (after it).
class InterfaceProblem {
 public:
  /// With an approximation, which has begun the step before begin(), what is sent are values at the end of the step and
  /// inputs are interpolated between them and the history; without one inputs keep what is sent over the step.
  InterfaceProblem(Network& network, Block block, Form form, Approximation* approximation = nullptr);
  /// With a waveform, which has begun the step before begin(), what is sent are its samples.
  InterfaceProblem(Network& network, Block block, Form form, Waveform& waveform);

  /// Called in sequence form after each member of the cycle, by position: its answers can be read, and others may be
  /// sent on in their place.
  using Passing = std::function<void(std::size_t position)>;

  /// The step is one that may be repeated, whatever it says.
  Fault begin(const subsystem::Step& step, Start start);
  Fault evaluate(const Passing& passing = {});
  /// Evaluates and differentiates in one go: members with twins enough for all their probes are probed at the same
  /// time, the others afterwards, one probe after the other. Only in parallel form with an approximation.
  Fault evaluateWithProbes(std::vector<Sensitivity>& result, const Increments& increments);
  /// The most probes of one member that evaluateWithProbes() runs one after the other.
  [[nodiscard]] std::size_t mostProbesInTurn() const;
  /// Inputs of a member that come from inside the cycle.
  [[nodiscard]] std::size_t probesOf(std::size_t position) const;

  /// Indices into the network's outputs: the cut, and all values consumed in the cycle.
  [[nodiscard]] const std::vector<std::size_t>& cut() const { return cut_; }
  [[nodiscard]] const std::vector<std::size_t>& coupled() const { return coupled_; }
  /// Position of the member that delivers an output of the cycle.
  [[nodiscard]] std::size_t producerOf(std::size_t value) const { return producer_[value - values_.first]; }
  /// Samples of every value in a step, the last one at its end.
  [[nodiscard]] std::size_t points() const { return waveform_ == nullptr ? 1 : waveform_->points(); }
  // Values are read and written sample by sample: all of them at the first point, then at the next.
  /// Calls `use(i, sent, answered)` for sample i of these values.
  template <class Use>
  [[gnu::always_inline]] void forSamples(const std::vector<std::size_t>& values, Use&& use) const {
    const double* sent = sent_.data();
    std::size_t i = 0;
    if (waveform_ == nullptr && !passedOn_) [[likely]] {
      const double* const answered = network_.outputs().data();
      for (const std::size_t value : values) use(i++, sent[value - values_.first], answered[value]);
      return;
    }
    for (std::size_t left = points(); left > 0; --left) {
      const double* const answered = answersTo(static_cast<std::size_t>(sent - sent_.data()));
      for (const std::size_t value : values) use(i++, sent[value - values_.first], answered[value - values_.first]);
      sent += values_.last - values_.first;
    }
  }
  /// What was sent and what was answered in the last evaluation.
  void readSent(const std::vector<std::size_t>& values, std::span<double> into) const {
    forSamples(values, [&](std::size_t i, double sent, double) { into[i] = sent; });
  }
  void readAnswered(const std::vector<std::size_t>& values, std::span<double> into) const {
    forSamples(values, [&](std::size_t i, double, double answered) { into[i] = answered; });
  }
  void read(const std::vector<std::size_t>& values, std::span<double> sent, std::span<double> answered) const {
    forSamples(values, [&](std::size_t i, double u, double y) {
      sent[i] = u;
      answered[i] = y;
    });
  }
  /// A value at the beginning of the step, as the approximation knows it.
  [[nodiscard]] double atBegin(std::size_t value) const { return approximation_->sample(0)[value]; }
  /// Replaces what is sent next of these values.
  void send(const std::vector<std::size_t>& values, std::span<const double> samples) {
    if (waveform_ != nullptr) return sendSamples(values, samples);
    double* const outputs = network_.outputs().data();
    for (std::size_t i = 0; i < values.size(); ++i) outputs[values[i]] = samples[i];
  }
  /// What was sent last is sent next as well.
  void sendAgain();
  /// Where others were sent on, the answers of the last evaluation are the cycle's outputs again.
  void keepAnswers() {
    if (passedOn_) putAnswers();
  }
  [[nodiscard]] bool discreteChanged() const {
    return discrete_ && !network_.discreteOutputsAre(block_, discreteSent_);
  }

  /// Derivatives over the step at the last evaluation, by forward differences: each member is repeated once per input
  /// that comes from inside the cycle, with discrete values frozen. To be followed by evaluate() or nothing. Only with
  /// one point.
  Fault sensitivities(std::vector<Sensitivity>& result, const Increments& increments = {});
  /// The same to the leading order in the length of the step, without repeating anybody. Only with an approximation.
  Fault leadingSensitivities(std::vector<Sensitivity>& result);
  /// d answered / d sent with time and states held at the end of the last evaluation, as far as members know it; else
  /// the result is empty.
  void heldSensitivities(std::vector<Sensitivity>& result);
  /// What a change of a value at the end of the step does inside it. Only with an approximation.
  [[nodiscard]] subsystem::SeriesWeights weightsOfEnd() const;
  /// d value / d sent of these outputs of the cycle by the cut, composed from the members' blocks: the chain rule along
  /// the schedule. Rows are places in `values`, columns places in cut(). Valid until the next call.
  [[nodiscard]] const std::vector<Derivative>& derivatives(const std::vector<Sensitivity>& blocks,
                                                           const std::vector<std::size_t>& values) const;

  /// The smallest change by which each value of the cut was probed, 0 where it was not.
  [[nodiscard]] std::vector<double> smallestIncrements(const std::vector<Sensitivity>& blocks) const;

  /// The largest |dy/du u| of the inputs of the member that delivers each of these outputs: what its rounding is of.
  [[nodiscard]] std::vector<double> largestTerms(const std::vector<Sensitivity>& blocks,
                                                 const std::vector<std::size_t>& values) const;

  [[nodiscard]] Block block() const { return block_; }
  [[nodiscard]] const subsystem::Step& step() const { return step_; }

 private:
  /// What an input takes from a value of the cycle.
  struct Inside {
    std::size_t input;
    std::size_t source;  ///< index of the network's outputs
    double scale;
    bool fresh;       ///< else it is a value of the cut
    std::size_t cut;  ///< its place there
  };

  /// Memory of derivatives().
  struct ChainRule {
    using Row = std::vector<std::pair<std::size_t, double>>;
    std::vector<Row> rows;
    std::vector<double> sum;
    std::vector<bool> touched;
    std::vector<std::size_t> columns;
    std::vector<Derivative> result;
  };

  /// By input. Made when derivatives are first asked for: mappings between fine meshes have many.
  [[nodiscard]] const std::vector<Inside>& insideOf(std::size_t position) const;
  /// What both evaluations begin with.
  Fault startEvaluation();
  [[nodiscard]] bool isFresh(std::size_t source, std::size_t consumer) const;
  [[nodiscard]] double incrementOf(std::size_t position, std::size_t input, const Increments& increments) const;
  Fault probe(std::size_t position, std::size_t input, double increment, Sensitivity& block);
  Fault probeInputs(std::size_t position, const Increments& increments, Sensitivity& block);
  Fault differentiateHeld(std::size_t position, Sensitivity& block);
  Fault differentiateStatic(std::size_t position, const Increments& increments, Sensitivity& block);
  /// Makes them blocks of zeros, one per member of the cycle.
  void empty(std::vector<Sensitivity>& blocks) const;
  Fault run(Block block);
  Fault runPassing(const Passing& passing);
  /// What is sent next, or was answered, at a point: all outputs of the network.
  [[nodiscard]] std::span<double> outputsAt(std::size_t point) const {
    // The first sample of a waveform belongs to the beginning of the step; its last one is in the outputs as well.
    return waveform_ == nullptr ? network_.outputs() : waveform_->at(static_cast<unsigned>(point) + 1);
  }
  /// The same of the cycle only.
  [[nodiscard]] std::span<double> ownAt(std::size_t point) const {
    return outputsAt(point).subspan(values_.first, values_.last - values_.first);
  }
  /// The answers at the point at which that was sent, which is a place in sent_.
  [[nodiscard]] const double* answersTo(std::size_t place) const;
  /// A range within sent_ or answered_.
  [[nodiscard]] std::size_t placeOf(std::size_t point) const { return point * (values_.last - values_.first); }
  /// Lets inputs follow what is sent of these values.
  void follow(Block values);
  /// The network's outputs hold the last sample.
  void putEnd();
  void putAnswers();
  void sendSamples(const std::vector<std::size_t>& values, std::span<const double> samples);

  // What every evaluation touches lies together.
  Network& network_;
  Approximation* approximation_;
  Waveform* waveform_ = nullptr;
  Block block_;
  Block values_;  ///< the cycle's range of the network's outputs
  Form form_;
  bool discrete_;
  bool used_ = false;
  bool passedOn_ = false;  ///< others were sent on in the last evaluation
  Start start_;
  subsystem::Step step_{};
  std::vector<double> sent_;  ///< of the cycle's range, point by point
  std::vector<std::size_t> cut_;
  std::vector<std::size_t> coupled_;

  std::vector<double> answered_;  ///< like sent_, where others were sent on
  core::Values discreteSent_;
  core::Values frozen_;  ///< discrete values while members are probed
  std::vector<double> probed_;
  std::vector<std::size_t> producer_;                ///< member that delivers each of the cycle's outputs
  mutable std::vector<std::vector<Inside>> inside_;  ///< by place in the block, see insideOf()
  mutable ChainRule chain_;
};

}  // namespace koppla::coupling
