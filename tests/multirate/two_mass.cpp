#include "two_mass.hpp"

#include <cmath>
#include <stdexcept>

#include <Eigen/LU>

#include "koppla/core/eigenvalues.hpp"
#include "koppla/native/exact_solution.hpp"
#include "koppla/results/recorder.hpp"
#include "koppla/solver/integrate.hpp"
#include "koppla/subsystem/force_law.hpp"
#include "koppla/subsystem/overshoot.hpp"

#include "support/extremes.hpp"
#include "support/formula_subsystem.hpp"

namespace koppla::test {

using coupling::AlgorithmKind;
using native::TwoMassOscillator;

struct ExactTwoMass::Impl {
  static constexpr double kTypicalFrequency = 1e3;  // rad/s

  explicit Impl(const TwoMassOscillator& p) : parameters(p) {
    // In (x1, v1 / w, x2, v2 / w) the matrix is well scaled, and its eigenvalues are exact to rounding.
    constexpr double w = kTypicalFrequency;
    Eigen::Matrix<double, 4, 4, Eigen::RowMajor> scaled;
    scaled << 0, w, 0, 0, -(p.c1 + p.ck) / p.m1 / w, -(p.d1 + p.dk) / p.m1, p.ck / p.m1 / w, p.dk / p.m1, 0, 0, 0, w,
        p.ck / p.m2 / w, p.dk / p.m2, -(p.c2 + p.ck) / p.m2 / w, -(p.d2 + p.dk) / p.m2;
    const core::Modes modes = core::modes({scaled.data(), 16}).value();
    values = Eigen::Map<const Eigen::Vector4cd>(modes.values.data());
    vectors = Eigen::Vector4d(1.0, w, 1.0, w).asDiagonal() * Eigen::Map<const Eigen::Matrix4cd>(modes.vectors.data());
    inverse = vectors.inverse();
    amplitudes = inverse * Eigen::Vector4d(p.x10, p.v10, p.x20, p.v20);
  }

  [[nodiscard]] Eigen::Vector4cd growth(double t) const { return (values * t).array().exp(); }

  [[nodiscard]] std::array<double, 5> outputs(const Eigen::Vector4d& z) const {
    return {z[0], z[1], z[2], z[3], parameters.ck * (z[2] - z[0]) + parameters.dk * (z[3] - z[1])};
  }

  TwoMassOscillator parameters;
  Eigen::Vector4cd values;
  Eigen::Matrix4cd vectors;
  Eigen::Matrix4cd inverse;
  Eigen::Vector4cd amplitudes;
  double h = 0.0;
  Eigen::Matrix4d transition;
};

ExactTwoMass::ExactTwoMass(const TwoMassOscillator& parameters) : impl_(std::make_shared<Impl>(parameters)) {}

std::array<double, 5> ExactTwoMass::at(double t) const {
  return impl_->outputs((impl_->vectors * impl_->amplitudes.cwiseProduct(impl_->growth(t))).real());
}

std::array<double, 5> ExactTwoMass::after(const std::array<double, 4>& state, double h) {
  if (h != impl_->h) impl_->transition = (impl_->vectors * impl_->growth(h).asDiagonal() * impl_->inverse).real();
  impl_->h = h;
  return impl_->outputs(impl_->transition * Eigen::Map<const Eigen::Vector4d>(state.data()));
}

namespace {

/// Sums of squares for NRMSE, Schmoll (2.33) and (2.34).
class Nrmse {
 public:
  void add(const std::array<double, 3>& reference, const std::array<double, 3>& computed) {
    ++count_;
    for (std::size_t i = 0; i < 3; ++i) {
      const double e = reference[i] - computed[i];
      errors_[i] += e * e;
      // Welford: the sum of squared deviations from the mean, in one pass.
      const double deviation = reference[i] - means_[i];
      means_[i] += deviation / static_cast<double>(count_);
      deviations_[i] += deviation * (reference[i] - means_[i]);
    }
  }

  [[nodiscard]] double value() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < 3; ++i) sum += errors_[i] / deviations_[i];
    return std::sqrt(sum);
  }

 private:
  std::size_t count_ = 0;
  std::array<double, 3> errors_{};
  std::array<double, 3> means_{};
  std::array<double, 3> deviations_{};
};

class ErrorRecorder final : public results::Recorder {
 public:
  explicit ErrorRecorder(const TwoMassCase& c) : case_(c), exact_(c.parameters) {}

