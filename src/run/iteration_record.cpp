#include "koppla/run/iteration_record.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/suggest.hpp"
#include "koppla/results/pattern.hpp"

namespace koppla::run {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

std::string_view word(coupling::Ending ending) {
  constexpr std::array<std::string_view, 7> kWords{"converged", "cap-reached", "stagnated", "exploded",
                                                   "opened",    "singular",    "failed"};
  return kWords.at(static_cast<std::size_t>(ending));
}

std::string nameOf(const coupling::System& system, const coupling::OutputName& output) {
  const coupling::Member& member = system.members[output.member];
  const subsystem::Port& port = member.subsystem->describe().ports[output.port];
  return port.size == 1 ? member.nameOf(port) : fmt::format("{}[{}]", member.nameOf(port), output.element + 1);
}

}  // namespace

IterationRecord::IterationRecord(const coupling::System& system, const coupling::Network& network,
                                 const Settings& settings, core::Log& log, results::Recorder* recorder)
    : system_(system), network_(network), log_(log), recorder_(recorder) {
  if (recorder_ == nullptr) return;
  for (const coupling::ConvergenceGroup& group : settings.algorithm.convergence) groups_.push_back(group.name);
  if (groups_.empty()) groups_.emplace_back("all");
  for (std::size_t value = 0; value < network.outputs().size(); ++value) {
    const coupling::OutputName output = network.outputName(value);
    const subsystem::Port& port = system.members[output.member].subsystem->describe().ports[output.port];
    const std::string whole = system.members[output.member].nameOf(port);
    const std::string name = nameOf(system, output);
    const auto fits = [&](const std::string& pattern) {
      return results::matches(pattern, whole) || results::matches(pattern, name);
    };
    if (std::ranges::any_of(settings.iterationVariables, fits)) watch(value, output, name);
  }
}

/// Outputs of one port follow each other.
void IterationRecord::watch(std::size_t value, const coupling::OutputName& output, const std::string& name) {
  const coupling::Member& member = system_.members[output.member];
  const subsystem::Port& port = member.subsystem->describe().ports[output.port];
  std::string whole = member.nameOf(port);
  if (fields_.empty() || fields_.back().name != whole)
    fields_.push_back({std::move(whole), port.unit, watched_.size()});
  ++fields_.back().count;
  watched_.push_back({value, name, port.unit});
}

void IterationRecord::begin() {
  if (recorder_ == nullptr) return;
  using core::Type;
  std::vector<results::Column> columns{{"step", Type::integer, "", "macro steps tried so far, of whatever length"},
                                       {"cycle", Type::string, "", "its first member"},
                                       {"iteration", Type::integer, "", "in this step"},
                                       {"total", Type::integer, "", "iterations so far"},
                                       {"residual", Type::real, "", "largest of the groups; converged at 1"}};
  for (const std::string& group : groups_)
    columns.push_back({"residual." + group, Type::real, "", "in units of its tolerance"});
  columns.push_back({"error", Type::real, "", "estimated, of the answers, in units of the tolerance"});
  columns.push_back({"K", Type::real, "", "of all exchanged values"});
  columns.push_back({"behaviour", Type::string, "", "what K says"});
  columns.push_back({"acceleration", Type::string, "", "that made what was sent"});
  columns.push_back({"factor_smallest", Type::real, "", "of relaxation"});
  columns.push_back({"factor_largest", Type::real, "", "of relaxation"});
  columns.push_back({"columns", Type::integer, "", "differences in use"});
  columns.push_back({"dropped", Type::integer, "", "differences dropped since the iteration before"});
  columns.push_back({"ending", Type::string, "", "of the step; empty while it goes on"});
  for (const Watched& watched : watched_) {
    columns.push_back({watched.name, Type::real, watched.unit, "answered"});
    columns.push_back({watched.name + ".residual", Type::real, watched.unit, "answered less sent"});
    columns.push_back({watched.name + ".K", Type::real, "", "ratio of successive changes"});
    columns.push_back({watched.name + ".factor", Type::real, "", "of relaxation"});
  }
  for (const Field& field : fields_) {
    columns.push_back({field.name + ".change_mean", Type::real, field.unit, "of its answers, magnitude"});
    columns.push_back({field.name + ".change_largest", Type::real, field.unit, "of its answers, magnitude"});
  }
  recorder_->begin(columns);
  began_ = true;
}

