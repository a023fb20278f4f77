#include "whole.hpp"

#include <array>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "koppla/core/detail/dense.hpp"
#include "koppla/mechanics/multibody.hpp"
#include "koppla/project/project.hpp"
#include "koppla/results/memory_recorder.hpp"

namespace koppla::test {

namespace {

using mechanics::MultibodySettings;
using project::Project;

const std::string kWhole = "whole";

const MultibodySettings& systemOf(const project::SubsystemEntry& entry) {
  return std::get<MultibodySettings>(entry.model.value().settings);
}

const mechanics::MarkerSettings& markerOf(const Project& plan, const project::PortReference& reference) {
  for (const project::SubsystemEntry& entry : plan.subsystems)
    if (entry.name.value == reference.subsystem)
      for (const mechanics::MarkerSettings& marker : systemOf(entry).markers)
        if (marker.name == reference.port) return marker;
  throw std::invalid_argument("no marker " + reference.port);
}

mechanics::Joint jointOf(const Project& plan) {
  const project::ConditionEntry& condition = plan.conditions.at(0);
  return {.kind = condition.joint.value,
          .first = markerOf(plan, condition.first).place,
          .second = markerOf(plan, condition.second).place,
          .firstRotation = mechanics::Rotation::planar,
          .secondRotation = mechanics::Rotation::planar};
}

MultibodySettings inOnePiece(const Project& plan) {
  MultibodySettings whole = systemOf(plan.subsystems.at(0));
  const MultibodySettings& other = systemOf(plan.subsystems.at(1));
  const auto append = [](auto& all, const auto& more) { all.insert(all.end(), more.begin(), more.end()); };
  append(whole.bodies, other.bodies);
  append(whole.markers, other.markers);
  append(whole.springs, other.springs);
  append(whole.torsionSprings, other.torsionSprings);
  append(whole.forces, other.forces);
  append(whole.joints, other.joints);
  const project::ConditionEntry& condition = plan.conditions.at(0);
  const std::string name = condition.name.value;
  if (const auto* const law = std::get_if<project::SpringDamperLaw>(&condition.law)) {
    if (condition.joint.value != mechanics::JointKind::atpoint)
      throw std::invalid_argument("only springs between points can be put inside");
    const auto alongXAndY = [](const std::vector<double>& rows) {
      return mechanics::Vector{rows.front(), rows.back(), 0.0};
    };
    whole.springs.push_back({.name = name,
                             .first = condition.first.port,
                             .second = condition.second.port,
                             .stiffness = alongXAndY(law->stiffness),
                             .damping = alongXAndY(law->damping)});
  } else {
    whole.joints.push_back({.name = name,
                            .joint = jointOf(plan),
                            .first = markerOf(plan, condition.first).body,
                            .second = markerOf(plan, condition.second).body});
  }
  return whole;
}

results::Table simulate(project::NativeModel model, double end, double step,
                        const solver::IntegratorSettings& integrator) {
  Project plan;
  plan.settings.end = end;
  plan.settings.step = step;
  plan.settings.variables = {"*"};
  model.integrator = integrator;
  plan.subsystems.push_back({.name = {kWhole, {}}, .fmu = {}, .model = std::move(model)});
  core::Log log;
  results::MemoryRecorder recorder;
  run::Run run = project::makeRun(plan, log, &recorder);
  run::Outcome outcome = run.initialise();
  if (outcome.ok()) outcome = run.simulate();
  if (!outcome.ok()) throw std::runtime_error("reference: " + outcome.message);
  run.end();
  return recorder.table();
}

const std::vector<double>& find(const results::Table& table, const std::string& variable) {
  const results::Series* const found = table.find(variable);
  if (found == nullptr) throw std::invalid_argument("no variable " + variable);
  return found->numbers;
}

/// One of the subsystems at instants of the reference: its accelerations for any forces in the joint.
class Part {
 public:
  Part(const Project& plan, std::size_t index, const results::Table& reference)
      : reference_(reference), entry_(plan.subsystems.at(index)), system_(systemOf(entry_)) {
    const project::ConditionEntry& condition = plan.conditions.at(0);
    const bool first = condition.first.subsystem == entry_.name.value;
    system_.couple({.name = "joint",
                    .joint = jointOf(plan),
                    .side = first ? solver::Side::first : solver::Side::second,
                    .body = markerOf(plan, first ? condition.first : condition.second).body});
    const project::PortReference& other = first ? condition.second : condition.first;
    partner_ = other.subsystem + "." + markerOf(plan, other).body;
    for (const subsystem::Port& port : system_.describe().ports)
      if (port.causality == subsystem::Causality::output) outputs_ += port.size;
  }

  /// Accelerations of all bodies, one after the other.
  [[nodiscard]] Eigen::VectorXd accelerations(std::size_t row, const Eigen::VectorXd& lambda) const {
    std::vector<double> x;
    for (const auto& quantities : {std::array{".position", ".rotation"}, std::array{".velocity", ".angular_velocity"}})
      for (const mechanics::BodySettings& body : systemOf(entry_).bodies)
        for (const char* quantity : quantities) append(x, entry_.name.value + "." + body.name + quantity, row);
    std::vector<double> u;
    for (const subsystem::Port& port : system_.describe().ports) {
      if (port.causality != subsystem::Causality::input) continue;
      if (port.name == "joint.lambda")
        u.insert(u.end(), lambda.data(), lambda.data() + lambda.size());
      else
        append(u, partner_ + port.name.substr(port.name.find('.')), row);
    }
    std::vector<double> y(outputs_);
    system_.outputs(reference_.time[row], x, u, y);
    return pick(y);
  }