  void begin(const std::vector<results::Column>& columns) override {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string& name = columns[i].name;
      for (std::size_t k = 0; k < kNames.size(); ++k)
        if (name == kNames[k] || name == kFmuNames[k]) place_[k] = i;
      if (name == "s2.f" || name == "s2.F") force_ = i;
    }
  }

  void row(double t, const core::Values& values) override {
    const std::array<double, 4> z{values.reals[place_[0]], values.reals[place_[1]], values.reals[place_[2]],
                                  values.reals[place_[3]]};
    const TwoMassOscillator& p = case_.parameters;
    // Where the force is communicated it is taken as it was; else it follows from the states.
    const double force =
        case_.split == Split::forceDisplacement ? values.reals[force_] : p.ck * (z[2] - z[0]) + p.dk * (z[3] - z[1]);
    const std::array<double, 3> computed{z[0], z[1], force};
    if (count_ > 0) {
      const auto reference = exact_.at(t);
      global_.add({reference[0], reference[1], reference[4]}, computed);
      // Steps of equal length have the same transition, so rounding of times must not make them differ.
      const double taken = t - lastTime_;
      const double h = std::fabs(taken - case_.H) < 1e-6 * case_.H ? case_.H : taken;
      if (count_ > case_.skipLocal && case_.algorithm != AlgorithmKind::masterSlave) {
        const auto fromLast = exact_.after(last_, h);
        local_.add({fromLast[0], fromLast[1], fromLast[4]}, computed);
      }
      steps.push_back(t - lastTime_);
    }
    if (t <= 0.1 * case_.end) early_.see(std::fabs(z[0]));
    if (t > 0.9 * case_.end) late_.see(std::fabs(z[0]));
    last_ = z;
    lastTime_ = t;
    ++count_;
  }

  void complete() override {}
  void abandon() override {}

  [[nodiscard]] double global() const { return global_.value(); }
  [[nodiscard]] double local() const { return local_.value(); }
  [[nodiscard]] double growth() const { return late_ / early_; }
  std::vector<double> steps;

 private:
  static constexpr std::array<const char*, 4> kNames{"s1.x", "s1.v", "s2.x", "s2.v"};
  static constexpr std::array<const char*, 4> kFmuNames{"s1.x", "s1.v", "s2.x2", "s2.v2"};
  TwoMassCase case_;
  ExactTwoMass exact_;
  std::array<std::size_t, 4> place_{};
  std::size_t force_ = 0;
  std::size_t count_ = 0;
  std::array<double, 4> last_{};
  double lastTime_ = 0.0;
  Largest early_;
  Largest late_;
  Nrmse global_;
  Nrmse local_;
};

/// Exact values of "s1" and "s2" by port name.
double exactValue(const ExactTwoMass& exact, const std::string& member, const std::string& port, double t) {
  const auto values = exact.at(t);
  if (port == "f" || port == "F" || port == "force") return values[4];
  const std::size_t offset = member == "s1" ? 0 : 2;
  return values[offset + (port.starts_with('v') ? 1 : 0)];
}

std::unique_ptr<subsystem::Subsystem> subsystemOf(const TwoMassCase& c, std::unique_ptr<solver::Equations> equations,
                                                  const solver::IntegratorSettings& settings, double microStep,
                                                  const std::vector<std::string>& outputs, const std::string& member) {
  auto integrated = solver::integrate(std::move(equations), settings);
  if (microStep == 0.0) return integrated;
  subsystem::Past past;
  if (c.startUp == coupling::StartUp::analytic)
    past = [exact = ExactTwoMass(c.parameters), outputs, member](double t, std::span<double> y) {
      for (std::size_t i = 0; i < y.size(); ++i) y[i] = exactValue(exact, member, outputs.at(i), t);
    };
  return subsystem::overshoot(std::move(integrated), microStep, c.degree, past);
}

}  // namespace

