#include <cmath>
#include <filesystem>
#include <functional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "koppla/core/file.hpp"
#include "koppla/fmi/co_simulation.hpp"
#include "koppla/fmi/fmu.hpp"
#include "koppla/program/program.hpp"

#include "support/extremes.hpp"
#include "support/figure.hpp"
#include "support/formula_subsystem.hpp"
#include "two_mass.hpp"

/// Schmoll, ch. 3: every way to bring a solver in passes the convergence test on the two-mass oscillator.
namespace koppla::test {
namespace {

std::vector<coupling::StartValue> parametersOf(const subsystem::Subsystem& system,
                                               const std::vector<std::pair<std::string, double>>& values) {
  std::vector<coupling::StartValue> result;
  for (const auto& [name, value] : values) result.push_back({*system.describe().find(name), {value}});
  return result;
}

/// The oscillator from two FMUs that take derivatives of their inputs.
coupling::System fmuSystem() {
  static core::Log log;
  const auto make = [&](const std::string& model, const std::string& name,
                        const std::vector<std::pair<std::string, double>>& values) {
    auto system = fmi::instantiate(fmi::Fmu::open(std::string(KOPPLA_FMU_DIR) + "/" + model + ".fmu", log), name, log);
    auto start = parametersOf(*system, values);
    return coupling::Member{name, std::move(system), std::move(start)};
  };
  const native::TwoMassOscillator p;
  coupling::System system;
  system.members.push_back(make("OscillatorMass", "s1", {{"m", p.m1}, {"c", p.c1}, {"d", p.d1}, {"x0", p.x10}}));
  system.members.push_back(
      make("OscillatorHalf", "s2", {{"m", p.m2}, {"c2", p.c2}, {"d2", p.d2}, {"c", p.ck}, {"d", p.dk}, {"x0", p.x20}}));
  connect(system, {{"s1.x", "s2.x"}, {"s1.v", "s2.v"}, {"s2.F", "s1.F"}});
  system.order = {0, 1};
  knowPast(system, p);
  return system;
}

double orderOf(const TwoMassCase& base, const std::function<coupling::System(const TwoMassCase&)>& make,
               const std::vector<double>& steps = {1e-4, 5e-5, 2.5e-5}) {
  std::vector<double> errors;
  for (const double H : steps) {
    TwoMassCase c = base;
    c.H = H;
    errors.push_back(errorsOf(c, make(c)).global);
  }
  return slope(steps, errors);
}

TEST(Adapters, TwoFmusWithInputDerivativesHaveTheOrderOfNativeModels) {
  TwoMassCase c;
  c.degree = 2;
  const double order = orderOf(c, [](const TwoMassCase&) { return fmuSystem(); });
  showWithin({"schmoll R64", "fmus", "order 3 +-0.1 with two FMUs, p = 2"}, order, 3.0, 0.1);
  showWithin({"schmoll R65", "fmi-2", "order 3 +-0.1 with two FMUs of FMI 2.0, p = 2"}, order, 3.0, 0.1);
  c.H = 1e-5;
  showWithin({"schmoll R3", "fmus", "5.4e-5 +-20 % at H = 1e-5 s with two FMUs"}, errorsOf(c, fmuSystem()).global,
             5.4e-5, 0.2 * 5.4e-5);
}

/// Two lags in a loop, T y' = k u - y with T = 1 s, k = 1 and -1: y1(t) = e^-t cos t from y1 = 1, y2 = 0.
double errorOfLags(double H, coupling::Samples samples) {
  core::Log log;
  coupling::System system;
  for (const double k : {-1.0, 1.0}) {
    const std::string name = k < 0.0 ? "a" : "b";
    auto lag = fmi::instantiate(fmi::Fmu::open(std::string(KOPPLA_FMU_DIR) + "/InterpolatingLag.fmu", log), name, log);
    auto start = parametersOf(*lag, {{"k", k}, {"x0", k < 0.0 ? 1.0 : 0.0}});
    system.members.push_back({name, std::move(lag), std::move(start)});
  }
  connect(system, {{"a.y", "b.u"}, {"b.y", "a.u"}});
  run::Settings settings;
  settings.algorithm.kind = coupling::AlgorithmKind::jacobi;
  settings.algorithm.degree = 1;
  settings.algorithm.samples = samples;
  settings.step = H;
  run::Run run(std::move(system), settings, log);
  EXPECT_TRUE(run.initialise().ok());
  EXPECT_TRUE(run.simulate().ok());
  return std::fabs(std::get<double>(run.value("a.y")) - std::exp(-1.0) * std::cos(1.0));
}

TEST(Adapters, FmusThatTellDerivativesOfOutputsCoupleWithSlopes) {
  using coupling::Samples;
  EXPECT_NEAR(std::log2(errorOfLags(0.02, Samples::valuesAndSlopes) / errorOfLags(0.01, Samples::valuesAndSlopes)), 2.0,
              0.2);
  EXPECT_LT(errorOfLags(0.01, Samples::valuesAndSlopes), errorOfLags(0.01, Samples::values));
}

/// The second half of the oscillator as a program that knows nothing but files: Runge and Kutta's method over the step,
/// with inputs that go linearly from those of its last call, which it keeps in its restart file, to the present ones.
constexpr const char* kHalf = R"(
function a(s, x, v) { return (-c2 * x - d2 * v - ck * (x - xo - (xn - xo) * s) - dk * (v - vo - (vn - vo) * s)) / m }
FILENAME == "in.txt" { xn = $1; vn = $2; h = ($4 - $3) / 10 }
FILENAME == "old.txt" { x = $1; v = $2; xo = $3; vo = $4 }
END {
  for (i = 0; i < 10; ++i) {
    k1 = v;              l1 = a(i / 10, x, v)
    k2 = v + h / 2 * l1; l2 = a((i + 0.5) / 10, x + h / 2 * k1, k2)
    k3 = v + h / 2 * l2; l3 = a((i + 0.5) / 10, x + h / 2 * k2, k3)
    k4 = v + h * l3;     l4 = a((i + 1) / 10, x + h * k3, k4)
    x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    v += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
  }
  printf "%.17g %.17g %.17g %.17g\n", x, v, xn, vn > "new.txt"
  printf "1 , %.17g\n", ck * (x - xn) + dk * (v - vn) > "out.csv"
})";

/// The oscillator whose second half is that program, started anew for every step or as one process for all of them.
class BehindFiles {
 public:
  explicit BehindFiles(bool service) : service_(service) {}

