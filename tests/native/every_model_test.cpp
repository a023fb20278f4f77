// What holds for all native models: feed-through is declared exactly, linear forms are those of the equations,
// parameters can be set and read.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "koppla/native/catalogue.hpp"
#include "koppla/native/curve.hpp"
#include "koppla/native/expressions.hpp"
#include "koppla/native/linear_state_space.hpp"
#include "koppla/native/signal.hpp"

#include "model_access.hpp"

namespace koppla::native {
namespace {

using subsystem::Causality;
using subsystem::PortIndex;
using test::countScalars;
using test::derivativesOf;
using test::inputError;
using test::outputsOf;
using Models = std::vector<std::unique_ptr<solver::Equations>>;

Models everyModel() {
  Models models;
  for (const BuiltInModel& model : builtInModels())
    if (!model.bringsSolver()) models.push_back(makeBuiltIn(model.word));
  models.push_back(makeBuiltIn("oscillator-body", {{"acceleration", true}}));
  models.push_back(makeBuiltIn("oscillator-with-link", {{"node_inertia", true}}));
  models.push_back(makeBuiltIn("rod", {{"elements", 5}, {"boundary", std::string("penalty")}}));
  models.push_back(makeBuiltIn("rod", {{"elements", 4}, {"node_inertia", true}}));
  models.push_back(makeBuiltIn("tube-wall", {{"nodes", 3}}));
  for (const char* emissivity : {"a", "b", "b480"})
    models.push_back(makeBuiltIn("radiating-face", {{"emissivity", std::string(emissivity)}}));
  models.push_back(makeBuiltIn("plate-flow", {{"rest", std::string("horizontal")}}));
  models.push_back(makeBuiltIn("heat-exchanger-flow", {{"axial_cells", 4}, {"radial_cells", 3}}));
  models.push_back(makeBuiltIn("heat-exchanger-walls", {{"axial_cells", 4}}));
  models.push_back(makeBuiltIn("journal-bearing", {{"solution", std::string("short")}}));
  models.push_back(linearStateSpace({.inputs = {"u1", "u2"},
                                     .outputs = {"y1", "y2", "y3"},
                                     .states = {},
                                     .A = {{-1.0, 2.0}, {0.5, -3.0}},
                                     .B = {{1.0, 0.0}, {4.0, 5.0}},
                                     .C = {{1.0, 0.0}, {0.0, 2.0}, {3.0, 4.0}},
                                     .D = {{0.0, 0.0}, {0.0, 7.0}, {8.0, 9.0}},
                                     .x0 = {1.0, 2.0}}));
  models.push_back(
      expressions({.inputs = {{"u"}, {"w"}},
                   .parameters = {{"k", 2.0}},
                   .states = {{"x", 1.0, "-k*x^3 + u*w + t"}, {"z", 0.0, "x"}},
                   .outputs = {{"x", "x"}, {"y", "sin(z) + w^3 + w"}, {"p", "u*w^3 + u"}, {"c", "cos(t)"}}}));
  models.push_back(signal({.times = {0.0, 1.0}, .columns = {{"s", {1.0, 3.0}}, {"r", {0.0, -1.0}}}}));
  models.push_back(curve({.u = {-2000.0, 0.0, 2000.0}, .y = {0.0, 1.0, 5.0}, .interpolation = Interpolation::cubic}));
  return models;
}

std::vector<double> randomVector(std::size_t size) {
  std::vector<double> values(size);
  for (double& value : values) value = *rc::gen::inRange(-1000, 1000) + 0.5;
  return values;
}

/// Values up to 1000 brought to where the model has finite answers.
std::vector<double> withinReach(const solver::Equations& model, std::vector<double> u) {
  if (model.describe().model == "hardening-spring") u[0] *= 1e-3;  // exp(3 |x|)
  if (model.describe().model == "journal-bearing") {
    u[0] = 0.5 + u[0] * (1.0 / 4000.0);  // 0 <= eps < 1
    u[2] += 0.25;                        // at 0.5, half of the rotation, nothing drives a force across, whatever eps is
  }
  if (model.describe().model == "heat-exchanger-walls")
    for (double& h : std::span(u).last(2)) h = std::fabs(h);  // coefficients of heat transfer
  return u;
}

std::vector<PortIndex> portsOf(const solver::Equations& model, Causality causality) {
  std::vector<PortIndex> ports;
  for (PortIndex port = 0; port < model.describe().ports.size(); ++port)
    if (model.describe().ports[port].causality == causality) ports.push_back(port);
  return ports;
}

std::size_t sizeOf(const solver::Equations& model, PortIndex port) {
  return model.describe().ports[port].size;
}

std::vector<double> applied(const std::vector<double>& X, const std::vector<double>& x, const std::vector<double>& U,
                            const std::vector<double>& u, std::size_t rows) {
  std::vector<double> result(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) result[i] += X[i * x.size() + j] * x[j];
    for (std::size_t j = 0; j < u.size(); ++j) result[i] += U[i * u.size() + j] * u[j];
  }
  return result;
}

bool isNear(const std::vector<double>& a, const std::vector<double>& b, double scale) {
  return a.size() == b.size() &&
         std::ranges::equal(a, b, [scale](double p, double q) { return std::fabs(p - q) <= 1e-12 * scale; });
}

/// A contact that may be open passes on nothing at some states; its own test shows that it does at others.
bool isUnilateral(const solver::Equations& model) {
  return model.describe().model == "foam-column";
}

RC_GTEST_PROP(EveryModel, DeclaresItsFeedThroughExactly, ()) {
  constexpr double kChange = 0.75;  // from no random value to one that lies opposite: cosines are even
  for (const auto& model : everyModel()) {
    const std::vector<PortIndex> outputs = portsOf(*model, Causality::output);
    const std::vector<double> x = randomVector(model->stateCount());
    const std::vector<double> u = randomVector(countScalars(*model, Causality::input));
    const std::vector<double> y = outputsOf(*model, x, withinReach(*model, u), 0.3);
    std::size_t firstInput = 0;
    for (const PortIndex input : portsOf(*model, Causality::input)) {
      std::vector<double> changed = u;
      for (std::size_t k = 0; k < sizeOf(*model, input); ++k) changed[firstInput + k] += kChange;
      firstInput += sizeOf(*model, input);
      const std::vector<double> moved = outputsOf(*model, x, withinReach(*model, changed), 0.3);
      auto before = y.begin();
      auto after = moved.begin();
      for (const PortIndex output : outputs) {
        const auto size = static_cast<std::ptrdiff_t>(sizeOf(*model, output));
        RC_ASSERT(model->describe().dependenciesOf(output).has_value());
        const bool changes = !std::equal(before, before + size, after);
        const bool declared = model->describe().feedsThrough(input, output);
        RC_ASSERT((declared == changes || (declared && isUnilateral(*model))));
        before += size;
        after += size;
      }
    }
  }
}

RC_GTEST_PROP(EveryModel, HasTheLinearFormOfItsEquations, ()) {
  std::size_t linear = 0;
  for (const auto& model : everyModel()) {
    if (!model->isLinear()) {
      RC_ASSERT(model->linear().a.empty() && model->linear().d.empty());
      continue;
    }
    ++linear;
    const std::size_t outputs = countScalars(*model, Causality::output);
    const std::vector<double> x = randomVector(model->stateCount());
    const std::vector<double> u = randomVector(countScalars(*model, Causality::input));
    const solver::LinearForm form = model->linear();
    const double scale = 1e12;  // the stiffest spring, 1e7 N/m, times 1000 m, with sums of a few terms over 0.2 kg
    RC_ASSERT(isNear(derivativesOf(*model, x, u, 7.0), applied(form.a, x, form.b, u, x.size()), scale));
    RC_ASSERT(isNear(outputsOf(*model, x, u, 7.0), applied(form.c, x, form.d, u, outputs), scale));
  }
  RC_ASSERT(linear == 10U);
}

RC_GTEST_PROP(EveryModel, OfSecondOrderHasPositionsThenVelocities, ()) {
  std::size_t mechanical = 0;
  for (const auto& model : everyModel()) {
    if (!model->secondOrder()) continue;
    ++mechanical;
    const std::vector<double> x = randomVector(model->stateCount());
    const std::vector<double> dx = derivativesOf(*model, x, randomVector(countScalars(*model, Causality::input)));
    const auto middle = static_cast<std::ptrdiff_t>(x.size() / 2);
    RC_ASSERT(std::equal(dx.begin(), dx.begin() + middle, x.begin() + middle));
  }
  RC_ASSERT(mechanical == 11U);
}

TEST(EveryModel, DescribesItsPorts) {
  for (const auto& model : everyModel()) {
    EXPECT_EQ(model->describe().kind, "native");
    EXPECT_FALSE(model->describe().model.empty());
    for (const subsystem::Port& port : model->describe().ports) {
      EXPECT_EQ(model->describe().ports[test::portOf(*model, port.name)].name, port.name);
      EXPECT_EQ(port.type, core::Type::real);
      EXPECT_EQ(port.settable, port.causality != Causality::output) << port.name;
      EXPECT_EQ(port.start.has_value(), port.settable) << port.name;
    }
  }
}

TEST(EveryModel, TakesItsParameters) {
  for (const auto& model : everyModel()) {
    for (const PortIndex port : portsOf(*model, Causality::parameter)) {
      const std::string place = model->describe().model + "." + model->describe().ports[port].name;
      EXPECT_EQ(model->parameter(port), *model->describe().ports[port].start) << place;
      std::vector<double> x(model->stateCount());
      std::iota(x.begin(), x.end(), 1.0);
      std::vector<double> u(countScalars(*model, Causality::input));
      for (std::size_t k = 0; k < u.size(); ++k) u[k] = -1.0 - 0.1 * static_cast<double>(k);
      u = withinReach(*model, u);
      const auto behaviour = [&] {
        return std::vector{test::startOf(*model), derivativesOf(*model, x, u, 0.3), outputsOf(*model, x, u, 0.3)};
      };
      const auto before = behaviour();
      model->set(port, std::vector<core::Value>{0.37});
      EXPECT_EQ(model->parameter(port), core::Value(0.37)) << place;
      EXPECT_NE(behaviour(), before) << place;
    }
  }
}

TEST(EveryModel, KeepsTheStartValueOfAnInputInItsDescription) {
  const auto model = makeBuiltIn("oscillator-body");
  test::setPort(*model, "f", 5.0);
  EXPECT_EQ(model->describe().ports[test::portOf(*model, "f")].start, core::Value(5.0));
}

TEST(EveryModel, TakesVectorsWithAValueForEachScalar) {
  const auto model = makeBuiltIn("tube-wall", {{"nodes", 3}});
  const PortIndex p = test::portOf(*model, "p");
  EXPECT_EQ(model->describe().ports[p].size, 3U);
  model->set(p, std::vector<core::Value>{5.0, 5.0, 5.0});
  EXPECT_EQ(model->describe().ports[p].start, core::Value(5.0));
  model->set(p, std::vector<core::Value>{5.0, 6.0, 7.0});
  EXPECT_FALSE(model->describe().ports[p].start) << "no one number is the start of all";
  EXPECT_EQ(inputError([&] { model->set(p, std::vector<core::Value>{5.0}); }),
            "tube-wall: 'p' was not given as 3 real numbers. Give 3 real numbers.");
  EXPECT_EQ(inputError([&] {
              model->set(p, std::vector<core::Value>{5.0, HUGE_VAL, 7.0});
            }),
            "tube-wall: input 'p' is inf Pa. Give a finite number.");
}

TEST(EveryModel, RefusesValuesThatItCannotHave) {
  const auto model = makeBuiltIn("oscillator-body");
  const auto set = [&](const char* port, const core::Value& value) {
    return inputError([&] { test::setPort(*model, port, value); });
  };
  EXPECT_EQ(set("m", 0.0), "oscillator-body: parameter 'm' is 0 kg. It must be greater than zero.");
  EXPECT_EQ(set("c", -1.0), "oscillator-body: parameter 'c' is -1 N/m. It must not be less than zero.");
  EXPECT_EQ(set("x0", std::nan("")), "oscillator-body: parameter 'x0' is nan m. Give a finite number.");
  EXPECT_EQ(set("f", HUGE_VAL), "oscillator-body: input 'f' is inf N. Give a finite number.");
  EXPECT_EQ(set("x", 1.0), "oscillator-body: 'x' is an output. Only parameters and inputs can be set.");
  EXPECT_EQ(set("m", true), "oscillator-body: 'm' was not given as one real number. Give one real number.");
  EXPECT_EQ(inputError([&] { model->set(test::portOf(*model, "m"), {}); }),
            "oscillator-body: 'm' was not given as one real number. Give one real number.");
  EXPECT_THROW(static_cast<void>(model->parameter(test::portOf(*model, "x"))), core::InternalError);
  EXPECT_EQ(model->parameter(test::portOf(*model, "m")), core::Value(1.0));
}

}  // namespace
}  // namespace koppla::native
