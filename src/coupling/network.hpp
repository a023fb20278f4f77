#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "koppla/coupling/approximation.hpp"
#include "koppla/coupling/call_meter.hpp"
#include "koppla/coupling/graph.hpp"
#include "koppla/coupling/settings.hpp"
#include "koppla/coupling/system.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::coupling {

/// Why an evaluation of subsystems ended early.
enum class FaultKind : std::uint32_t { none, discarded, failed, exploded };

/// Small enough to be returned in registers: every step of every block returns one.
struct Fault {
  FaultKind kind = FaultKind::none;
  std::uint32_t position = 0;  ///< of the member, in the order of evaluation
  double reached = 0.0;        ///< s, where a discarded step ended

  explicit operator bool() const { return kind != FaultKind::none; }
};

/// How a member's single step of its own ended.
struct SingleStep {
  Fault fault;
  double reached = 0.0;  ///< s
};

/// Where a real output value of the network comes from.
struct OutputName {
  MemberIndex member;
  subsystem::PortIndex port;
  std::size_t element;
  unsigned digits = 0;   ///< significant ones that are declared, where it is read from text; 0: all
  double nominal = 0.0;  ///< a usual magnitude that its port declares; 0: none
};

/// What a real input takes from an output: `scale` times its value, beside others.
struct Contribution {
  std::size_t input;   ///< of the member
  std::size_t source;  ///< index of the network's outputs
  double scale;
};

/// A constraint with the places of its values among the network's outputs.
struct PlacedConstraint {
  std::size_t position;  ///< of its member
  Block lambda;
  Block mu;  ///< empty but for method 3
  Block defects;
  Block defectRates;
  Block defectAccelerations;  ///< empty where unknown
  Constraint condition;
};

/// A force law with the places of its values.
struct PlacedLaw {
  std::size_t member;    ///< its position in the order of evaluation
  std::size_t force;     ///< output of the network
  std::size_t position;  ///< input of the member
  std::size_t velocity;  ///< input of the member
};

class ParallelSweep;
class Twins;
class Waveform;