  /// The same of the reference.
  [[nodiscard]] Eigen::VectorXd accelerations(std::size_t row) const {
    std::vector<double> found;
    for (const mechanics::BodySettings& body : systemOf(entry_).bodies) {
      append(found, entry_.name.value + "." + body.name + ".acceleration", row);
      append(found, entry_.name.value + "." + body.name + ".angular_acceleration", row);
    }
    return Eigen::VectorXd::Map(found.data(), static_cast<Eigen::Index>(found.size()));
  }

 private:
  /// One number, or those of a vector in the plane.
  void append(std::vector<double>& to, const std::string& variable, std::size_t row) const {
    if (reference_.find(variable) != nullptr)
      to.push_back(find(reference_, variable)[row]);
    else
      for (const char* component : {"[1]", "[2]"}) to.push_back(find(reference_, variable + component)[row]);
  }

  [[nodiscard]] Eigen::VectorXd pick(const std::vector<double>& y) const {
    std::vector<double> found;
    std::size_t at = 0;
    for (const subsystem::Port& port : system_.describe().ports) {
      if (port.causality != subsystem::Causality::output) continue;
      if (port.name.ends_with("acceleration")) found.insert(found.end(), &y[at], &y[at] + port.size);
      at += port.size;
    }
    return Eigen::VectorXd::Map(found.data(), static_cast<Eigen::Index>(found.size()));
  }

  const results::Table& reference_;
  const project::SubsystemEntry& entry_;
  mechanics::Multibody system_;
  std::string partner_;
  std::size_t outputs_ = 0;
};

/// Accelerations of both subsystems depend linearly on lambda, which is found from those of the reference.
Eigen::VectorXd lambdaAt(std::size_t row, Eigen::Index count, const std::array<Part, 2>& parts) {
  const auto both = [&](const auto& of) {
    const Eigen::VectorXd first = of(parts[0]);
    const Eigen::VectorXd second = of(parts[1]);
    Eigen::VectorXd all(first.size() + second.size());
    all << first, second;
    return all;
  };
  const auto with = [&](const Eigen::VectorXd& lambda) {
    return both([&](const Part& part) { return part.accelerations(row, lambda); });
  };
  const Eigen::VectorXd without = with(Eigen::VectorXd::Zero(count));
  Eigen::MatrixXd perUnit(without.size(), count);
  for (Eigen::Index i = 0; i < count; ++i) perUnit.col(i) = with(Eigen::VectorXd::Unit(count, i)) - without;
  const Eigen::VectorXd present = both([&](const Part& part) { return part.accelerations(row); });
  return core::detail::leastSquares(perUnit, Eigen::VectorXd(present - without));
}

}  // namespace

Whole::Whole(const std::string& project, double step, const solver::IntegratorSettings& integrator) : step_(step) {
  core::Log log;
  const Project plan = project::read(std::string(KOPPLA_EXAMPLES_DIR) + "/mechanisms/" + project + ".toml", log);
  project::NativeModel model;
  model.settings = inOnePiece(plan);
  table_ = simulate(std::move(model), plan.settings.end, step, integrator);
  for (results::Series& series : table_.series)
    for (const project::SubsystemEntry& entry : plan.subsystems)
      for (const mechanics::BodySettings& body : systemOf(entry).bodies)
        if (series.name.starts_with(kWhole + "." + body.name + "."))
          series.name.replace(0, kWhole.size(), entry.name.value);

  const std::array parts{Part(plan, 0, table_), Part(plan, 1, table_)};
  const std::size_t count = mechanics::rows(jointOf(plan));
  std::vector<results::Series> lambda(count);
  for (std::size_t i = 0; i < count; ++i)
    lambda[i].name = plan.conditions[0].name.value + ".lambda" + (count > 1 ? fmt::format("[{}]", i + 1) : "");
  for (std::size_t row = 0; row < table_.time.size(); ++row) {
    const Eigen::VectorXd found = lambdaAt(row, static_cast<Eigen::Index>(count), parts);
    for (std::size_t i = 0; i < count; ++i) lambda[i].numbers.push_back(found[static_cast<Eigen::Index>(i)]);
  }
  table_.series.insert(table_.series.end(), lambda.begin(), lambda.end());
}

Whole::Whole(const native::ExpressionModel& equations, const std::map<std::string, std::string>& names, double end,
             double step, const solver::IntegratorSettings& integrator)
    : step_(step) {
  project::NativeModel model;
  model.settings = equations;
  table_ = simulate(std::move(model), end, step, integrator);
  for (const auto& [output, variable] : names)
    for (results::Series& series : table_.series)
      if (series.name == kWhole + "." + output) series.name = variable;
}

const std::vector<double>& Whole::series(const std::string& variable) const {
  return find(table_, variable);
}

std::size_t Whole::at(double t) const {
  const auto index = static_cast<std::size_t>(std::lround(t / step_));
  if (std::fabs(table_.time.at(index) - t) > 1e-6 * step_) throw std::out_of_range("no instant of the reference");
  return index;
}

}  // namespace koppla::test
