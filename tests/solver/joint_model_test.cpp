// A joint model of parts with vectors, several levels and static functions against its wires evaluated by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/solver/join.hpp"

#include "block.hpp"
#include "pretended.hpp"
#include "support/message_of.hpp"

namespace koppla::solver::test::joint_model_test {
namespace {

using koppla::test::messageOf;
using subsystem::Causality;
using subsystem::PortIndex;
using Vector = std::vector<double>;

/// x' = (u1 - x1, u2 + x1), y = (x1 + 2 u1, 3 u2), z = x2: y sees u at once, z does not.
/// Ports: 0 parameter k, 1 input u of two, 2 local, 3 output y of two, 4 integer input, 5 output z, 6 integer output.
std::unique_ptr<Block> plant() {
  auto block = std::make_unique<Block>("plant");
  block->port("k", Causality::parameter)
      .port("u", Causality::input, 2)
      .port("hidden", Causality::local)
      .port("y", Causality::output, 2)
      .port("mode", Causality::input, 1, core::Type::integer)
      .port("z", Causality::output)
      .port("count", Causality::output, 1, core::Type::integer)
      .needs(3, {1})
      .needs(5, {})
      .from(
          {10.0, 20.0},
          [](double, auto x, auto u, auto dx) {
            dx[0] = u[0] - x[0];
            dx[1] = u[1] + x[0];
          },
          [](double, auto x, auto u, auto y) {
            y[0] = x[0] + 2.0 * u[0];
            y[1] = 3.0 * u[1];
            y[2] = x[1];
          });
  return block;
}

/// v' = w, p = (w - v, 5 v + t): input w, output p of two of which the declaration says that it needs w.
std::unique_ptr<Block> drive() {
  auto block = std::make_unique<Block>("drive");
  block->port("w", Causality::input)
      .port("p", Causality::output, 2)
      .needs(1, {0})
      .from(
          {0.5}, [](double, auto, auto u, auto dx) { dx[0] = u[0]; },
          [](double t, auto x, auto u, auto y) {
            y[0] = u[0] - x[0];
            y[1] = 5.0 * x[0] + t;
          });
  return block;
}

struct Joint {
  Block* first;
  Block* second;
  std::unique_ptr<Equations> model;
};

Joint joined(const std::vector<Wire>& wires) {
  auto one = plant();
  auto other = drive();
  Joint joint{one.get(), other.get(), nullptr};
  std::vector<JoinedPart> parts;
  parts.push_back({"a", std::move(one)});
  parts.push_back({"b", std::move(other)});
  joint.model = join(std::move(parts), wires);
  return joint;
}

Vector outputsOf(const Equations& model, const Vector& x, const Vector& u, double t = 0.0) {
  std::size_t size = 0;
  for (const subsystem::Port& port : model.describe().ports)
    if (port.type == core::Type::real && port.causality == Causality::output) size += port.size;
  Vector y(size);
  model.outputs(t, x, u, y);
  return y;
}

Vector derivativesOf(const Equations& model, const Vector& x, const Vector& u) {
  Vector dx(model.stateCount());
  model.derivatives(0.0, x, u, dx);
  return dx;
}

TEST(JointModel, HasThePortsOfItsParts) {
  const Joint joint = joined({{0, 5, 1, 0}});
  const auto& ports = joint.model->describe().ports;
  std::vector<std::string> names;
  for (const subsystem::Port& port : ports) names.push_back(port.name);
  // Local ports and discrete outputs are not among them.
  EXPECT_EQ(names, (std::vector<std::string>{"a.k", "a.u", "a.y", "a.mode", "a.z", "b.w", "b.p"}));
  const std::vector<Causality> causalities{Causality::parameter, Causality::input,  Causality::output,
                                           Causality::parameter, Causality::output, Causality::output,
                                           Causality::output};
  for (std::size_t i = 0; i < ports.size(); ++i) {
    EXPECT_EQ(ports[i].causality, causalities[i]) << names[i];
    EXPECT_EQ(ports[i].internal, names[i] == "b.w") << names[i];
    EXPECT_EQ(ports[i].settable, ports[i].causality != Causality::output) << names[i];
    EXPECT_EQ(joint.model->describe().find(names[i]), i);
  }
  EXPECT_EQ(ports[1].start, core::Value(0.25));
  EXPECT_FALSE(ports[5].start) << "what is wired has no start value";
  EXPECT_EQ(ports[6].size, 2U);
  EXPECT_EQ(joint.model->describe().kind, "joint model");
  EXPECT_EQ(joint.model->describe().model, "a + b");
}

TEST(JointModel, PassesOnWhatBelongsToItsParts) {
  const Joint joint = joined({{0, 5, 1, 0}});
  EXPECT_EQ(joint.model->stateCount(), 3U);
  Vector x(3);
  joint.model->initialStates(x);
  EXPECT_EQ(x, (Vector{10.0, 20.0, 0.5}));
  joint.model->set(3, std::vector<core::Value>{std::int32_t{4}});
  joint.model->begin({1.5, 2.0, {}});
  joint.model->save(subsystem::Slot::macroStep);
  joint.model->restore(subsystem::Slot::iteration);
  joint.model->forget();
  EXPECT_EQ(joint.first->events,
            (std::vector<std::string>{"set mode 4", "begin 1.5", "save 1", "restore 0", "forget"}));
  EXPECT_EQ(joint.second->events, (std::vector<std::string>{"begin 1.5", "save 1", "restore 0", "forget"}));
  EXPECT_EQ(joint.model->parameter(0), core::Value(0.5));
  EXPECT_EQ(joint.model->parameter(3), core::Value(4.5));
  EXPECT_FALSE(joint.model->isLinear());
  EXPECT_FALSE(joint.model->needsVisits());
  EXPECT_FALSE(joint.model->threadBound());
  EXPECT_EQ(joint.model->staticCalls(), 0U);
}

/// z -> w at once; p -> u, both elements; open inputs: none. So y comes after p, which comes after z.
TEST(JointModel, EvaluatesALevelAfterTheOther) {
  const Joint joint = joined({{0, 5, 1, 0, 2.0, 1.0}, {1, 1, 0, 1, -1.0, 0.125}});
  const Vector x{10.0, 20.0, 0.5};
  const double w = 2.0 * 20.0 + 1.0, p0 = w - 0.5, p1 = 5.0 * 0.5 + 3.0, u0 = -p0 + 0.125, u1 = -p1 + 0.125;
  joint.first->evaluations = joint.second->evaluations = 0;
  // a.u, a.y, a.z, b.w, b.p
  EXPECT_EQ(outputsOf(*joint.model, x, {}, 3.0), (Vector{u0, u1, 10.0 + 2.0 * u0, 3.0 * u1, 20.0, w, p0, p1}));
  EXPECT_EQ(joint.first->evaluations, 2) << "z first, y last";
  EXPECT_EQ(joint.second->evaluations, 1);
  Vector dx(3);
  joint.model->derivatives(3.0, x, {}, dx);
  EXPECT_EQ(dx, (Vector{u0 - 10.0, u1 + 10.0, w}));
  for (PortIndex port = 0; port < joint.model->describe().ports.size(); ++port)
    if (joint.model->describe().ports[port].causality == Causality::output) {
      EXPECT_EQ(joint.model->describe().dependenciesOf(port), std::vector<PortIndex>{}) << port;
    }
}

/// Single elements, and several wires to one input.
TEST(JointModel, AddsUpWhatArrivesAtAnElement) {
  // u1 = 3 z + 0.5 - z = 2 z + 0.5, u2 = 7 p2 + 0.25.
  const Joint joint =
      joined({{0, 5, 0, 1, 3.0, 0.5, {}, 0}, {0, 5, 0, 1, -1.0, 0.0, {}, 0}, {1, 1, 0, 1, 7.0, 0.25, 1, 1}});
  const Vector x{10.0, 20.0, 0.5};
  const double u0 = 40.5, u1 = 7.0 * (2.5 + 3.0) + 0.25;
  // b.w is open: 100.
  EXPECT_EQ(outputsOf(*joint.model, x, {100.0}, 3.0), (Vector{u0, u1, 10.0 + 2.0 * u0, 3.0 * u1, 20.0, 99.5, 5.5}));
  const auto& description = joint.model->describe();
  EXPECT_EQ(description.dependenciesOf(*description.find("a.y")), std::vector<PortIndex>{*description.find("b.w")});
  EXPECT_EQ(description.dependenciesOf(*description.find("a.u")), std::vector<PortIndex>{*description.find("b.w")});
  EXPECT_EQ(description.dependenciesOf(*description.find("a.z")), std::vector<PortIndex>{});
  EXPECT_EQ(description.ports[*description.find("b.w")].causality, Causality::input);
}

/// x' = A x + B u, y = C x + D u of two states, a vector of two inputs and one output of two.
std::unique_ptr<Block> linearBlock(const LinearForm& form, bool feedsThrough) {
  const auto product = [](std::span<const double> a, std::span<const double> x, std::span<const double> b,
                          std::span<const double> u, std::span<double> result) {
    for (std::size_t i = 0; i < 2; ++i)
      result[i] = a[2 * i] * x[0] + a[2 * i + 1] * x[1] + b[2 * i] * u[0] + b[2 * i + 1] * u[1];
  };
  auto block = std::make_unique<Block>("linear");
  block->port("u", Causality::input, 2)
      .port("y", Causality::output, 2)
      .needs(1, feedsThrough ? std::vector<PortIndex>{0} : std::vector<PortIndex>{})
      .from(
          {1.0, 2.0}, [=](double, auto x, auto u, auto dx) { product(form.a, x, form.b, u, dx); },
          [=](double, auto x, auto u, auto y) { product(form.c, x, form.d, u, y); })
      .linearAs(form);
  return block;
}

/// Two linear parts, one after the other: y1 -> u2 with a factor, the second output's first element back to the first.
TEST(JointModel, OfLinearPartsIsLinear) {
  const LinearForm f1{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {0, 0, 0, 0}};
  const LinearForm f2{{-1, 2, -3, 5}, {0.5, 1.5, 2.5, 3.5}, {1, -1, 2, -2}, {3, 1, 4, 1}};
  const auto made = [&](double offset) {
    std::vector<JoinedPart> parts;
    parts.push_back({"a", linearBlock(f1, false)});
    parts.push_back({"b", linearBlock(f2, true)});
    return join(std::move(parts), {{0, 1, 1, 0, 2.0, offset}});
  };
  EXPECT_FALSE(made(0.5)->isLinear()) << "an offset is no linear term";
  EXPECT_TRUE(made(0.5)->linear().a.empty());
  const auto model = made(0.0);
  ASSERT_TRUE(model->isLinear());
  const LinearForm form = model->linear();
  ASSERT_EQ(form.a.size(), 16U);
  ASSERT_EQ(form.b.size(), 8U);
  ASSERT_EQ(form.c.size(), 24U);
  ASSERT_EQ(form.d.size(), 12U);
  const Vector x{0.5, -1.5, 2.25, 3.0}, u{-0.75, 4.0};
  const Vector dx = derivativesOf(*model, x, u), y = outputsOf(*model, x, u);
  // By hand: y1 = C1 x1, u2 = 2 y1, y2 = C2 x2 + D2 u2; outputs y1, u2, y2.
  const Vector y1{9 * 0.5 - 10 * 1.5, 11 * 0.5 - 12 * 1.5};
  const Vector u2{2.0 * y1[0], 2.0 * y1[1]};
  EXPECT_EQ(y, (Vector{y1[0], y1[1], u2[0], u2[1], 2.25 - 3.0 + 3 * u2[0] + u2[1], 4.5 - 6.0 + 4 * u2[0] + u2[1]}));
  EXPECT_DOUBLE_EQ(dx[0], 0.5 - 3.0 - 5 * 0.75 + 24.0);
  EXPECT_DOUBLE_EQ(dx[3], -3 * 2.25 + 15.0 + 2.5 * u2[0] + 3.5 * u2[1]);
  for (std::size_t i = 0; i < 4; ++i) {
    double sum = form.b[2 * i] * u[0] + form.b[2 * i + 1] * u[1];
    for (std::size_t j = 0; j < 4; ++j) sum += form.a[4 * i + j] * x[j];
    EXPECT_NEAR(sum, dx[i], 1e-12) << i;
  }
  for (std::size_t i = 0; i < 6; ++i) {
    double sum = form.d[2 * i] * u[0] + form.d[2 * i + 1] * u[1];
    for (std::size_t j = 0; j < 4; ++j) sum += form.c[4 * i + j] * x[j];
    EXPECT_NEAR(sum, y[i], 1e-12) << i;
  }
}

TEST(JointModel, NamesTheWholeCircleAndNothingElse) {
  const auto gain = [] {
    auto block = std::make_unique<Block>("gain");
    block->port("u", Causality::input)
        .port("y", Causality::output)
        .needs(1, {0})
        .from(
            {}, [](double, auto, auto, auto) {}, [](double, auto, auto u, auto y) { y[0] = u[0]; });
    return block;
  };
  std::vector<JoinedPart> parts;
  for (const char* name : {"out", "c", "d", "e"}) parts.push_back({name, gain()});
  // out <- c <- d <- e <- c
  const auto make = [&] { join(std::move(parts), {{1, 1, 0, 0}, {2, 1, 1, 0}, {3, 1, 2, 0}, {1, 1, 3, 0}}); };
  EXPECT_EQ(messageOf<core::InputError>(make),
            "Outputs depend on each other in a circle at one instant: c.y <- d.y <- e.y <- c.y. One integrator cannot "
            "solve that; couple these subsystems by an algorithm that iterates.");
}

/// x' = p + 10 q2 of a static function whose inputs a are the states and whose b is open.
struct WithFilm {
  Pretence pretence;
  Block* block = nullptr;
  std::unique_ptr<Equations> model;