  coupling::System operator()(const TwoMassCase& c) {
    const native::TwoMassOscillator& p = c.parameters;
    const std::string work = fmt::format("awk -v m={} -v c2={} -v d2={} -v ck={} -v dk={} -f '{}' in.txt old.txt", p.m2,
                                         p.c2, p.d2, p.ck, p.dk, path("half.awk").string());
    core::writeWhole(path("half.awk"), kHalf);
    core::writeWhole(path("in.template"), "{{x1}} {{v1}} {{t0}} {{t1}}\n");
    core::writeWhole(path("start"), fmt::format("{} {} {} {}\n", p.x20, p.v20, p.x10, p.v10));
    const std::string state = path("state").string();
    std::filesystem::copy_file(path("start"), state, std::filesystem::copy_options::overwrite_existing);
    program::ProgramSettings settings;
    settings.name = "s2";
    settings.command = service_ ? "while read word folder; do cd $folder && cp '" + state + "' old.txt && " + work +
                                      " && cp new.txt '" + state + "' && echo ok; done"
                                : work;
    settings.service = service_;
    settings.projectFolder = folder_.path();
    settings.isTransient = true;
    if (!service_) settings.restart = {{.write = "new.txt", .read = "old.txt", .start = path("start")}};
    settings.deck = {{"in.txt", path("in.template")}};
    settings.inputs = {{.field = {"x1", {1}}}, {.field = {"v1", {1}}}};
    settings.outputs = {{{.field = {"f", {1}}, .start = {p.ck * (p.x20 - p.x10)}}, {.file = "out.csv"}}};
    coupling::System system = twoMassSystem(c);
    system.members[1].subsystem = program::makeProgram(settings, log_);
    system.connections.clear();
    connect(system, {{"s1.x", "s2.x1"}, {"s1.v", "s2.v1"}, {"s2.f", "s1.f"}});
    return system;
  }

 private:
  [[nodiscard]] std::filesystem::path path(const char* name) const { return folder_.path() / name; }

  bool service_;
  core::TemporaryFolder folder_{"half"};
  core::Log log_;
};

TEST(Adapters, ProgramsBehindFilesPassTheTestOfConvergence) {
  for (const bool service : {false, true}) {
    TwoMassCase c;
    c.degree = 1;
    c.startUp = coupling::StartUp::trivial;
    c.end = 5e-3;  // every step costs a process or several
    BehindFiles make(service);
    showWithin({"schmoll R64", service ? "service" : "program", "order 2 +-0.15 with a program as one half, p = 1"},
               orderOf(c, std::ref(make), {1e-4, 5e-5}), 2.0, 0.15);
  }
}

/// Variable steps, or an order that one step per macro step does with.
bool choosesOrNeedsNoStep(solver::Kind kind) {
  using solver::Kind;
  return kind == Kind::cvodeAdams || kind == Kind::cvodeBdf || kind == Kind::radau || kind == Kind::radauFixed;
}

TEST(Adapters, EveryIntegratorPassesTheTestOfConvergence) {
  test::Largest worst;
  double passed = 0.0;
  for (const solver::Kind kind : solver::kKinds) {
    TwoMassCase c;
    c.degree = 1;
    c.startUp = coupling::StartUp::trivial;
    c.end = 0.1;
    for (solver::IntegratorSettings* settings : {&c.first, &c.second}) {
      settings->kind = kind;
      settings->rtol = 1e-10;
      settings->atol = 1e-10;
      // Solver errors far below those of the coupling: 1e-7 s for first order is out of reach, so it gets its own test.
      settings->microStep = choosesOrNeedsNoStep(kind) ? 0.0 : 5e-7;
    }
    if (kind == solver::Kind::ode1) continue;
    const double order = orderOf(c, twoMassSystem);
    EXPECT_NEAR(order, 2.0, 0.15) << solver::word(kind);
    worst.see(std::fabs(order - 2.0));
    if (std::fabs(order - 2.0) <= 0.15) ++passed;
  }
  // Nothing but the member changes: the coupling neither knows nor asks what it drives.
  showEqual({"schmoll R1", "adapters", "thirteen solvers exchanged for each other, same order"}, passed, 13.0);
  showAtMost({"schmoll R64", "integrators", "order 2 +-0.15 with every integrator, p = 1"}, worst, 0.15);
}

TEST(Adapters, AnOrderOneSolverLeavesAFloorThatFollowsItsStep) {
  // Sec. 14.1: the floor falls by ten when the micro step does.
  std::vector<double> floors;
  for (const double h : {1e-7, 1e-8}) {
    TwoMassCase c;
    c.degree = 4;
    c.H = 1e-5;
    c.end = 0.02;
    c.second.kind = solver::Kind::ode1;
    c.second.microStep = h;
    floors.push_back(errorsOf(c).global);
  }
  showWithin({"schmoll R64", "order-one", "floor falls by 10 +-1 with the micro step"}, floors[0] / floors[1], 10.0,
             1.0);
}

}  // namespace
}  // namespace koppla::test
