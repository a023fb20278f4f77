#include "koppla/native/exhaust_tract.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include "koppla/core/detail/dense.hpp"
#include "koppla/native/detail/exhaust_bodies.hpp"
#include "koppla/native/detail/model.hpp"

namespace koppla::native {

namespace {

using Amplitude = std::complex<double>;
using Amplitudes = Eigen::Vector<Amplitude, 6>;
using AmplitudeMatrix = Eigen::Matrix<Amplitude, 6, 6>;

constexpr Amplitude kImaginary{0.0, 1.0};
constexpr std::size_t kExhaustReals = 2 * kExhaustAmplitudes;

double angularFrequency(std::size_t n) {
  return 2.0 * std::numbers::pi * exhaustFrequency(n);
}

/// Of all rotations at one frequency.
Amplitudes amplitudesAt(std::span<const double> values, std::size_t n) {
  Amplitudes amplitudes;
  for (std::size_t k = 0; k < kExhaustRotations; ++k) {
    const double* const part = values.data() + 2 * (n * kExhaustRotations + k);
    amplitudes(static_cast<Eigen::Index>(k)) = {part[0], part[1]};
  }
  return amplitudes;
}

void setAmplitudes(const Amplitudes& amplitudes, std::span<double> values, std::size_t n) {
  for (std::size_t k = 0; k < kExhaustRotations; ++k) {
    double* const part = values.data() + 2 * (n * kExhaustRotations + k);
    part[0] = amplitudes(static_cast<Eigen::Index>(k)).real();
    part[1] = amplitudes(static_cast<Eigen::Index>(k)).imag();
  }
}

class ExhaustStructureModel final : public detail::StatelessModel {
 public:
  explicit ExhaustStructureModel(const ExhaustStructure& settings)
      : StatelessModel("exhaust-structure"), p_(settings), answers_(kExhaustFrequencies) {
    using detail::Range;
    const subsystem::PortIndex M =
        addInput({"M", "N.m", "moments on the bodies, complex amplitudes"}, 0.0, kExhaustReals);
    addOutput({"theta", "rad", "rotations of the bodies, complex amplitudes"}, {M}, kExhaustReals);
    addParameter({"loss_factor", "", "of all springs"}, p_.lossFactor, Range::notNegative);
    addParameter({"excitation", "m", "displacement of the engine's mounts"}, p_.excitation);
    complete();
  }

  void outputs(double /*t*/, std::span<const double> /*x*/, std::span<const double> u,
               std::span<double> y) const override {
    if (lossFactorOfAnswers_ != p_.lossFactor) findAnswers();
    for (std::size_t n = 0; n < kExhaustFrequencies; ++n) {
      const Answer& answer = answers_[n];
      setAmplitudes(p_.excitation * answer.toShaking + answer.toMoments * amplitudesAt(u, n), y, n);
    }
  }

 private:
  /// Rotations at one frequency.
  struct Answer {
    AmplitudeMatrix toMoments;
    Amplitudes toShaking;  ///< of 1 m
  };

  void findAnswers() const {
    using detail::ExhaustMatrices;
    const ExhaustMatrices s = detail::exhaustMatrices();
    constexpr Eigen::Index kMoments = ExhaustMatrices::kRotations.size();
    Eigen::MatrixXcd loads = Eigen::MatrixXcd::Zero(ExhaustMatrices::kFreedoms, kMoments + 1);
    for (Eigen::Index k = 0; k < kMoments; ++k)
      loads(ExhaustMatrices::kRotations[static_cast<std::size_t>(k)], k) = 1.0;
    loads.col(kMoments) = s.force;
    for (std::size_t n = 0; n < kExhaustFrequencies; ++n) {
      const double omega = angularFrequency(n);
      Eigen::MatrixXcd dynamic = s.stiffness * (1.0 + p_.lossFactor * kImaginary);
      for (Eigen::Index i = 0; i < ExhaustMatrices::kFreedoms; ++i) dynamic(i, i) -= omega * omega * s.mass[i];
      const Eigen::MatrixXcd motions = core::detail::solve(dynamic, loads);
      for (Eigen::Index i = 0; i < kMoments; ++i) {
        const Eigen::Index rotation = ExhaustMatrices::kRotations[static_cast<std::size_t>(i)];
        for (Eigen::Index k = 0; k < kMoments; ++k) answers_[n].toMoments(i, k) = motions(rotation, k);
        answers_[n].toShaking[i] = motions(rotation, kMoments);
      }
    }
    lossFactorOfAnswers_ = p_.lossFactor;
  }

  ExhaustStructure p_;
  mutable std::vector<Answer> answers_;        ///< by frequency; follow from the parameters alone
  mutable double lossFactorOfAnswers_ = -1.0;  ///< none yet
};

class ExhaustRotorsModel final : public detail::StatelessModel {
 public:
  explicit ExhaustRotorsModel(const ExhaustRotors& settings) : StatelessModel("exhaust-rotors"), p_(settings) {
    using detail::Range;
    const subsystem::PortIndex theta =
        addInput({"theta", "rad", "rotations of the bodies, complex amplitudes"}, 0.0, kExhaustReals);
    addOutput({"M", "N.m", "moments on the bodies, complex amplitudes"}, {theta}, kExhaustReals);
    addParameter({"J_p", "kg.m2", "polar inertia of a rotor"}, p_.inertia, Range::notNegative);
    addParameter({"speed", "1/min", "of the rotors"}, p_.speed);
    addParameter({"d", "N.m.s/rad", "damping of the bearings"}, p_.damping, Range::notNegative);
    complete();
  }

  void outputs(double /*t*/, std::span<const double> /*x*/, std::span<const double> u,
               std::span<double> y) const override {
    const double momentum = p_.inertia * p_.speed * std::numbers::pi / 30.0;  // N.m.s
    Eigen::Matrix<double, 6, 6> moments = Eigen::Matrix<double, 6, 6>::Zero();
    for (Eigen::Index b = 0; b < 2; ++b) {
      const Eigen::Vector3d& a = bodies_[static_cast<std::size_t>(b)].rotorAxis;
      moments.block<3, 3>(3 * b, 3 * b) =
          momentum * detail::crossProduct(a) - p_.damping * (Eigen::Matrix3d::Identity() - a * a.transpose());
    }
    for (std::size_t n = 0; n < kExhaustFrequencies; ++n)
      setAmplitudes(kImaginary * angularFrequency(n) * (moments * amplitudesAt(u, n)), y, n);
  }

 private:
  ExhaustRotors p_;
  std::array<detail::ExhaustBody, 2> bodies_ = detail::exhaustBodies();
};

}  // namespace

std::unique_ptr<solver::Equations> exhaustStructure(const ExhaustStructure& settings) {
  return std::make_unique<ExhaustStructureModel>(settings);
}

std::unique_ptr<solver::Equations> exhaustRotors(const ExhaustRotors& settings) {
  return std::make_unique<ExhaustRotorsModel>(settings);
}

std::vector<double> exhaustEigenfrequencies() {
  const detail::ExhaustMatrices s = detail::exhaustMatrices();
  const Eigen::Vector<double, detail::ExhaustMatrices::kFreedoms> root = s.mass.cwiseSqrt().cwiseInverse();
  const Eigen::VectorXd squares =
      core::detail::symmetricEigenvalues(root.asDiagonal() * s.stiffness * root.asDiagonal());
  std::vector<double> frequencies;
  for (const double square : squares) frequencies.push_back(std::sqrt(square) / (2.0 * std::numbers::pi));
  return frequencies;
}

}  // namespace koppla::native