  explicit WithFilm(StaticCoupling coupling) {
    auto made = std::make_unique<Block>("body");
    made->port("f", Causality::input, 3)
        .port("x", Causality::output, 2)
        .needs(1, {})
        .from(
            {3.0, 5.0},
            [](double, auto, auto u, auto dx) {
              dx[0] = u[0];
              dx[1] = u[1] + 10.0 * u[2];
            },
            [](double, auto x, auto, auto y) {
              y[0] = x[0];
              y[1] = x[1];
            });
    block = made.get();
    std::vector<JoinedPart> parts;
    parts.push_back({"film", std::make_unique<StaticFunction>(
                                 "film", pretended(1, pretence), std::vector<PortIndex>{4, 7},
                                 StaticSettings{.coupling = coupling, .threads = 1, .increment = {}})});
    parts.push_back({"body", std::move(made)});
    // a = x, f1 = p, (f2, f3) = q by elements.
    model =
        join(std::move(parts),
             {{1, 1, 0, 4}, {0, 6, 1, 0, 1.0, 0.0, {}, 0}, {0, 8, 1, 0, 1.0, 0.0, 0, 1}, {0, 8, 1, 0, 1.0, 0.0, 1, 2}});
    model->begin({0.0, 1.0, {}});
    pretence.calls.clear();
  }
};

TEST(JointModel, HasTheParametersOfAStaticPart) {
  WithFilm with(StaticCoupling::full);
  const auto& ports = with.model->describe().ports;
  std::vector<std::string> names;
  for (const subsystem::Port& port : ports) names.push_back(port.name);
  EXPECT_EQ(names, (std::vector<std::string>{"film.k", "film.on", "film.n", "film.s", "film.a", "film.p", "film.b",
                                             "film.q", "body.f", "body.x"}));
  EXPECT_EQ(ports[6].causality, Causality::input);
  with.model->set(0, std::vector<core::Value>{2.5});
  EXPECT_EQ(with.model->parameter(0), core::Value(2.5));
  // Every output of the function follows every one of its inputs.
  EXPECT_EQ(with.model->describe().dependenciesOf(7), std::vector<PortIndex>{6});
  EXPECT_EQ(with.model->describe().dependenciesOf(4), std::vector<PortIndex>{});
  EXPECT_EQ(with.model->describe().dependenciesOf(8), std::vector<PortIndex>{6});
  EXPECT_EQ(with.model->stateCount(), 2U);
  EXPECT_FALSE(with.model->isLinear());
}

/// Inputs that do not vary are parameters, unless they have several elements.
TEST(JointModel, InputsOfAStaticPartThatDoNotVaryAreParameters) {
  for (const bool vectorVaries : {true, false}) {
    Pretence pretence;
    std::vector<JoinedPart> parts;
    parts.push_back(
        {"film", std::make_unique<StaticFunction>("film", pretended(1, pretence),
                                                  std::vector<PortIndex>{vectorVaries ? 4U : 7U}, StaticSettings{})});
    const auto model = join(std::move(parts), {});
    const auto a = model->describe().find("film.a"), b = model->describe().find("film.b");
    EXPECT_EQ(a.has_value(), vectorVaries);
    ASSERT_TRUE(b);
    EXPECT_EQ(model->describe().ports[*b].causality, vectorVaries ? Causality::parameter : Causality::input);
  }
}

TEST(JointModel, CallsStaticPartsWhereTheyAreDue) {
  const Vector x{3.0, 5.0}, u{-7.0};
  for (const StaticCoupling coupling :
       {StaticCoupling::full, StaticCoupling::predictor, StaticCoupling::lastCorrector}) {
    WithFilm with(coupling);
    EXPECT_EQ(with.model->needsVisits(), coupling != StaticCoupling::full);
    for (const Visit visit :
         {Visit::started, Visit::predicted, Visit::iterate, Visit::renewal, Visit::accepted, Visit::held}) {
      const bool due = coupling == StaticCoupling::full        ? visit == Visit::iterate || visit == Visit::renewal
                       : coupling == StaticCoupling::predictor ? visit == Visit::predicted
                                                               : visit == Visit::started || visit == Visit::accepted;
      with.model->forget();
      with.pretence.calls.clear();
      const std::uint64_t before = with.model->staticCalls();
      with.model->visit(visit, 0.25, x, u);
      EXPECT_EQ(with.model->staticCalls() - before, due ? 1U : 0U) << static_cast<int>(visit);
      if (!due) continue;
      EXPECT_EQ(with.pretence.calls.front().u, (Vector{3.0, 5.0, -7.0}));
      EXPECT_EQ(with.pretence.calls.front().t, 0.25);
      // From there on the linearisation answers: p = a1 a2 + b, q = (a1^2 - 2 a2, b^2 a2).
      const std::size_t asked = with.pretence.calls.size();
      const Vector dx = derivativesOf(*with.model, {3.5, 5.0}, {-7.0});
      EXPECT_NEAR(dx[0], 15.0 - 7.0 + 5.0 * 0.5, 1e-6);
      EXPECT_NEAR(dx[1], 9.0 - 10.0 + 6.0 * 0.5 + 10.0 * 49.0 * 5.0, 1e-4);
      EXPECT_EQ(with.pretence.calls.size(), asked);
    }
  }
}

TEST(JointModel, StaticPartsAreSavedRestoredAndForgotten) {
  WithFilm with(StaticCoupling::predictor);
  const Vector x{3.0, 5.0}, other{9.0, 8.0}, u{-7.0};
  with.model->visit(Visit::predicted, 0.25, x, u);
  const Vector near = derivativesOf(*with.model, {3.5, 5.0}, u);
  with.model->save(subsystem::Slot::iteration);
  with.model->visit(Visit::predicted, 0.25, other, u);
  EXPECT_NE(derivativesOf(*with.model, {3.5, 5.0}, u), near);
  with.model->restore(subsystem::Slot::iteration);
  EXPECT_EQ(derivativesOf(*with.model, {3.5, 5.0}, u), near);
  with.model->forget();
  EXPECT_EQ(derivativesOf(*with.model, {3.5, 5.0}, u)[0], 3.5 * 5.0 - 7.0) << "no linearisation";
}

TEST(JointModel, IsBoundToAThreadAsAnyPartIs) {
  for (const bool bound : {false, true}) {
    auto one = plant();
    auto other = drive();
    if (bound) other->onThread();
    std::vector<JoinedPart> parts;
    parts.push_back({"a", std::move(one)});
    parts.push_back({"b", std::move(other)});
    EXPECT_EQ(join(std::move(parts), {})->threadBound(), bound);
  }
}

}  // namespace
}  // namespace koppla::solver::test::joint_model_test
