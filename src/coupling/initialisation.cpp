#include "koppla/coupling/initialisation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include <Eigen/Core>
#include <fmt/format.h>

#include "koppla/core/detail/dense.hpp"
#include "koppla/coupling/detail/loop_sizes.hpp"
#include "koppla/coupling/graph.hpp"
#include "koppla/coupling/initial_multipliers.hpp"
#include "koppla/coupling/loop_iteration.hpp"
#include "koppla/coupling/sizes.hpp"
#include "koppla/coupling/zero_stability.hpp"

namespace koppla::coupling {

namespace {

using detail::notBelow;
using detail::unitsAt;
using subsystem::PortIndex;

constexpr Eigen::Index kLargest = 200;  // eigenvalues cost the cube of the size
// Of inputs, in differences: as long as rounding and curvature matter equally, and where rounding rules.
constexpr double kShortIncrement = 1e-7;
constexpr double kLongIncrement = 1e-3;
constexpr double kNoise = 1e-6;  // of derivatives by differences, as share of the largest

/// A connected output.
struct Node {
  std::size_t position;
  PortIndex port;
};

class Initialiser {
 public:
  Initialiser(const System& system, Network& network, double t, const AlgorithmSettings& settings)
      : system_(system), network_(network), t_(t), settings_(settings), lastInputs_(network.size()) {}

