#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "koppla/coupling/call_meter.hpp"
#include "koppla/coupling/graph.hpp"
#include "koppla/coupling/system.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::coupling {

/// Why an evaluation of subsystems ended early.
enum class FaultKind : std::uint8_t { none, discarded, failed, exploded };

/// Small enough to be returned in registers: every step of every block returns one.
struct Fault {
  FaultKind kind = FaultKind::none;
  std::uint32_t position = 0;  ///< of the member, in the order of evaluation
  double reached = 0.0;        ///< s, where a discarded step ended

  explicit operator bool() const { return kind != FaultKind::none; }
};

/// A run of neighbours in the order of evaluation.
struct Block {
  std::size_t first = 0;
  std::size_t last = 0;  ///< one past the end
};

/// Where a real output value of the network comes from.
struct OutputName {
  MemberIndex member;
  subsystem::PortIndex port;
  std::size_t element;
};

/// The coupled subsystems compiled to flat arrays: members in the order of evaluation, one array for all connected
/// outputs (y), one for all connected inputs (u), and for every input the index of the output it copies. Sweeps go over
/// neighbouring members, so the data of a step are read and written in sequence.
class Network {
 public:
  /// Members of all cycles in their order. Binds the subsystems; the system's members stay where they are and outlive
  /// the network.
  Network(System& system, const std::vector<Cycle>& cycles, double explosionLimit);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] MemberIndex member(std::size_t position) const { return memberOf_[position]; }
  [[nodiscard]] subsystem::Subsystem& subsystem(std::size_t position) { return *entries_[position].subsystem; }

  // One step of a block of members. In parallel form all take their inputs from the outputs as they were before; in
  // sequence each takes what those before it have just delivered.
  Fault advanceInParallel(Block block, const subsystem::Step& step);
  Fault advanceInSequence(Block block, const subsystem::Step& step);
  /// One member with its inputs as they stand; outputs go to `y` (probes) instead of outputs().
  Fault advanceAlone(std::size_t position, const subsystem::Step& step, std::span<double> y);
  /// Hold: evaluates a member at t with its inputs as they stand; outputs go to `y` or in place. Values are not tested:
  /// an initial guess may be far off.
  Fault evaluate(std::size_t position, double t);
  Fault evaluateAlone(std::size_t position, double t, std::span<double> y);
  /// Before initialisation: places of outputs that nobody has computed yet get what their consumers' inputs start with.
  void takeStartValues();
  /// The first member with an output that is not finite or beyond the explosion limit.
  [[nodiscard]] Fault explosion() const;
  /// Of a member that exploded: the index of that output.
  [[nodiscard]] std::size_t explodedOutput(std::size_t position) const;

  Fault save(Block block, subsystem::Slot slot);
  Fault restore(Block block, subsystem::Slot slot);

  /// All connected real outputs.
  [[nodiscard]] std::span<double> outputs() { return y_; }
  [[nodiscard]] std::span<const double> outputs() const { return y_; }
  [[nodiscard]] OutputName outputName(std::size_t value) const { return outputNames_[value]; }
  [[nodiscard]] Block outputsOf(std::size_t position) const;
  [[nodiscard]] Block outputsOf(Block block) const;
  /// A member's real inputs, in place, and where each comes from.
  [[nodiscard]] std::span<double> inputsOf(std::size_t position);
  [[nodiscard]] bool hasDiscreteInputs(std::size_t position) const { return special_[position].discreteInputs; }
  [[nodiscard]] std::span<const std::uint32_t> sourcesOf(std::size_t position) const;
  [[nodiscard]] double scaleOf(std::size_t position, std::size_t input) const;
  [[nodiscard]] double nominalOf(std::size_t position, std::size_t input) const;
  void gather(std::size_t position);

  /// Discrete outputs of a block, as a copy to compare with or to put back.
  [[nodiscard]] core::Values discreteOutputs(Block block) const;
  void putDiscreteOutputs(Block block, const core::Values& values);
  [[nodiscard]] bool hasDiscreteOutputs(Block block) const;

  [[nodiscard]] std::uint64_t stepCount(std::size_t position) const {
    return steps_[position].count(entries_[position].untimed);
  }
  [[nodiscard]] double stepSeconds(std::size_t position) const {
    return steps_[position].seconds(entries_[position].untimed);
  }
  [[nodiscard]] const CallCounter& saveCalls(std::size_t position) const { return saves_[position]; }
  [[nodiscard]] const CallCounter& restoreCalls(std::size_t position) const { return restores_[position]; }

 private:
  /// What one step of one member touches: two to a cache line, in the order of evaluation.
  struct Entry {
    subsystem::Subsystem* subsystem = nullptr;
    std::uint32_t uBegin = 0;
    std::uint32_t uCount = 0;
    std::uint32_t yBegin = 0;
    std::uint32_t yCount = 0;
    CallMeter::Countdown untimed = 0;
    bool special = false;  ///< has linear maps or discrete inputs to gather
  };
  static_assert(sizeof(Entry) == 32);
  struct Linear {
    std::uint32_t input;
    double scale;
    double offset;
  };
  /// Ranges of one member, or copies from output to input, in the discrete arrays.
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t count = 0;
  };
  struct DiscreteRanges {
    Range integers;
    Range booleans;
    Range strings;
  };
  /// What a step of most members does not touch.
  struct Special {
    DiscreteRanges inputs;
    DiscreteRanges outputs;
    Range linear;
    bool discreteInputs = false;
  };

  class Compiler;
  void compile(System& system);

  void gatherReals(std::uint32_t begin, std::uint32_t end);
  void applyLinear(std::uint32_t begin, std::uint32_t end);
  [[gnu::noinline]] void gatherSpecial(std::size_t position);
  void gatherDiscrete(std::size_t position);
  [[gnu::noinline]] subsystem::StepResult advanceTimed(std::size_t position, const subsystem::Step& step,
                                                       std::span<double> y);
  template <bool kInSequence>
  Fault advance(Block block, const subsystem::Step& step);
  [[gnu::noinline, gnu::cold]] static Fault faultOf(std::size_t position, subsystem::Status status, double reached);

  std::vector<Entry> entries_;
  std::vector<double> u_;
  std::vector<double> y_;
  std::vector<std::uint32_t> sources_;  ///< u[i] = y[sources[i]], then the linear maps
  std::vector<Linear> linear_;
  double explosionLimit_;
  bool anySpecial_ = false;

  core::Values discreteIn_;
  core::Values discreteOut_;
  std::vector<std::uint32_t> integerSources_;
  std::vector<std::uint32_t> booleanSources_;
  std::vector<std::uint32_t> stringSources_;
  std::vector<Special> special_;  ///< by position

  std::vector<MemberIndex> memberOf_;
  std::vector<OutputName> outputNames_;
  std::vector<std::vector<subsystem::PortIndex>> inputPorts_;  ///< by position
  std::vector<double> offsets_;                                ///< by input
  std::vector<double> scales_;                                 ///< by input
  std::vector<double> nominals_;                               ///< by input
  std::vector<CallMeter> steps_;
  std::vector<CallCounter> saves_;
  std::vector<CallCounter> restores_;
};

}  // namespace koppla::coupling
