#include "two_bodies.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "support/extremes.hpp"

namespace koppla::test {

namespace {

template <class Values>
std::string list(const Values& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

constexpr Vector3 kFirstAngles{0.3, -0.2, 0.4};

/// Rx(alpha) Ry(beta) Rz(gamma) in the parameters asked for.
std::string rotation(const Vector3& cardan, Parameters parameters) {
  if (parameters == Parameters::cardan) return list(cardan);
  const auto about = [&](std::size_t axis) {
    return Eigen::AngleAxisd(cardan[axis], Eigen::Vector3d::Unit(static_cast<Eigen::Index>(axis)));
  };
  const Eigen::Quaterniond q = about(0) * about(1) * about(2);
  return list(std::array{q.w(), q.x(), q.y(), q.z()});
}

std::string word(Parameters parameters) {
  return parameters == Parameters::cardan ? "cardan" : "euler-parameters";
}

/// With `first` and `second`, what the bodies are called in the project.
Changes startOfBoth(const Start& start, Parameters parameters, const std::string& first, const std::string& second) {
  return {first + ".rotation=" + rotation(kFirstAngles, parameters), second + ".position=" + list(start.position),
          second + ".rotation=" + rotation(start.angles, parameters), second + ".velocity=" + list(start.velocity),
          second + ".angular_velocity=" + list(start.angularVelocity)};
}

}  // namespace

const std::vector<FlexibleJoint>& flexibleJoints() {
  static const std::vector<FlexibleJoint> all{{"atpoint",
                                               {2000.0, 2000.0, 2000.0},
                                               {20.0, 20.0, 20.0},
                                               {-0.0063011707, -0.0032333797, -0.0860796031},
                                               {0.3884066344, -0.0039604870, 0.3065768575},
                                               {0.4210422570, 0.1180007718, -0.3345866516},
                                               -3.3581726659},
                                              {"inplane",
                                               {2000.0},
                                               {20.0},
                                               {-0.0037651148, 0.0012553222, -0.0709860210},
                                               {0.4328514487, -0.0600767873, 0.3349122127},
                                               {0.4223311926, 0.1186664064, -0.3378070973},
                                               -3.5943213754},
                                              {"perpendicular",
                                               {50.0},
                                               {1.0},
                                               {-0.0046336427, -0.0155609416, -0.0720541091},
                                               {0.4575787732, -0.0397043324, 0.3558798312},
                                               {0.4314212428, 0.0974686095, -0.3360945606},
                                               -3.6661158835},
                                              {"universal",
                                               {2000.0, 2000.0, 2000.0, 50.0},
                                               {20.0, 20.0, 20.0, 1.0},
                                               {0.0000919123, -0.0245840544, -0.0864284288},
                                               {0.4147929955, 0.0077460872, 0.3077138955},
                                               {0.4300302464, 0.1023565254, -0.3305547962},
                                               {}}};
  return all;
}

Changes changesOf(const FlexibleJoint& joint, bool isDamped) {
  return {"link.joint=" + joint.joint, "link.stiffness=" + list(joint.stiffness),
          "link.damping=" + (isDamped ? list(joint.damping) : "0.0")};
}

Changes byWaveforms() {
  return Changes{"algorithm.kind=iterated-gauss-seidel",
                 "algorithm.waveform=8",
                 "algorithm.degree=5",
                 "algorithm.rtol=1e-12",
                 "algorithm.atol=1e-12",
                 "link.decomposition=force-force",
                 "first.integrator=ode5",
                 "second.integrator=ode5"} +
         steps(2e-3, 8, {"first", "second"});
}

std::vector<Counterpart> statesOfBoth() {
  std::vector<Counterpart> result;
  for (const std::string body : {"first.body.", "second.body."})
    for (const std::string quantity : {"position", "rotation", "velocity", "angular_velocity"})
      result.push_back({body + quantity, body + quantity});
  return result;
}

const std::vector<RigidJoint>& rigidJoints() {
  static const std::vector<RigidJoint> all{{"atpoint",
                                            {{0.4004720046, 0.1290685813, -0.2333841329},
                                             {-0.1055786819, 0.2959103120, 0.1961702105},
                                             {0.1451354368, -0.0114694293, 0.2771602832},
                                             {-0.2434822535, 0.2293565811, 0.4418394559}},
                                            {0.2734276, -0.2935651, 0.4200789},
                                            {-0.0027190700, -0.0024459547, -0.0753710118},
                                            {0.4206172226, 0.1104005816, -0.3071427743}},
                                           {"inplane",
                                            {{0.4058277025, 0.1309912853, -0.2204179124},
                                             {-0.1046904761, 0.2992616018, 0.1959363221},
                                             {0.2226209678, -0.0193467420, -0.0944772945},
                                             {-0.2774883803, 0.2, 0.4245579469}},
                                            {-0.3316575},
                                            {-0.0026616094, -0.0007853531, -0.0700146654},
                                            {0.4230532647, 0.1093314716, -0.3370011931}},
                                           {"perpendicular",
                                            {{0.4096459093, 0.1112007269, -0.2196061501},
                                             {-0.1531044681, 0.2959904285, 0.3390144481},
                                             {0.2, 0.1, -0.1},
                                             {-0.2870064871, 0.2, 0.3819265782}},
                                            {-0.7315701},
                                            {-0.0049006772, 0.0184672926, -0.0724002218},
                                            {0.4442076690, 0.0763958840, -0.3324937112}},
                                           // The project's joint holds e_z of the first body before e_x.
                                           {"revolute",
                                            {{0.3994136686, 0.2233792316, -0.2482580145},
                                             {0.0750392031, 0.3283966185, 0.4150140412},
                                             {0.1034848965, 0.1264744862, 0.2728397101},
                                             {0.0947930878, 0.2296160959, 0.7752511016}},
                                            {-2.6216725, -4.1525293, 2.3055137, 4.6344313, -4.7987752},
                                            {-0.0081692390, -0.0707092733, -0.0336855034},
                                            {0.4507043941, -0.0446374627, -0.3296258533}}};
  return all;
}

const RigidJoint& rigidJoint(const std::string& joint) {
  return *std::ranges::find(rigidJoints(), joint, &RigidJoint::joint);
}

std::string conditionOf(const RigidJoint& joint) {
  return joint.isRevolute() ? "hinge" : "link";
}

std::filesystem::path projectOf(const RigidJoint& joint) {
  return mechanism(joint.isRevolute() ? "two-bodies-rigid" : "two-bodies");
}

Changes changesOf(const RigidJoint& joint, Parameters parameters) {
  const std::string condition = conditionOf(joint);
  return Changes{condition + ".kind=joint", condition + ".joint=" + joint.joint, "first.rotation=" + word(parameters),
                 "second.rotation=" + word(parameters)} +
         startOfBoth(joint.second, parameters, "first.body", "second.body");
}

results::Table monolithic(const RigidJoint& joint, Parameters parameters) {
  return simulate(wholeSystem("joined-bodies"),
                  Changes{"both.link.joint=" + joint.joint,
                          "both.link.first=" + std::string(joint.isRevolute() ? "hinge1" : "point1"),
                          "both.rotation=" + word(parameters)} +
                      startOfBoth(joint.second, parameters, "both.first", "both.second"));
}

std::vector<Counterpart> posesOfBoth() {
  std::vector<Counterpart> result;
  for (const std::string body : {"first", "second"})
    for (const std::string quantity : {".position", ".rotation"})
      result.push_back({body + ".body" + quantity, "both." + body + quantity});
  return result;
}

double distance(const std::vector<double>& a, const Vector3& b) {
  EXPECT_EQ(a.size(), b.size());
  test::Largest result;
  for (std::size_t i = 0; i < b.size(); ++i) result.see(std::fabs(a.at(i) - b[i]));
  return result;
}

Changes stepsOf(double macroStep) {
  return steps(macroStep, 4, {"first", "second"});
}

}  // namespace koppla::test