  InitialisationReport run() {
    network_.takeStartValues();
    std::vector<std::size_t> all(network_.outputs().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    sizes_ = startSizes(network_, all);
    rounding_.assign(all.size(), 0.0);
    std::set<std::size_t> met;
    for (const auto& component : components()) {
      for (const std::size_t node : component)
        if (met.insert(nodes_[node].position).second) report_.order.push_back(nodes_[node].position);
      const bool loop = component.size() > 1 || selfDependent_[component.front()];
      const bool keeps = loop && settings_.initialisation == Initialisation::startValues;
      const bool fine = keeps  ? keepLoop(component)
                        : loop ? solveLoop(component)
                               : evaluateIfChanged(nodes_[component.front()].position);
      if (!fine) return std::move(report_);
    }
    const bool kept = !report_.kept.empty();
    if (!kept) settle();
    if (!report_.fault && !kept) solveForMultipliers();
    if (!report_.fault) report_.fault = network_.explosion();
    return std::move(report_);
  }

 private:
  /// Groups of outputs in the order in which they can be computed; several in one group depend on each other. An output
  /// that declares no dependencies depends on a node that stands for all inputs of its member, so that the graph stays
  /// as small as the connections.
  std::vector<std::vector<std::size_t>> components() {
    using Key = std::pair<MemberIndex, PortIndex>;
    std::vector<std::size_t> positionOf(system_.members.size());
    for (std::size_t i = 0; i < network_.size(); ++i) positionOf[network_.member(i)] = i;
    std::map<Key, std::size_t> nodeOf;
    for (const Connection& c : system_.connections)
      if (nodeOf.try_emplace({c.from.member, c.from.port}, nodes_.size()).second)
        nodes_.push_back({positionOf[c.from.member], c.from.port});
    const std::size_t outputs = nodes_.size();
    // The outputs first, then for every member a node for all its inputs.
    std::vector<std::vector<std::size_t>> targets(outputs + system_.members.size());
    std::multimap<Key, std::size_t> sourcesOf;  // of an input: the outputs that feed it
    for (const Connection& c : system_.connections) {
      const std::size_t source = nodeOf.at({c.from.member, c.from.port});
      sourcesOf.emplace(Key{c.to.member, c.to.port}, source);
      targets[source].push_back(outputs + c.to.member);
    }
    selfDependent_.assign(outputs, false);
    for (std::size_t node = 0; node < outputs; ++node) {
      const MemberIndex member = network_.member(nodes_[node].position);
      const auto& declared = system_.members[member].subsystem->describe().initialDependenciesOf(nodes_[node].port);
      if (!declared) {
        targets[outputs + member].push_back(node);
        continue;
      }
      for (const PortIndex input : *declared) {
        const auto [first, last] = sourcesOf.equal_range({member, input});
        for (auto source = first; source != last; ++source) {
          targets[source->second].push_back(node);
          if (source->second == node) selfDependent_[node] = true;
        }
      }
    }
    return withoutInputNodes(strongComponents(targets), outputs);
  }

  /// An output that is alone in a group with its member's inputs depends on itself.
  std::vector<std::vector<std::size_t>> withoutInputNodes(std::vector<std::vector<std::size_t>> components,
                                                          std::size_t outputs) {
    std::vector<std::vector<std::size_t>> result;
    for (auto& component : components) {
      const std::size_t before = component.size();
      std::erase_if(component, [outputs](std::size_t node) { return node >= outputs; });
      if (component.empty()) continue;
      if (component.size() == 1 && before > 1) selfDependent_[component.front()] = true;
      result.push_back(std::move(component));
    }
    return result;
  }

  [[nodiscard]] std::string name(const Node& node) const {
    const Member& member = system_.members[network_.member(node.position)];
    return member.nameOf(node.port);
  }

  bool fail(const Fault& fault) {
    report_.fault = fault;
    return false;
  }

  bool evaluate(std::size_t position) {
    network_.gather(position);
    const auto u = network_.inputsOf(position);
    lastInputs_[position].assign(u.begin(), u.end());
    evaluated_.insert(position);
    if (const Fault fault = network_.evaluate(position, t_)) return fail(fault);
    return true;
  }

  [[nodiscard]] bool inputsChanged(std::size_t position) {
    if (!evaluated_.contains(position) || network_.hasDiscreteInputs(position)) return true;
    network_.gather(position);
    return !std::ranges::equal(network_.inputsOf(position), lastInputs_[position]);
  }

  bool evaluateIfChanged(std::size_t position) { return !inputsChanged(position) || evaluate(position); }

  void solveForMultipliers() {
    InitialMultipliers result = solveMultipliers(network_, t_);
    report_.fault = result.fault;
    report_.undetermined = std::move(result.undetermined);
  }

  /// Inputs that no output depends on are set last; nothing may change by it unless a declaration is wrong.
  void settle() {
    constexpr unsigned kSweeps = 20;
    for (unsigned sweep = 0; sweep < kSweeps; ++sweep) {
      const std::vector<double> before(network_.outputs().begin(), network_.outputs().end());
      const core::Values discreteBefore = network_.discreteOutputs({0, network_.size()});
      for (std::size_t position = 0; position < network_.size(); ++position)
        if (!evaluateIfChanged(position)) return;
      changed_.clear();
      for (std::size_t position = 0; position < network_.size(); ++position) noteChanges(position, before);
      if (changed_.empty() && network_.discreteOutputs({0, network_.size()}) == discreteBefore) return;
    }
    for (const std::size_t value : changed_) {
      const OutputName output = network_.outputName(value);
      const Member& member = system_.members[output.member];
      report_.inconsistent.push_back(member.nameOf(output.port));
    }
    if (changed_.empty()) report_.inconsistent.emplace_back("discrete outputs");
  }

  /// Outputs that were others before, by more than the rounding of what they are computed from: of a solution of zero
  /// nothing else is left.
  void noteChanges(std::size_t position, const std::vector<double>& before) {
    constexpr double kRounding = 1e-13;
    const double rounding = kRounding * network_.largestInput(position);
    const Block own = network_.outputsOf(position);
    for (std::size_t i = own.first; i < own.last; ++i) {
      const double allowed = tolerance().allowed(before[i], sizes_[i]);
      if (std::fabs(network_.outputs()[i] - before[i]) > std::max({allowed, rounding, rounding_[i]}))
        changed_.push_back(i);
    }
  }

  struct Loop {
    std::vector<std::size_t> positions;  ///< members, in the order of evaluation
    std::vector<std::size_t> values;     ///< unknowns: indices into the network's outputs, ascending
  };

  /// Everybody is evaluated once, so that all are initialised, but the loop's outputs stay what its inputs start with:
  /// the first step begins its iteration there.
  bool keepStartValues(const Loop& loop) {
    const Eigen::VectorXd z = valuesOf(loop);
    for (const std::size_t position : loop.positions)
      if (!evaluate(position)) return false;
    for (const std::size_t value : loop.values) report_.kept.push_back({value, network_.outputs()[value]});
    put(loop, z);
    return true;
  }

  /// Who carries values round the loop once per step, as explicit algorithms do, wants to know how they grow. That is
  /// worth a warning: where it cannot be found out, nothing is lost. Who failed is brought back to where it was.
  bool keepLoop(const std::vector<std::size_t>& component) {
    const Loop loop = loopOf(component);
    if (settings_.iterates()) return keepStartValues(loop);
    AlgebraicLoop& entry = entryOf(component);
    entry.kept = true;
    const Eigen::VectorXd z = valuesOf(loop);
    Eigen::MatrixXd derivatives;
    Eigen::VectorXd r;
    if (loop.values.size() <= static_cast<std::size_t>(kLargest) && !cannotBeDifferentiated(network_, loop.positions)) {
      const std::vector<std::size_t> saved = save(loop);
      forgetIncrements(loop);
      frozen_ = network_.discreteOutputs({0, network_.size()});
      if (residual(loop, z, r) && jacobian(loop, derivatives)) {
        findGrowth(loop, derivatives, entry);
        if (!derivatives.allFinite()) entry.growthUnknown = "a value was not finite.";
      } else {
        const Member& failed = system_.members[network_.member(report_.fault.position)];
        entry.growthUnknown = fmt::format("'{}' failed: {}", failed.name, failed.subsystem->failure());
        bringBack(report_.fault.position, std::ranges::find(saved, report_.fault.position) != saved.end());
        report_.fault = {};
      }
      put(loop, z);
    }
    return keepStartValues(loop);
  }

  /// Those that could be saved.
  std::vector<std::size_t> save(const Loop& loop) {
    std::vector<std::size_t> saved;
    for (const std::size_t position : loop.positions) {
      if (!network_.subsystem(position).describe().capabilities.saveRestore) continue;
      if (network_.save({position, position + 1}, subsystem::Slot::iteration))
        bringBack(position, false);
      else
        saved.push_back(position);
    }
    return saved;
  }

  /// Whom nothing brings back fails again when it is evaluated next.
  void bringBack(std::size_t position, bool saved) {
    if (!saved || network_.restore({position, position + 1}, subsystem::Slot::iteration))
      network_.subsystem(position).initialiseAgain();
  }

  AlgebraicLoop& entryOf(const std::vector<std::size_t>& component) {
    AlgebraicLoop& entry = report_.loops.emplace_back();
    for (const std::size_t node : component) entry.outputs.push_back(name(nodes_[node]));
    return entry;
  }

  void findGrowth(const Loop& loop, const Eigen::MatrixXd& derivatives, AlgebraicLoop& entry) const {
    if (derivatives.allFinite() && derivatives.size() > 0 && derivatives.rows() <= kLargest)
      entry.growth = growthPerStep(sweepMatrix(loop, derivatives, settings_.form()), settings_.degree);
  }

  void put(const Loop& loop, const Eigen::VectorXd& z) {
    for (std::size_t i = 0; i < loop.values.size(); ++i)
      network_.outputs()[loop.values[i]] = z[static_cast<Eigen::Index>(i)];
  }

  [[nodiscard]] Loop loopOf(const std::vector<std::size_t>& component) const {
    std::set<std::size_t> positions;
    std::set<std::pair<MemberIndex, PortIndex>> ports;
    for (const std::size_t node : component) {
      positions.insert(nodes_[node].position);
      ports.insert({network_.member(nodes_[node].position), nodes_[node].port});
    }
    Loop loop;
    loop.positions.assign(positions.begin(), positions.end());
    for (const std::size_t position : loop.positions) {
      const Block own = network_.outputsOf(position);
      for (std::size_t i = own.first; i < own.last; ++i)
        if (ports.contains({network_.outputName(i).member, network_.outputName(i).port})) loop.values.push_back(i);
    }
    return loop;
  }

  [[nodiscard]] Eigen::VectorXd valuesOf(const Loop& loop) const {
    Eigen::VectorXd z(static_cast<Eigen::Index>(loop.values.size()));
    for (std::size_t i = 0; i < loop.values.size(); ++i)
      z[static_cast<Eigen::Index>(i)] = network_.outputs()[loop.values[i]];
    return z;
  }

  /// answered(z) - z, all members fed with z and with the discrete values that are frozen.
  bool residual(const Loop& loop, const Eigen::VectorXd& z, Eigen::VectorXd& r) {
    put(loop, z);
    network_.putDiscreteOutputs({0, network_.size()}, frozen_);
    for (const std::size_t position : loop.positions) network_.gather(position);
    for (const std::size_t position : loop.positions) {
      const auto u = network_.inputsOf(position);
      lastInputs_[position].assign(u.begin(), u.end());
      evaluated_.insert(position);
      if (const Fault fault = network_.evaluate(position, t_)) return fail(fault);
    }
    r = valuesOf(loop) - z;
    return true;
  }

  void forgetIncrements(const Loop& loop) {
    increments_ = Eigen::VectorXd::Constant(static_cast<Eigen::Index>(loop.values.size()), HUGE_VAL);
  }

  [[nodiscard]] core::Tolerance tolerance() const { return {settings_.rtol, settings_.atol}; }

  [[nodiscard]] static double norm(const core::Tolerance& tolerance, const Eigen::VectorXd& r, const Eigen::VectorXd& z,
                                   const std::vector<double>& sizes) {
    if (!r.allFinite()) return HUGE_VAL;
    const auto n = static_cast<std::size_t>(r.size());
    return core::weightedNorm(core::Norm::rms, tolerance, {r.data(), n}, {z.data(), n}, sizes);
  }

  /// d answered / d z at the last residual, member by member.
  bool jacobian(const Loop& loop, Eigen::MatrixXd& matrix) {
    const auto n = static_cast<Eigen::Index>(loop.values.size());
    matrix = Eigen::MatrixXd::Zero(n, n);
    const auto indexOf = [&loop](std::size_t value) -> Eigen::Index {
      const auto place = std::ranges::lower_bound(loop.values, value);
      return place != loop.values.end() && *place == value ? place - loop.values.begin() : -1;
    };
    for (const std::size_t position : loop.positions) {
      const Block own = network_.outputsOf(position);
      std::vector<double> dy(own.last - own.first);
      std::optional<std::size_t> differentiated;
      for (const Contribution& part : network_.contributionsTo(position)) {
        const Eigen::Index column = indexOf(part.source);
        if (column < 0) continue;
        const double increment = relativeIncrement_ * std::fmax(std::fabs(network_.inputsOf(position)[part.input]),
                                                                network_.nominalOf(position, part.input));
        increments_[column] = std::fmin(increments_[column], increment / std::fabs(part.scale));
        if (differentiated != part.input && !derivative(position, part.input, increment, dy)) return false;
        differentiated = part.input;
        for (std::size_t i = own.first; i < own.last; ++i)
          if (const Eigen::Index row = indexOf(i); row >= 0) matrix(row, column) += dy[i - own.first] * part.scale;
      }
    }
    return true;
  }

  bool derivative(std::size_t position, std::size_t input, double asked, std::vector<double>& dy) {
    auto& subsystem = network_.subsystem(position);
    if (subsystem.describe().capabilities.directionalDerivatives &&
        subsystem.differentiate(input, dy) < subsystem::Status::discard)
      return true;
    const auto u = network_.inputsOf(position);
    const Block own = network_.outputsOf(position);
    const auto y = network_.outputs().subspan(own.first, own.last - own.first);
    const double kept = u[input];
    // Forward; backward where the forward difference leaves the model's domain.
    for (const double direction : {1.0, -1.0}) {
      u[input] = kept + direction * asked;
      const double increment = u[input] - kept;
      const Fault fault = network_.evaluateAlone(position, t_, dy);
      u[input] = kept;
      if (fault) return fail(fault);
      for (std::size_t i = 0; i < dy.size(); ++i) dy[i] = (dy[i] - y[i]) / increment;
      if (std::ranges::all_of(dy, [](double d) { return std::isfinite(d); })) break;
    }
    return true;
  }

  bool solveLoop(const std::vector<std::size_t>& component) {
    const Loop loop = loopOf(component);
    AlgebraicLoop& entry = entryOf(component);
    entry.iterated = cannotBeDifferentiated(network_, loop.positions);
    entry.unknowns = loop.values.size();
    if (!entry.iterated && entry.unknowns > kMostUnknownsOfLoop) return false;
    for (const std::size_t position : loop.positions)  // an iteration begins with that itself
      if (!entry.iterated && !evaluate(position)) return false;

    const Eigen::VectorXd begin = valuesOf(loop);
    // Discrete outputs in the loop are not unknowns: the reals are solved with them frozen, again until they stay.
    constexpr unsigned kDiscreteRounds = 20;
    for (unsigned round = 0; round < kDiscreteRounds; ++round) {
      const core::Values before = network_.discreteOutputs({0, network_.size()});
      if (!(entry.iterated ? iterateReals(loop, entry) : solveReals(loop, entry))) return false;
      entry.solved = entry.norm <= 1.0 && network_.discreteOutputs({0, network_.size()}) == before;
      if (entry.solved || !(entry.norm <= 1.0)) break;
    }
    // An iteration over the first step may still solve it, or say why not, unless what is known at the start counts
    // inside the step. It begins where this one began, not where that got lost.
    if (entry.solved && !entry.repelling) report_.start.solved.insert(loop.values.begin(), loop.values.end());
    entry.left = !entry.solved && entry.iterated && settings_.iterates() && settings_.degree == 0;
    if (!entry.left) return entry.solved;
    put(loop, begin);
    return keepStartValues(loop);
  }

  bool iterateReals(const Loop& loop, AlgebraicLoop& entry) {
    LoopIteration ended = iterateLoop(network_, loop.positions, loop.values, settings_,
                                      [this](std::size_t position) { return evaluate(position); });
    entry.iterations += ended.iterations;
    entry.norm = ended.norm;
    entry.scatters = ended.scatters;
    entry.open = ended.open;
    entry.coarsest = ended.coarsest;
    entry.repelling = repellingBy(ended.seen);
    report_.start.seen.push_back(std::move(ended.seen));
    return ended.evaluated;
  }

  /// Where short increments do not lead to the solution, their differences may be rounding: members compute their
  /// answers from values that nobody sees.
  bool solveReals(const Loop& loop, AlgebraicLoop& entry) {
    for (const double relativeIncrement : {kShortIncrement, kLongIncrement}) {
      relativeIncrement_ = relativeIncrement;
      if (!solveByNewton(loop, entry)) return false;
      if (entry.norm <= 1.0) break;
    }
    return true;
  }

  /// Newton with halved corrections where the residual would grow. It goes on below the demanded tolerance as long as
  /// that helps: initial values are solved once and everything starts from them.
  bool solveByNewton(const Loop& loop, AlgebraicLoop& entry) {
    constexpr core::Tolerance kTight{1e-13};
    constexpr unsigned kIterations = 50;
    constexpr int kHalvings = 12;
    frozen_ = network_.discreteOutputs({0, network_.size()});
    forgetIncrements(loop);
    Eigen::VectorXd z = valuesOf(loop);
    const std::vector<double> sizes = startSizes(network_, loop.values);
    Eigen::VectorXd r;
    Eigen::MatrixXd firstDerivatives;
    if (!residual(loop, z, r)) return false;
    for (unsigned iteration = 0; iteration < kIterations; ++iteration) {
      if (norm(kTight, r, z, unitsAt(z, r, sizes)) <= 1.0) break;
      ++entry.iterations;
      Eigen::MatrixXd derivatives;
      Eigen::VectorXd correction;
      if (!newtonCorrection(loop, r, derivatives, correction)) return false;
      if (firstDerivatives.size() == 0) firstDerivatives = derivatives;
      if (!correction.allFinite()) correction = r;
      const std::vector<double> units = unitsAt(z, correction, unitsAt(z, r, sizes));
      const double size = norm(kTight, r, z, units);
      Eigen::VectorXd trial;
      Eigen::VectorXd trialResidual;
      double trialSize = HUGE_VAL;
      for (int halving = 0; halving <= kHalvings && !(trialSize < size); ++halving) {
        trial = z + std::ldexp(1.0, -halving) * correction;
        if (!residual(loop, trial, trialResidual)) return false;
        trialSize = norm(kTight, trialResidual, z, units);  // in the same units, wherever the trial leads
      }
      if (!(trialSize < size)) {  // as good as it gets; leave the best values in place
        if (!residual(loop, z, r)) return false;
        break;
      }
      z = trial;
      r = trialResidual;
    }
    return assess(loop, {z, r, sizes}, firstDerivatives, entry);
  }

  struct LoopPoint {
    const Eigen::VectorXd& z;
    const Eigen::VectorXd& r;
    const std::vector<double>& sizes;
  };

  /// What is known of a loop where its iteration has ended. A small residual alone proves nothing where the loop is
  /// nearly singular: what counts is how far the solution would still move.
  bool assess(const Loop& loop, const LoopPoint& at, const Eigen::MatrixXd& firstDerivatives, AlgebraicLoop& entry) {
    Eigen::MatrixXd derivatives;
    Eigen::VectorXd correction;
    if (!newtonCorrection(loop, at.r, derivatives, correction)) return false;
    const detail::LoopRounding rounding(derivatives, at.z, at.r);
    entry.norm =
        std::fmax(norm(tolerance(), at.r, at.z, notBelow(rounding.ofAnswers, settings_.rtol, at.sizes)),
                  norm(tolerance(), correction, at.z, notBelow(rounding.ofSolution, settings_.rtol, at.sizes)));
    for (std::size_t i = 0; i < loop.values.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      rounding_[loop.values[i]] = std::fmax(rounding.ofAnswers[k], rounding.ofSolution[k]);
    }
    findGrowth(loop, derivatives, entry);
    entry.repelling = entry.norm <= 1.0 ? repellingIn(loop, derivatives) : std::nullopt;
    if (entry.repelling && !differ(firstDerivatives, derivatives, rounding.ofAnswers) &&
        !bends(loop, at, derivatives, rounding.ofAnswers))
      entry.repelling.reset();
    // Differences and moves have left other inputs in the subsystems: set the solution once more.
    Eigen::VectorXd same;
    return residual(loop, at.z, same);
  }

  [[nodiscard]] std::optional<Repelling> repellingIn(const Loop& loop, const Eigen::MatrixXd& derivatives) const {
    if (derivatives.rows() > kLargest || !derivatives.allFinite()) return std::nullopt;
    return repellingBy(sweepMatrix(loop, derivatives, Form::sequence), loop.values);
  }

  /// Whether the loop answers a move away from its solution otherwise than the derivatives there say: where Newton's
  /// method went no way, as from a solution, nothing else tells. A member that refuses the move tells nothing, and is
  /// brought back.
  bool bends(const Loop& loop, const LoopPoint& solution, const Eigen::MatrixXd& derivatives,
             const Eigen::VectorXd& rounding) {
    constexpr double kShare = 0.1;  // of how large values are, or of 1 where nothing tells
    const std::vector<double> units = unitsAt(solution.z, solution.r, solution.sizes);
    Eigen::VectorXd move(solution.z.size());
    for (std::size_t i = 0; i < units.size(); ++i)
      move[static_cast<Eigen::Index>(i)] = kShare * (units[i] > 0.0 ? units[i] : 1.0);
    const std::vector<std::size_t> saved = save(loop);
    Eigen::VectorXd there;
    if (!residual(loop, solution.z + move, there)) {
      const std::size_t failed = std::exchange(report_.fault, {}).position;
      bringBack(failed, std::ranges::find(saved, failed) != saved.end());
      return false;
    }
    const Eigen::VectorXd off = there - (solution.r + derivatives * move - move);
    const double lostBy = 1.0 + move.cwiseQuotient(increments_).sum();  // derivatives have rounding in them as well
    const Eigen::VectorXd noise = kNoise * (derivatives.cwiseAbs() * move) + lostBy * rounding;
    return (off.cwiseAbs().array() > noise.array()).any();
  }

  /// A linear loop has the same derivatives everywhere, and no other solution.
  [[nodiscard]] bool differ(const Eigen::MatrixXd& first, const Eigen::MatrixXd& last,
                            const Eigen::VectorXd& rounding) const {
    if (first.size() == 0 || !first.allFinite()) return false;
    const double noise = kNoise * std::max(first.cwiseAbs().maxCoeff(), last.cwiseAbs().maxCoeff());
    const Eigen::MatrixXd lost = rounding * increments_.cwiseInverse().transpose();
    return ((last - first).cwiseAbs().array() > noise + lost.array()).any();
  }

  bool newtonCorrection(const Loop& loop, const Eigen::VectorXd& r, Eigen::MatrixXd& derivatives,
                        Eigen::VectorXd& correction) {
    if (!jacobian(loop, derivatives)) return false;
    const auto n = derivatives.rows();
    correction = core::detail::solve(Eigen::MatrixXd::Identity(n, n) - derivatives, r);
    return true;
  }

  /// How values go round the loop in one evaluation of all: x(n+1) = (I - F)^-1 (G - F) Ext[x], where F is the part of
  /// the gains G that uses fresh values.
  [[nodiscard]] std::vector<double> sweepMatrix(const Loop& loop, const Eigen::MatrixXd& gains, Form form) const {
    const auto n = gains.rows();
    std::vector<std::size_t> positionOf;
    for (const std::size_t value : loop.values)
      for (const std::size_t position : loop.positions)
        if (const Block own = network_.outputsOf(position); value >= own.first && value < own.last)
          positionOf.push_back(position);
    Eigen::MatrixXd fresh = Eigen::MatrixXd::Zero(n, n);
    for (Eigen::Index row = 0; row < n; ++row)
      for (Eigen::Index column = 0; column < n; ++column) {
        const std::size_t consumer = positionOf[static_cast<std::size_t>(row)];
        const bool sees = form == Form::sequence || network_.isStatic(consumer);
        if (sees && positionOf[static_cast<std::size_t>(column)] < consumer) fresh(row, column) = gains(row, column);
      }
    const Eigen::MatrixXd sweep =
        core::detail::solve(Eigen::MatrixXd::Identity(n, n) - fresh, Eigen::MatrixXd(gains - fresh));
    const Eigen::MatrixXd rows = sweep.transpose();
    return {rows.data(), rows.data() + rows.size()};
  }

  const System& system_;
  Network& network_;
  double t_;
  AlgorithmSettings settings_;
  InitialisationReport report_;
  std::vector<double> sizes_;     ///< of all outputs as they begin
  std::vector<double> rounding_;  ///< of outputs of loops that were solved; of others 0
  std::vector<Node> nodes_;
  std::vector<bool> selfDependent_;
  std::vector<std::vector<double>> lastInputs_;
  std::set<std::size_t> evaluated_;
  double relativeIncrement_ = kShortIncrement;
  Eigen::VectorXd increments_;  ///< the least that each value of the loop was moved by for a difference
  core::Values frozen_;         ///< discrete outputs while a loop's reals are solved
  std::vector<std::size_t> changed_;
};

}  // namespace

bool InitialisationReport::solved() const {
  return !fault && inconsistent.empty() && undetermined.empty() &&
         std::ranges::all_of(loops, [](const AlgebraicLoop& loop) { return loop.solved || loop.left || loop.kept; });
}

InitialisationReport initialise(const System& system, Network& network, double t, const AlgorithmSettings& settings) {
  return Initialiser(system, network, t, settings).run();
}

}  // namespace koppla::coupling