void IterationRecord::flush() {
  if (began_) recorder_->flush();
}

void IterationRecord::end(bool complete) {
  if (!began_) return;
  began_ = false;
  if (complete)
    recorder_->complete();
  else
    recorder_->abandon();
}

void IterationRecord::iteration(const coupling::IterationReport& report) {
  if (began_) addRow(report);
  ++iterations_;
  if (listener_ && pulse_.due(iterations_)) listener_(report.iteration, report.monitor.norm());
  if (keepsHistory()) return;
  unheard_ = pulse_.steps() - 1;
  iterations_ += unheard_;
}

void IterationRecord::addRow(const coupling::IterationReport& report) {
  const subsystem::Step& step = report.problem.step();
  if (report.iteration == 1 && (step.t0 != begin_ || step.t1 != end_)) ++step_;
  begin_ = step.t0;
  end_ = step.t1;
  ++total_;
  const coupling::ConvergenceMonitor& monitor = report.monitor;
  row_.integers = {step_, static_cast<std::int32_t>(report.iteration), total_,
                   static_cast<std::int32_t>(report.doings.columns), static_cast<std::int32_t>(report.doings.dropped)};
  row_.reals = {monitor.norm()};
  for (const std::string& group : groups_) {
    const auto found = std::ranges::find(monitor.groups(), group);
    row_.reals.push_back(found == monitor.groups().end()
                             ? kUnknown
                             : monitor.norms()[static_cast<std::size_t>(found - monitor.groups().begin())]);
  }
  row_.reals.push_back(report.error);
  row_.reals.push_back(monitor.k());
  row_.reals.push_back(report.doings.smallestFactor);
  row_.reals.push_back(report.doings.largestFactor);
  row_.strings = {system_.members[network_.member(report.problem.block().first)].name,
                  std::string(coupling::word(coupling::behaviourOf(monitor.k()))), std::string(report.doings.method),
                  std::string(report.last ? word(report.ending) : "")};
  for (Watched& watched : watched_) addCourse(watched, report);
  for (const Field& field : fields_) addChanges(field, report);
  recorder_->row(report.problem.step().t1, row_);
}

void IterationRecord::addCourse(Watched& watched, const coupling::IterationReport& report) {
  const std::vector<std::size_t>& coupled = report.problem.coupled();
  if (!std::ranges::binary_search(coupled, watched.value)) {
    row_.reals.insert(row_.reals.end(), 4, kUnknown);
    return;
  }
  index_.assign(1, watched.value);
  scratch_.resize(report.problem.points());
  report.problem.readSent(index_, scratch_);
  const double sent = scratch_.back();
  report.problem.readAnswered(index_, scratch_);
  const double answered = scratch_.back();
  const std::vector<std::size_t>& cut = report.problem.cut();
  const auto place = std::ranges::lower_bound(cut, watched.value);
  const bool isCut = place != cut.end() && *place == watched.value;
  // What somebody used before it was computed has a start value, so that K is known one iteration earlier.
  if (report.iteration == 1) watched.last = sent;
  const double change = answered - watched.last;
  const bool known = report.iteration > (isCut ? 1U : 2U) && watched.change != 0.0;
  const double k = known ? change / watched.change : kUnknown;
  watched.last = answered;
  watched.change = change;
  double factor = isCut ? report.doings.largestFactor : 1.0;
  if (isCut && report.iteration > 1 && !report.factors.empty())
    factor = report.factors[report.factors.size() - cut.size() + static_cast<std::size_t>(place - cut.begin())];
  for (const double value : {answered, answered - sent, k, factor}) row_.reals.push_back(value);
}