/// The coupled subsystems compiled to flat arrays: members in the order of evaluation, one array for all connected
/// outputs (y), one for all connected inputs (u), and for every input the index of the output it copies. Sweeps go over
/// neighbouring members, so the data of a step are read and written in sequence.
class Network {
 public:
  /// Members of all cycles in their order. Binds the subsystems; the system's members stay where they are and outlive
  /// the network.
  Network(System& system, const std::vector<Cycle>& cycles, double explosionLimit, Samples samples = Samples::values);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] MemberIndex member(std::size_t position) const { return memberOf_[position]; }
  [[nodiscard]] subsystem::Subsystem& subsystem(std::size_t position) { return *entries_[position].subsystem; }

  // One step of a block of members. In parallel form all take their inputs from the outputs as they were before; in
  // sequence each takes what those before it have just delivered.
  Fault advance(Block block, const subsystem::Step& step, Form form);
  /// The same with inputs that follow the approximation, which has begun the step; in sequence it learns every member's
  /// outputs at once. Static members are evaluated at the end of the step, after the others, with what these deliver.
  Fault advance(Block block, const subsystem::Step& step, Form form, Approximation& approximation);
  /// The same with inputs that follow the waveform: every member goes through the step in one call per piece, and its
  /// outputs after each are samples of the waveform. Static members are evaluated at every point. In sequence the
  /// waveform learns every member's samples at once.
  Fault advance(Block block, const subsystem::Step& step, Form form, Waveform& waveform);
  /// A single step of a member's own choice, no further than step.t1, and how far it got.
  SingleStep advanceSingle(std::size_t position, const subsystem::Step& step, const Approximation& approximation);
  /// Evaluates members at t once more with what all have delivered, where they can be evaluated between steps.
  Fault reevaluate(Block block, double t);
  /// One member with its inputs as they stand; outputs go to `y` (probes) instead of outputs().
  Fault advanceAlone(std::size_t position, const subsystem::Step& step, std::span<double> y);
  /// The same with one input changed at the end of the step, and with it its trajectory.
  Fault probe(std::size_t position, std::size_t input, double change, const subsystem::Step& step,
              const Approximation* approximation, std::span<double> y);
  /// What that input is at the end of the step.
  [[nodiscard]] double inputAtEnd(std::size_t position, std::size_t input, const Approximation* approximation);
  /// Lets members run on several threads: those that may move where their measured work pays. All others stay on the
  /// caller's thread, or (`forAll`) are shared out once and for ever.
  void useThreads(std::size_t threads, bool forAll);
  /// Whether so many threads for who may move would save more time than they cost, by what steps have taken so far.
  [[nodiscard]] bool threadsPay(std::size_t threads) const;
  /// As many as there are members that may move with work that is worth a thread, within reason.
  [[nodiscard]] std::size_t threadsWorthwhile() const;
  /// Members that stay on one thread although their work is worth one each.
  [[nodiscard]] std::vector<MemberIndex> worthThreads() const;
  [[nodiscard]] bool usesThreads() const { return parallel_ != nullptr; }
  /// From now on these run with the members: they take the same steps, and the probes. The network owns them.
  void setTwins(std::unique_ptr<Twins> twins);
  [[nodiscard]] Twins* twins() { return twins_.get(); }
  /// Whether a member exchanges real values only, so that a twin can be bound like it; and what it is bound to.
  [[nodiscard]] bool mayHaveTwins(std::size_t position) const;
  [[nodiscard]] subsystem::Binding bindingOf(std::size_t position) const;
  /// A probe for advanceWithProbes(): an input of a member changed at the end of the step, and with it its trajectory.
  struct ProbeTask {
    std::size_t position;
    std::size_t input;
    double change;
    std::span<const double> y{};  ///< afterwards the outputs, valid until the next step
    Fault fault{};                ///< of the probe
  };
  /// Inputs at the end of the step are known from then on, see inputAtEnd().
  void gatherTrajectories(Block block, const Approximation& approximation);
  /// A parallel step with probes of members that have twins enough, all at the same time.
  Fault advanceWithProbes(Block block, const subsystem::Step& step, Approximation& approximation,
                          std::vector<ProbeTask>& probes);
  /// Hold: evaluates a member at t with its inputs as they stand; outputs go to `y` or in place. Values are not tested:
  /// an initial guess may be far off.
  Fault evaluate(std::size_t position, double t);
  Fault evaluateAlone(std::size_t position, double t, std::span<double> y);
  /// After initialisation: a member's outputs as it has them then.
  Fault readOutputs(std::size_t position, double t);
  /// Before initialisation: places of outputs that nobody has computed yet get what their consumers' inputs start with.
  void takeStartValues();
  /// From now on `notice` becomes true where an output of a member is beyond the bound that watch() has set for it,
  /// also in iterates and probes: to be looked at after the step. Outlives the network's use.
  void noticeBy(std::atomic<bool>& notice) { notice_ = &notice; }
  /// Bounds a member's outputs, by their magnitudes and to within 3 %; above the explosion limit that is the bound. Who
  /// went beyond his bound is left alone until he is watched anew.
  void watch(std::size_t position, double bound);
  [[nodiscard]] bool isBeyond(std::size_t position) const { return beyond_[position] != 0; }
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
  /// Whether it is read from what a program prints.
  [[nodiscard]] bool isPrinted(std::size_t value) const;
  /// Significant digits of such a value as far as known by now, declared or seen; 0: all.
  [[nodiscard]] unsigned digitsOf(std::size_t value) const;
  [[nodiscard]] Block outputsOf(std::size_t position) const;
  [[nodiscard]] Block outputsOf(Block block) const;
  /// A member's real inputs, in place, and where they come from, input by input.
  [[nodiscard]] std::span<double> inputsOf(std::size_t position);
  [[nodiscard]] double largestInput(std::size_t position) const;  ///< magnitude
  [[nodiscard]] bool isStatic(std::size_t position) const { return entries_[position].isStatic; }
  [[nodiscard]] bool hasStatics() const { return anyStatic_; }
  /// Outputs of members that follow from time alone, such as signals and tables.
  [[nodiscard]] std::vector<Block> prescribedOutputs() const;
  [[nodiscard]] const std::vector<PlacedConstraint>& constraints() const { return constraints_; }
  [[nodiscard]] const std::vector<PlacedLaw>& laws() const { return laws_; }
  /// Real outputs that change at communication points only.
  [[nodiscard]] const std::vector<std::size_t>& heldOutputs() const { return heldOutputs_; }
  [[nodiscard]] bool hasDiscreteInputs(std::size_t position) const { return special_[position].discreteInputs; }
  /// In the order of inputs.
  [[nodiscard]] std::vector<Contribution> contributionsTo(std::size_t position) const;
  /// The outputs that a member's inputs depend on, in order, each once.
  [[nodiscard]] std::vector<std::size_t> sourcesOf(std::size_t position) const;
  [[nodiscard]] double nominalOf(std::size_t position, std::size_t input) const;
  void gather(std::size_t position);

  /// Where members tell the slopes of their outputs: which ranges of outputs, and d y / d t (1/s) of all, not finite
  /// where unknown; empty without such members.
  [[nodiscard]] const std::vector<Block>& slopedOutputs() const { return slopedOutputs_; }
  [[nodiscard]] std::span<double> slopes() { return slopes_; }
  [[nodiscard]] std::span<const double> slopes() const { return slopes_; }

  /// Discrete outputs of a block, as a copy to compare with or to put back.
  [[nodiscard]] core::Values discreteOutputs(Block block) const;
  /// The same into memory that is there already; and whether they are still as they were.
  void readDiscreteOutputs(Block block, core::Values& into) const;
  [[nodiscard]] bool discreteOutputsAre(Block block, const core::Values& values) const;
  void putDiscreteOutputs(Block block, const core::Values& values);
  [[nodiscard]] bool hasDiscreteOutputs(Block block) const;

  [[nodiscard]] std::uint64_t stepCount(std::size_t position) const;
  [[nodiscard]] double stepSeconds(std::size_t position) const {
    return steps_[position].seconds(entries_[position].untimed);
  }
  [[nodiscard]] MeterReading saveCalls(std::size_t position) const {
    return {saves_[position], stateCalls_[position].untimedSaves};
  }
  [[nodiscard]] MeterReading restoreCalls(std::size_t position) const {
    return {restores_[position], stateCalls_[position].untimedRestores};
  }

 private:
  friend class HeldSweep;

  /// What one step of one member touches: two to a cache line, in the order of evaluation.
  struct Entry {
    subsystem::Subsystem* subsystem = nullptr;
    std::uint32_t uBegin = 0;
    std::uint32_t uCount = 0;
    std::uint32_t yBegin = 0;
    std::uint32_t yCount = 0;
    CallMeter::Countdown untimed = 0;
    bool special = false;  ///< has linear maps, mappings, sums or discrete inputs to gather
    bool isStatic = false;
    /// The first bits of the magnitude that no output is to exceed in silence: there is no room for more.
    std::uint16_t bound = 0;
  };
  static_assert(sizeof(Entry) == 32);
  /// What a save or restore touches beside the subsystem.
  struct StateCalls {
    CallMeter::Countdown untimedSaves = 0;
    CallMeter::Countdown untimedRestores = 0;
  };
  struct Linear {
    std::uint32_t input;
    double scale;
    double offset;
  };
  /// A whole port through a mapping: u = scale * map(y) + offset.
  struct Mapped {
    std::uint32_t input;   ///< first of the port
    std::uint32_t source;  ///< first of the port
    double scale;
    double offset;
    Mapping mapping;
  };
  /// A further contribution to an input.
  struct Term {
    std::uint32_t input;
    std::uint32_t source;
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
    Range mapped;
    Range terms;
    bool sloped = false;  ///< tells the slopes of its outputs
    bool discreteInputs = false;
  };

  [[nodiscard]] const subsystem::Subsystem& sourceOf(std::size_t value) const;
  [[nodiscard]] bool isMapped(std::size_t position, std::size_t input) const;
  [[nodiscard]] std::vector<Contribution> copiesTo(std::size_t position) const;  ///< all but those of mappings
  void guessSources(const Mapped& mapped, std::span<const double> target);

  class Compiler;
  void compile(System& system, Samples samples);
  void keepSlopes(std::size_t position, std::span<double> y);
  subsystem::StepResult advanceSloped(std::size_t position, const subsystem::Step& step, subsystem::Trajectory u,
                                      std::span<double> y);

  void gatherReals(std::uint32_t begin, std::uint32_t end);
  void applyLinear(std::uint32_t begin, std::uint32_t end);
  void applyMappings(std::size_t position, const double* y, double* u, bool withOffset) const;
  [[gnu::noinline]] void gatherSpecial(std::size_t position);
  void gatherDiscrete(std::size_t position);
  void gatherDiscreteOf(Block block);
  [[gnu::noinline]] subsystem::StepResult advanceTimed(std::size_t position, const subsystem::Step& step,
                                                       subsystem::Trajectory u, std::span<double> y);
  [[gnu::noinline]] subsystem::Status saveTimed(std::size_t position, subsystem::Slot slot);
  [[gnu::noinline]] subsystem::Status restoreTimed(std::size_t position, subsystem::Slot slot);
  /// The step of one member alone, on the thread that takes all of its steps; on this one.
  subsystem::StepResult advanceMetered(std::size_t position, const subsystem::Step& step, subsystem::Trajectory u,
                                       std::span<double> y);
  subsystem::StepResult advanceHere(std::size_t position, const subsystem::Step& step, subsystem::Trajectory u,
                                    std::span<double> y);
  template <class MemberStep>
  Fault advanceAtHome(std::size_t position, const MemberStep& step);
  Fault judged(std::size_t position, const subsystem::StepResult& result, std::span<const double> y);
  [[gnu::noinline, gnu::cold]] Fault beyondBound(std::size_t position, std::span<const double> y);
  [[nodiscard]] subsystem::Trajectory trajectoryOf(std::size_t position, const Courses& courses);
  subsystem::Trajectory gatherTrajectory(std::size_t position, const Courses& courses);
  [[gnu::noinline]] void gatherSpecialTrajectory(std::size_t position, const Courses& courses, double* begin);
  Fault advanceMember(std::size_t position, const subsystem::Step& step, const Courses& courses);
  /// Every member of a block that is not static, on several threads where these are in use.
  template <class MemberStep>
  Fault forMembers(Block block, const MemberStep& step);
  [[nodiscard]] double meanSeconds(std::size_t position) const;
  /// Whether any thread may take its steps.
  [[nodiscard]] bool mayMove(std::size_t position) const;
  [[nodiscard]] std::vector<std::optional<std::size_t>> homes(std::size_t threads) const;
  void recallFirstSample(Block own, const Waveform& waveform);
  Fault advanceThrough(std::size_t position, const subsystem::Step& step, Waveform& waveform);
  Fault evaluateThrough(std::size_t position, const subsystem::Step& step, Waveform& waveform);
  Fault evaluateWithPresent(std::size_t position, double t);
  [[gnu::noinline, gnu::cold]] static Fault explodedAt(std::size_t position);
  [[gnu::noinline, gnu::cold]] static Fault faultOf(std::size_t position, subsystem::Status status, double reached);

  std::vector<Entry> entries_;
  std::vector<double> u_;
  std::vector<double> y_;
  std::vector<std::uint32_t> sources_;  ///< u[i] = y[sources[i]], then linear maps; mappings overwrite theirs
  std::vector<Linear> linear_;
  std::vector<Mapped> mapped_;
  std::vector<Term> terms_;
  double explosionLimit_;
  std::atomic<bool>* notice_ = nullptr;
  std::vector<std::uint8_t> beyond_;  ///< by position; bytes, since members run on several threads
  bool anySpecial_ = false;
  bool anyStatic_ = false;
  std::vector<double> trajectories_;  ///< member by member, power by power
  std::vector<std::size_t> heldOutputs_;
  std::vector<Block> slopedOutputs_;
  std::vector<double> slopes_;
  std::vector<double> valuesAndSlopes_;  ///< as sloped members deliver them, at twice their place in y
  std::unique_ptr<ParallelSweep> parallel_;
  std::unique_ptr<Twins> twins_;
  std::vector<double> probeTrajectories_;

  core::Values discreteIn_;
  core::Values discreteOut_;
  std::vector<std::uint32_t> integerSources_;
  std::vector<std::uint32_t> booleanSources_;
  std::vector<std::uint32_t> stringSources_;
  std::vector<Special> special_;  ///< by position

  std::vector<MemberIndex> memberOf_;
  std::vector<OutputName> outputNames_;
  std::vector<PlacedConstraint> constraints_;
  std::vector<PlacedLaw> laws_;
  std::vector<std::vector<subsystem::PortIndex>> inputPorts_;   ///< by position
  std::vector<std::vector<subsystem::PortIndex>> outputPorts_;  ///< by position
  std::vector<double> offsets_;                                 ///< by input
  std::vector<double> scales_;                                  ///< by input; 0 for those of mappings
  std::vector<double> nominals_;                                ///< by input
  std::vector<CallMeter> steps_;
  std::vector<StateCalls> stateCalls_;
  std::vector<CallMeter> saves_;
  std::vector<CallMeter> restores_;
};

/// Which of these outputs belong to one port each, as ranges of their list.
std::vector<Block> portsAmong(const Network& network, std::span<const std::size_t> values);

}  // namespace koppla::coupling