coupling::System twoMassSystem(const TwoMassCase& c) {
  const TwoMassOscillator& p = c.parameters;
  const auto first = [&](std::unique_ptr<solver::Equations> equations) {
    return subsystemOf(c, std::move(equations), c.first, c.overshootFirst, {"x", "v"}, "s1");
  };
  const auto second = [&](std::unique_ptr<solver::Equations> equations, std::vector<std::string> outputs) {
    return subsystemOf(c, std::move(equations), c.second, c.overshootSecond, outputs, "s2");
  };
  coupling::System system;
  switch (c.split) {
    case Split::forceDisplacement:
      system.members.push_back({"s1", first(native::oscillatorBody(native::firstBody(p))), {}});
      system.members.push_back({"s2", second(native::oscillatorWithLink(native::secondWithLink(p)), {"f"}), {}});
      connect(system, {{"s1.x", "s2.x1"}, {"s1.v", "s2.v1"}, {"s2.f", "s1.f"}});
      break;
    case Split::displacementDisplacement:
      system.members.push_back({"s1", first(native::linkedBody(native::firstLinked(p))), {}});
      system.members.push_back({"s2", second(native::linkedBody(native::secondLinked(p)), {"x", "v"}), {}});
      connect(system,
              {{"s1.x", "s2.x_partner"}, {"s1.v", "s2.v_partner"}, {"s2.x", "s1.x_partner"}, {"s2.v", "s1.v_partner"}});
      break;
    case Split::forceForce:
      system.members.push_back({"s1", first(native::oscillatorBody(native::firstBody(p))), {}});
      system.members.push_back({"s2", second(native::oscillatorBody(native::secondBody(p)), {"x", "v"}), {}});
      system.members.push_back(
          {"law", subsystem::evaluateInCoupling(std::make_shared<subsystem::SpringDamper>(p.ck, p.dk)), {}});
      connect(system, {{"s1.x", "law.x1"},
                       {"s1.v", "law.v1"},
                       {"s2.x", "law.x2"},
                       {"s2.v", "law.v2"},
                       {"law.force", "s1.f"},
                       {"law.force", "s2.f", -1.0}});
      break;
  }
  system.order = c.secondFirst ? std::vector<std::size_t>{1, 0} : std::vector<std::size_t>{0, 1};
  if (c.split == Split::forceForce) system.order.push_back(2);
  if (c.startUp == coupling::StartUp::analytic) knowPast(system, p);
  return system;
}

void knowPast(coupling::System& system, const TwoMassOscillator& parameters) {
  std::vector<std::pair<std::string, std::vector<std::string>>> names;
  for (const coupling::Member& member : system.members) {
    names.emplace_back(member.name, std::vector<std::string>{});
    for (const subsystem::Port& port : member.subsystem->describe().ports) names.back().second.push_back(port.name);
  }
  system.past = [exact = ExactTwoMass(parameters), names](const coupling::Endpoint& output, std::size_t, double t) {
    return exactValue(exact, names[output.member].first, names[output.member].second[output.port], t);
  };
}

TwoMassErrors errorsOf(const TwoMassCase& c) {
  return errorsOf(c, twoMassSystem(c));
}

TwoMassErrors errorsOf(const TwoMassCase& c, coupling::System system) {
  run::Settings settings;
  settings.end = c.end;
  settings.step = c.H;
  settings.algorithm.kind = c.algorithm;
  settings.algorithm.degree = c.degree;
  settings.algorithm.startUp = c.startUp;
  settings.algorithm.samples = c.samples;
  settings.algorithm.reevaluate = c.reevaluate;
  settings.stepControl = c.stepControl;
  settings.explosionLimit = 1e60;
  settings.onInstability = run::OnInstability::ignore;  // what becomes of such runs is what is looked at
  core::Log log;
  ErrorRecorder recorder(c);
  run::Run run(std::move(system), settings, log, &recorder);
  TwoMassErrors errors;
  run::Outcome outcome = run.initialise();
  if (!outcome.ok()) throw std::runtime_error(outcome.message);
  outcome = run.simulate();
  if (outcome.kind != run::OutcomeKind::ok && outcome.kind != run::OutcomeKind::exploded &&
      outcome.kind != run::OutcomeKind::notFinite)
    throw std::runtime_error(outcome.message);
  errors.finished = outcome.ok();
  errors.global = recorder.global();
  errors.local = recorder.local();
  errors.growth = recorder.growth();
  errors.steps = std::move(recorder.steps);
  errors.statistics = run.statistics();
  errors.meanStep = run.time() / static_cast<double>(errors.statistics.acceptedSteps);
  return errors;
}

double slope(const std::vector<double>& H, const std::vector<double>& error) {
  double sx = 0.0;
  double sy = 0.0;
  double sxx = 0.0;
  double sxy = 0.0;
  const double n = static_cast<double>(H.size());
  for (std::size_t i = 0; i < H.size(); ++i) {
    const double x = std::log(H[i]);
    const double y = std::log(error[i]);
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace koppla::test