/// Jung's local error, eq. (3.1), x_i - x_i-1, over a field. A cycle exchanges some of its values, or none.
void IterationRecord::addChanges(const Field& field, const coupling::IterationReport& report) {
  const std::vector<std::size_t>& coupled = report.problem.coupled();
  std::size_t count = 0;
  double sum = 0.0;
  double largest = 0.0;
  for (const Watched& watched : std::span(watched_).subspan(field.first, field.count)) {
    if (!std::ranges::binary_search(coupled, watched.value)) continue;
    const double magnitude = std::fabs(watched.change);
    ++count;
    sum += magnitude;
    largest = std::max(largest, magnitude);
  }
  row_.reals.push_back(count == 0 ? kUnknown : sum / static_cast<double>(count));
  row_.reals.push_back(count == 0 ? kUnknown : largest);
}

std::string IterationRecord::membersOf(const coupling::InterfaceProblem& problem) const {
  std::string names;
  for (std::size_t i = problem.block().first; i < problem.block().last; ++i)
    names += (names.empty() ? "" : ", ") + system_.members[network_.member(i)].name;
  return names;
}

void IterationRecord::remark(const coupling::InterfaceProblem& problem, const std::string& text) {
  log_.write(core::Severity::info, "acceleration",
             fmt::format("cycle {}, step to {:.12g} s: {}", membersOf(problem), problem.step().t1, text));
}

void IterationRecord::warning(const coupling::InterfaceProblem& problem, std::size_t position,
                              const std::string& text) {
  log_.write(core::Severity::warning, "coupling",
             fmt::format("{}, step to {:.12g} s: {}", system_.members[network_.member(position)].name,
                         problem.step().t1, text));
}

namespace {

/// Real outputs that fit a pattern; a pattern that fits none is a mistake.
std::vector<coupling::Endpoint> outputsFitting(const std::string& pattern, const coupling::System& system,
                                               std::string_view purpose) {
  std::vector<std::string> all;
  std::vector<coupling::Endpoint> outputs;
  for (coupling::MemberIndex m = 0; m < system.members.size(); ++m) {
    const std::vector<subsystem::Port>& ports = system.members[m].subsystem->describe().ports;
    for (subsystem::PortIndex p = 0; p < ports.size(); ++p) {
      if (ports[p].causality != subsystem::Causality::output || ports[p].type != core::Type::real) continue;
      all.push_back(system.members[m].nameOf(ports[p]));
      if (results::matches(pattern, all.back())) outputs.push_back({m, p});
    }
  }
  if (outputs.empty())
    throw core::InputError(fmt::format("No real output fits '{}', {}.", pattern, purpose),
                           core::suggestion(pattern, all));
  return outputs;
}

/// Finds the outputs. The order of two numbers for one output would decide.
void resolve(std::vector<coupling::OwnNumber>& fields, const coupling::System& system, std::string_view what,
             std::string_view option) {
  std::set<std::pair<coupling::MemberIndex, subsystem::PortIndex>> known;
  for (coupling::OwnNumber& field : fields) {
    field.outputs = outputsFitting(field.variables, system, fmt::format("which has {} of its own", what));
    for (const coupling::Endpoint& output : field.outputs)
      if (!known.insert({output.member, output.port}).second)
        throw core::InputError(
            fmt::format("'{}' has {} of its own twice.", system.members[output.member].nameOf(output.port), what),
            fmt::format("Let no other name in {} fit what '{}' fits.", option, field.variables));
  }
}

}  // namespace

Settings withGroups(Settings settings, const coupling::System& system) {
  for (coupling::ConvergenceGroup& group : settings.algorithm.convergence)
    for (const std::string& pattern : group.variables) {
      const auto fitting = outputsFitting(pattern, system, "a variable of the convergence test");
      group.outputs.insert(group.outputs.end(), fitting.begin(), fitting.end());
    }
  resolve(settings.algorithm.acceleration.fieldFactors, system, "a relaxation factor", "'factors' of [acceleration]");
  resolve(settings.algorithm.semiImplicit.increments, system, "an increment", "'increments' of [algorithm]");
  return settings;
}

}  // namespace koppla::run
