// Ports of the built-in models as docs/native-models.md lists them: names, units, defaults, and which values they
// refuse.

#include <cmath>
#include <numbers>
#include <variant>

#include <gtest/gtest.h>

#include "koppla/native/catalogue.hpp"
#include "koppla/native/nonlinear_oscillator.hpp"

#include "model_access.hpp"

namespace koppla::native::described_ports_test {
namespace {

using subsystem::Causality;

enum class Least : std::uint8_t { none, zero, above };  ///< of a parameter

struct Row {
  const char* name;
  Causality causality;
  const char* unit;
  double start = 0.0;
  Least least = Least::none;
  std::size_t size = 1;
};

Row in(const char* name, const char* unit, double start = 0.0, std::size_t size = 1) {
  return {name, Causality::input, unit, start, Least::none, size};
}
Row out(const char* name, const char* unit, std::size_t size = 1) {
  return {name, Causality::output, unit, 0.0, Least::none, size};
}
Row free(const char* name, const char* unit, double start) {
  return {name, Causality::parameter, unit, start, Least::none};
}
Row notNegative(const char* name, const char* unit, double start) {
  return {name, Causality::parameter, unit, start, Least::zero};
}
Row positive(const char* name, const char* unit, double start) {
  return {name, Causality::parameter, unit, start, Least::above};
}

struct Described {
  const char* word;
  Choices choices;
  std::vector<Row> rows;
};

/// k = nu rho cp / Pr with viscosity 9e-7 m2/s and Prandtl number 7.
constexpr double kWater = 9e-7 * 1000.0 * 4184.0 / 7.0;
constexpr double kFlow = 225e-3 / 3600.0 / 16.0;

std::vector<Described> table() {
  const std::vector<Row> rodParameters{positive("area", "m2", 0.002), positive("length", "m", 1.0),
                                       positive("youngs_modulus", "N/m2", 5e7), positive("density", "kg/m3", 1000.0),
                                       notNegative("rayleigh_beta", "s", 2e-5)};
  const auto joined = [](std::vector<Row> first, const std::vector<Row>& second, const std::vector<Row>& third = {}) {
    first.insert(first.end(), second.begin(), second.end());
    first.insert(first.end(), third.begin(), third.end());
    return first;
  };
  const std::vector<Row> body{positive("m", "kg", 1.0), notNegative("c", "N/m", 1e4), notNegative("d", "N.s/m", 2.0)};
  const std::vector<Row> link{notNegative("ck", "N/m", 1e6), notNegative("dk", "N.s/m", 14.1421)};
  const std::vector<Row> second{positive("m", "kg", 1.0), notNegative("c", "N/m", 1e5),
                                notNegative("d", "N.s/m", 6.3246)};
  return {
      {"oscillator-body",
       {},
       joined({in("f", "N"), out("x", "m"), out("v", "m/s")}, body, {free("x0", "m", 1.0), free("v0", "m/s", 0.0)})},
      {"oscillator-body",
       {{"acceleration", true}, {"projection", true}},
       joined({in("f", "N"), in("w", "m/s"), out("x", "m"), out("v", "m/s"), out("a", "m/s2")}, body,
              {free("x0", "m", 1.0), free("v0", "m/s", 0.0)})},
      {"oscillator-with-link",
       {},
       joined(joined({in("x1", "m"), in("v1", "m/s"), out("f", "N"), out("x", "m"), out("v", "m/s")}, second, link),
              {free("x0", "m", 2.0), free("v0", "m/s", 0.0)})},
      {"oscillator-with-link",
       {{"node_inertia", true}},
       joined(joined({in("x1", "m"), in("v1", "m/s"), in("a1", "m/s2"), out("f", "N"), out("x", "m"), out("v", "m/s")},
                     second, link),
              {free("x0", "m", 2.0), free("v0", "m/s", 0.0), notNegative("node_mass", "kg", 0.5)})},
      {"linked-body",
       {},
       joined(joined({in("x_partner", "m"), in("v_partner", "m/s"), out("x", "m"), out("v", "m/s")}, body, link),
              {free("x0", "m", 1.0), free("v0", "m/s", 0.0)})},
      {"two-mass-oscillator",
       {},
       {out("x1", "m"), out("v1", "m/s"), out("x2", "m"), out("v2", "m/s"), out("F", "N"), positive("m1", "kg", 1.0),
        positive("m2", "kg", 1.0), notNegative("c1", "N/m", 1e4), notNegative("c2", "N/m", 1e5),
        notNegative("ck", "N/m", 1e6), notNegative("d1", "N.s/m", 2.0), notNegative("d2", "N.s/m", 6.3246),
        notNegative("dk", "N.s/m", 14.1421), free("x10", "m", 1.0), free("x20", "m", 2.0), free("v10", "m/s", 0.0),
        free("v20", "m/s", 0.0)}},
      {"rod",
       {},
       joined({in("w", "m"), in("v", "m/s"), out("f", "N"), out("w2", "m"), out("v2", "m/s")}, rodParameters,
              {free("w0", "m", 0.01)})},
      {"rod",
       {{"elements", 3}, {"node_inertia", true}},
       joined({in("w", "m"), in("v", "m/s"), in("a", "m/s2"), out("f", "N"), out("w2", "m"), out("v2", "m/s"),
               out("w3", "m"), out("v3", "m/s")},
              rodParameters, {free("w0", "m", 0.01)})},
      {"rod",
       {{"boundary", std::string("penalty")}},
       joined({in("w", "m"), in("v", "m/s"), out("f", "N"), out("w1", "m"), out("v1", "m/s"), out("w2", "m"),
               out("v2", "m/s")},
              rodParameters,
              {notNegative("ck", "N/m", 1e7), notNegative("dk", "N.s/m", 200.0), free("w0", "m", 0.01)})},
      {"rod", {{"elements", 1}}, joined({in("w", "m"), in("v", "m/s"), out("f", "N")}, rodParameters)},
      {"foam-column",
       {},
       {in("x", "m", 1.0), in("v", "m/s"), out("f", "N"), out("top", "m"), out("gap", "m"), out("strain", ""),
        positive("area", "m2", 0.0025), positive("length", "m", 0.03), positive("density", "kg/m3", 200.0),
        positive("modulus", "N/m2", 2e6), positive("plateau", "N/m2", 1.5e5), notNegative("densification", "N/m2", 3e6),
        positive("exponent", "", 8.0), notNegative("viscosity", "Pa.s", 2000.0), notNegative("cap_mass", "kg", 0.02),
        notNegative("ck", "N/m", 5e6), notNegative("dk", "N.s/m", 200.0), free("w0", "m", 0.0)}},
      {"tube-wall",
       {{"nodes", 4}},
       {in("p", "Pa", 0.0, 4), out("a", "m2", 4), positive("E", "N/m2", 1e4),
        positive("r0", "m", std::numbers::inv_sqrtpi), positive("a0", "m2", 1.0), free("p0", "Pa", 0.0)}},
      {"wall-conduction",
       {},
       {in("q", "W/m2", 50.0), out("T1", "degC"), free("T0", "degC", 500.0), positive("t", "m", 0.1),
        positive("lambda", "W/(m.K)", 5.0)}},
      {"radiating-face",
       {},
       {in("T1", "degC"), out("q", "W/m2"), notNegative("eps", "", 0.8), free("T_U", "degC", 20.0)}},
      {"radiating-face",
       {{"emissivity", std::string("a")}},
       {in("T1", "degC"), out("q", "W/m2"), free("T_U", "degC", 20.0)}},
      {"plate-flow",
       {},
       {in("phi", "rad"), out("m", "rad"), notNegative("rho", "kg/m3", 140.0), notNegative("beta", "rad", 1.3)}},
      {"hinged-plate", {}, {in("m", "rad"), out("phi", "rad"), free("phi0", "rad", 0.0)}},
      {"heat-exchanger-flow",
       {{"axial_cells", 5}, {"radial_cells", 3}},
       {in("T_tube", "degC", 0.0, 5), in("T_shell", "degC", 0.0, 5), out("T_inside", "degC", 5),
        out("T_outside", "degC", 5), out("T_at_shell", "degC", 5), out("h_hot", "W/(m2.K)"), out("h_cold", "W/(m2.K)"),
        out("T_hot_out", "degC"), out("T_cold_out", "degC"), positive("L", "m", 0.7), positive("rho", "kg/m3", 1000.0),
        positive("cp", "J/(kg.K)", 4184.0), positive("k", "W/(m.K)", kWater), positive("V_hot", "m3/s", kFlow),
        positive("V_cold", "m3/s", kFlow), free("T_hot_in", "degC", 90.0), free("T_cold_in", "degC", 10.0)}},
      {"heat-exchanger-walls",
       {{"axial_cells", 5}},
       {in("T_inside", "degC", 0.0, 5), in("T_outside", "degC", 0.0, 5), in("T_at_shell", "degC", 0.0, 5),
        in("h_hot", "W/(m2.K)"), in("h_cold", "W/(m2.K)"), out("T_tube", "degC", 5), out("T_shell", "degC", 5),
        positive("L", "m", 0.7), notNegative("k_tube", "W/(m.K)", 380.0), notNegative("k_shell", "W/(m.K)", 20.0),
        positive("shell_thickness", "m", 0.002), positive("shell_share", "", 0.25), notNegative("eps", "", 0.8),
        free("T_U", "degC", 20.0)}},
      {"exhaust-structure",
       {},
       {in("M", "N.m", 0.0, 1200), out("theta", "rad", 1200), notNegative("loss_factor", "", 0.02),
        free("excitation", "m", 5e-5)}},
      {"exhaust-rotors",
       {},
       {in("theta", "rad", 0.0, 1200), out("M", "N.m", 1200), notNegative("J_p", "kg.m2", 2e-4),
        free("speed", "1/min", 2e5), notNegative("d", "N.m.s/rad", 0.3)}},
      {"nonlinear-oscillator",
       {},
       {in("f", "N"), out("x", "m"), out("v", "m/s"), positive("m", "kg", 1.0), notNegative("c", "N/m4", 1e5),
        notNegative("d", "N.s2/m2", 5e-4), free("x0", "m", 2.0), free("v0", "m/s", -100.0)}},
      {"hardening-spring",
       {},
       {in("x", "m"), in("v", "m/s"), out("f", "N"), notNegative("c", "N", 1e5), notNegative("alpha", "1/m", 3.0),
        notNegative("d", "N.s3/m3", 1e-5)}},
      {"rotor",
       {},
       {in("force_r", ""),
        in("force_t", ""),
        out("eps", ""),
        out("eps_rate", ""),
        out("del_rate", ""),
        out("x", "m"),
        out("y", "m"),
        out("vx", "m/s"),
        out("vy", "m/s"),
        out("omega", "rad/s"),
        out("fx", "N"),
        out("fy", "N"),
        positive("R", "m", 5e-3),
        positive("clearance", "m", 2e-5),
        positive("B", "m", 6e-3),
        notNegative("eta", "Pa.s", 0.01),
        positive("m", "kg", 0.05),
        free("unbalance", "m", 2e-6),
        free("omega0", "rad/s", 100.0),
        free("acceleration", "rad/s2", 4e4),
        free("gravity", "m/s2", 9.81),
        free("x0", "m", 1e-6),
        free("y0", "m", -4e-6),
        free("vx0", "m/s", 0.0),
        free("vy0", "m/s", 0.0),
        positive("time_scale", "s", 1e-3)}},
      {"journal-bearing",
       {},
       {in("eps", ""), in("eps_rate", ""), in("del_rate", ""), out("force_r", ""), out("force_t", ""),
        positive("ratio", "", 1.0)}}};
}

template <typename Model>
void expectPorts(const Described& described, Model& model) {
  const auto& ports = model.describe().ports;
  ASSERT_EQ(ports.size(), described.rows.size());
  EXPECT_EQ(model.describe().model, described.word);
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const Row& row = described.rows[i];
    const subsystem::Port& port = ports[i];
    SCOPED_TRACE(std::string(described.word) + "." + row.name);
    EXPECT_EQ(port.name, row.name);
    EXPECT_EQ(port.causality, row.causality);
    EXPECT_EQ(port.unit, row.unit);
    EXPECT_EQ(port.size, row.size);
    EXPECT_FALSE(port.description.empty());
    if (row.causality == Causality::output) continue;
    ASSERT_TRUE(port.start.has_value());
    EXPECT_DOUBLE_EQ(std::get<double>(*port.start), row.start);
    if (row.causality != Causality::parameter) continue;
    const auto refusal = [&](double value) {
      return test::inputError([&] { model.set(i, std::vector<core::Value>{core::Value(value)}); });
    };
    EXPECT_EQ(refusal(-0.5).empty(), row.least == Least::none);
    EXPECT_EQ(refusal(0.0).empty(), row.least != Least::above);
    EXPECT_EQ(refusal(0.5), "");
    EXPECT_NE(refusal(std::nan("")), "");
    EXPECT_NE(refusal(HUGE_VAL), "");
  }
}

TEST(DescribedPorts, AreThoseOfTheDocumentation) {
  for (const Described& described : table()) {
    const auto model = makeBuiltIn(described.word, described.choices);
    expectPorts(described, *model);
  }
  const auto flow = makeBuiltInSolver("tube-flow", {{"nodes", 4}});
  expectPorts(
      {"tube-flow",
       {},
       {in("a", "m2", 1.0, 4), out("p", "Pa", 4), out("v", "m/s", 4), positive("L", "m", 10.0),
        positive("E", "N/m2", 1e4), positive("r0", "m", std::numbers::inv_sqrtpi), free("v_mean", "m/s", 10.0),
        free("v_amplitude", "m/s", 3.0), notNegative("frequency", "Hz", 5.0), positive("newton_tolerance", "", 1e-10)}},
      *flow);
}

/// Choices as the documentation lists them.
TEST(DescribedPorts, ChoicesHaveTheirDefaults) {
  const std::vector<std::tuple<const char*, const char*, core::Value>> rows{
      {"oscillator-body", "acceleration", false},
      {"oscillator-body", "projection", false},
      {"oscillator-with-link", "node_inertia", false},
      {"rod", "elements", 2},
      {"rod", "boundary", std::string("prescribed")},
      {"rod", "node_inertia", false},
      {"foam-column", "elements", 6},
      {"tube-flow", "nodes", 101},
      {"tube-wall", "nodes", 101},
      {"radiating-face", "emissivity", std::string("constant")},
      {"plate-flow", "rest", std::string("vertical")},
      {"heat-exchanger-flow", "axial_cells", 70},
      {"heat-exchanger-flow", "radial_cells", 12},
      {"heat-exchanger-walls", "axial_cells", 70},
      {"journal-bearing", "solution", std::string("finite-elements")},
      {"journal-bearing", "elements_theta", 48},
      {"journal-bearing", "elements_z", 12}};
  std::size_t found = 0;
  for (const BuiltInModel& model : builtInModels()) {
    for (const Choice& choice : model.choices) {
      ASSERT_LT(found, rows.size());
      EXPECT_EQ(model.word, std::get<0>(rows[found]));
      EXPECT_EQ(choice.name, std::get<1>(rows[found]));
      EXPECT_EQ(choice.standard, std::get<2>(rows[found])) << choice.name;
      EXPECT_FALSE(choice.description.empty());
      ++found;
    }
  }
  EXPECT_EQ(found, rows.size());
}

/// Numbers of elements, nodes and cells at and beyond their limits.
TEST(DescribedPorts, NumbersHaveTheirLimits) {
  struct Limit {
    const char* word;
    const char* choice;
    std::int32_t least, most, step = 1;
    Choices others = {};
  };
  const std::vector<Limit> limits{{"rod", "elements", 1, 10000},
                                  {"foam-column", "elements", 1, 10000},
                                  {"tube-wall", "nodes", 1, 10000},
                                  {"heat-exchanger-flow", "axial_cells", 2, 10000},
                                  {"heat-exchanger-flow", "radial_cells", 2, 1000},
                                  {"heat-exchanger-walls", "axial_cells", 2, 10000},
                                  {"journal-bearing", "elements_theta", 8, 2000, 2, {{"elements_z", 2}}},
                                  {"journal-bearing", "elements_z", 2, 200, 2, {{"elements_theta", 8}}}};
  for (const Limit& limit : limits) {
    const auto refusal = [&](std::int32_t number) {
      Choices choices = limit.others;
      choices[limit.choice] = number;
      return test::inputError([&] { makeBuiltIn(limit.word, choices); });
    };
    SCOPED_TRACE(std::string(limit.word) + " " + limit.choice);
    EXPECT_EQ(refusal(limit.least), "");
    EXPECT_EQ(refusal(limit.most), "");
    EXPECT_EQ(refusal(limit.least - limit.step).find(limit.word), 0U);
    EXPECT_EQ(refusal(limit.most + limit.step).find(limit.word), 0U);
    EXPECT_EQ(refusal(-3).find(limit.word), 0U);
    if (limit.step == 2) {
      EXPECT_NE(refusal(limit.least + 1), "");
    }
  }
  const auto flow = [](std::int32_t nodes) {
    return test::inputError([&] { makeBuiltInSolver("tube-flow", {{"nodes", nodes}}); });
  };
  EXPECT_EQ(flow(3), "");
  EXPECT_EQ(flow(10000), "");
  EXPECT_NE(flow(10001), "");
}

/// What conditions of mechanics can be tied to.
TEST(DescribedPorts, BodiesOfferTheirMarker) {
  for (const char* word : {"oscillator-body", "nonlinear-oscillator"}) {
    const auto model = makeBuiltIn(word);
    ASSERT_EQ(model->describe().markers.size(), 1U) << word;
    const subsystem::Marker& marker = model->describe().markers[0];
    EXPECT_EQ(marker.position, test::portOf(*model, "x"));
    EXPECT_EQ(marker.velocity, test::portOf(*model, "v"));
    EXPECT_EQ(marker.force, test::portOf(*model, "f"));
    EXPECT_FALSE(marker.acceleration || marker.projection);
    EXPECT_TRUE(model->secondOrder());
  }
  const auto whole = makeBuiltIn("oscillator-body", {{"acceleration", true}, {"projection", true}});
  const subsystem::Marker& marker = whole->describe().markers.at(0);
  EXPECT_EQ(marker.acceleration, test::portOf(*whole, "a"));
  EXPECT_EQ(marker.projection, test::portOf(*whole, "w"));
  EXPECT_FALSE(whole->secondOrder()) << "w moves it without being its velocity";
  // x' = v + w, m v' = -c x - d v + f.
  EXPECT_EQ(test::derivativesOf(*whole, {0.5, 2.0}, {7.0, 0.25}), (std::vector{2.25, -5000.0 - 4.0 + 7.0}));
}

}  // namespace
}  // namespace koppla::native::described_ports_test
