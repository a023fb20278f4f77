#include "loops.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace koppla::test {

namespace {

constexpr double kKelvin = 273.15;
constexpr double kBoltzmann = 5.67e-8;  // W/m2K4
constexpr double kBeta = 1.3;           // lumped constant of the plate at 140 kg/m3
constexpr double kRestAngle = 0.001 * std::numbers::pi / 180.0;

double emissivityAt(const Emissivity& e, double temperature) {
  if (temperature <= e.temperatures.front()) return e.values.front();
  for (std::size_t i = 1; i < e.temperatures.size(); ++i) {
    if (temperature > e.temperatures[i]) continue;
    const double s = (temperature - e.temperatures[i - 1]) / (e.temperatures[i] - e.temperatures[i - 1]);
    return e.values[i - 1] + s * (e.values[i] - e.values[i - 1]);
  }
  return e.values.back();
}

double toTheFourth(double x) {
  return x * x * x * x;
}

std::string number(double x) {
  const std::string text = std::to_string(x);
  return x == std::floor(x) ? text.substr(0, text.find('.')) : text.substr(0, text.find('.') + 2);
}

bool settled(std::span<const double> raw, std::span<const double> sent, double tolerance) {
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (!(std::fabs(raw[i] - sent[i]) <= tolerance * std::fabs(raw[i]))) return false;
  }
  return true;
}

bool finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
}

}  // namespace

Loop scalarLoop(std::string name, std::function<double(double)> first, std::function<double(double)> second,
                double start) {
  const auto program = [](std::function<double(double)> f) {
    return [f = std::move(f)](std::span<const double> in, std::span<double> out) { out[0] = f(in[0]); };
  };
  return {std::move(name), program(std::move(first)), program(std::move(second)), {start}};
}

Loop together(const Loop& one, const Loop& other) {
  const auto both = [n = one.start.size()](const Program& a, const Program& b) {
    return [n, a, b](std::span<const double> in, std::span<double> out) {
      a(in.first(n), out.first(n));
      b(in.subspan(n), out.subspan(n));
    };
  };
  Loop loop{one.name + " and " + other.name, both(one.first, other.first), both(one.second, other.second), one.start};
  loop.start.insert(loop.start.end(), other.start.begin(), other.start.end());
  return loop;
}

Emissivity emissivityLin() {
  return {"lin", {0.0}, {0.8}};
}
Emissivity emissivityA() {
  return {"A", {-200.0, 200.0, 300.0}, {0.8, 0.4, 0.7}};
}
Emissivity emissivityB() {
  return {"B", {0.0, 400.0, 600.0}, {0.8, 0.4, 0.7}};
}
Emissivity emissivityB480() {
  return {"B480", {0.0, 400.0, 480.0}, {0.8, 0.4, 0.7}};
}

Loop wall(const Emissivity& emissivity, double lambda) {
  constexpr double thickness = 0.1;  // m
  constexpr double hotSide = 500.0;  // deg C
  constexpr double surroundings = 20.0;
  return scalarLoop(
      emissivity.name + " " + number(lambda), [lambda](double q) { return hotSide - q * thickness / lambda; },
      [emissivity](double T1) {
        return kBoltzmann * emissivityAt(emissivity, T1) *
               (toTheFourth(T1 + kKelvin) - toTheFourth(surroundings + kKelvin));
      },
      50.0);
}

Loop verticalPlate(double rho) {
  const double B = kBeta * rho / 140.0;
  return scalarLoop(
      "FSI-v " + number(rho), [B](double phi) { return B * std::cos(phi); }, [](double moment) { return moment; }, 0.0);
}

Loop horizontalPlate(double rho) {
  const double B = kBeta * rho / 140.0;
  return scalarLoop(
      "FSI-h " + number(rho), [B](double phi) { return B * std::sin(phi); },
      [](double moment) { return moment + kRestAngle; }, kRestAngle);
}

Loop gainLoop(double g) {
  return scalarLoop(
      "gain " + std::to_string(g), [g](double y) { return g * y + 1.0; }, [](double x) { return x; }, 0.0);
}

std::vector<Loop> calibrationLoops() {
  std::vector<Loop> loops;
  for (const double lambda : {5.0, 6.5, 8.0, 9.5, 11.0}) loops.push_back(wall(emissivityLin(), lambda));
  for (const double lambda : {5.0, 6.5, 8.0, 9.5, 11.0}) loops.push_back(wall(emissivityA(), lambda));
  for (const double lambda : {8.0, 9.5, 11.0}) loops.push_back(wall(emissivityB(), lambda));
  for (const double rho : {65.0, 80.0, 95.0, 110.0, 125.0, 140.0}) loops.push_back(verticalPlate(rho));
  for (const double rho : {65.0, 80.0, 95.0, 110.0, 125.0, 140.0}) loops.push_back(horizontalPlate(rho));
  return loops;
}

std::vector<Loop> b480Loops() {
  std::vector<Loop> loops;
  for (const double lambda : {5.0, 6.5, 8.0, 9.5, 11.0}) loops.push_back(wall(emissivityB480(), lambda));
  return loops;
}

double root(const Loop& loop) {
  const auto excess = [&](double y) {
    double x = 0.0;
    double answer = 0.0;
    loop.first({&y, 1}, {&x, 1});
    loop.second({&x, 1}, {&answer, 1});
    return answer - y;
  };
  // At the start value every model answers more than it was given.
  double low = loop.start[0];
  double high = std::max(1.0, low);
  while (excess(high) > 0.0) high *= 2.0;
  for (;;) {
    const double middle = low + (high - low) / 2.0;
    if (middle <= low || middle >= high) return middle;
    (excess(middle) > 0.0 ? low : high) = middle;
  }
}

double Outcome::lastK() const {
  const std::size_t n = trace.size();
  return (trace[n - 1].raw - trace[n - 2].raw) / (trace[n - 2].raw - trace[n - 3].raw);
}

Outcome iterate(const Loop& loop, coupling::Accelerator* ofFirst, coupling::Accelerator& ofSecond,
                const Conduct& conduct) {
  const std::size_t n = loop.start.size();
  const bool parallel = conduct.order == Order::parallel;
  std::vector<double> y = loop.start;  // sent to the first program
  std::vector<double> x(n);            // sent to the second program
  std::vector<double> rawX(n);
  std::vector<double> rawY(n);
  if (parallel) loop.first(y, x);
  bool xWasSent = parallel;
  if (ofFirst != nullptr) ofFirst->begin();
  ofSecond.begin();

  Outcome outcome;
  const auto note = [&](const coupling::Accelerator& accelerator) {
    const coupling::Doings doings = accelerator.doings();
    outcome.smallestFactor.see(doings.smallestFactor);
    outcome.largestFactor.see(doings.largestFactor);
  };
  const auto passOnFirst = [&] {
    if (ofFirst == nullptr) {
      x = rawX;
    } else {
      ofFirst->learn(xWasSent ? x : rawX, rawX);
      ofFirst->propose(x);
      note(*ofFirst);
    }
    xWasSent = true;
  };

  while (outcome.iterations < conduct.cap) {
    ++outcome.iterations;
    loop.first(y, rawX);
    bool done = !parallel || settled(rawX, x, conduct.tolerance);
    if (!parallel) passOnFirst();
    loop.second(x, rawY);
    outcome.result = rawY;
    outcome.trace.push_back({rawX[0], rawY[0], y[0], 1.0, rawY[0]});
    if (!finite(rawX) || !finite(rawY)) {
      outcome.end = End::notFinite;
      return outcome;
    }
    done = done && settled(rawY, y, conduct.tolerance);
    if (done) {
      outcome.end = End::converged;
      return outcome;
    }
    if (parallel) passOnFirst();
    ofSecond.learn(y, rawY);
    ofSecond.propose(y);
    note(ofSecond);
    outcome.trace.back().factor = ofSecond.doings().largestFactor;
    outcome.trace.back().next = y[0];
  }
  return outcome;
}

coupling::AccelerationSettings unrelaxed() {
  return {.kind = coupling::AcceleratorKind::none};
}

coupling::AccelerationSettings constantFactor(double omega) {
  return {.kind = coupling::AcceleratorKind::constant, .factor = omega};
}

coupling::AccelerationSettings aitken(double first) {
  return {.kind = coupling::AcceleratorKind::aitken, .factor = first};
}

coupling::AccelerationSettings adaptive(std::string_view set, double margin) {
  for (const coupling::AdaptiveSet& known : coupling::adaptiveSets()) {
    if (known.name != set) continue;
    coupling::AccelerationSettings settings{.kind = coupling::AcceleratorKind::adaptive, .adaptive = known.parameters};
    settings.adaptive.margin = margin;
    return settings;
  }
  throw std::invalid_argument("no set " + std::string(set));
}

coupling::AccelerationSettings adaptiveSafe(double margin) {
  coupling::AccelerationSettings settings = adaptive("L/NL(1,b)", margin);
  settings.adaptive.upper = 2.0 / 3.0;
  return settings;
}

std::unique_ptr<coupling::Accelerator> makeRelaxation(const coupling::AccelerationSettings& settings,
                                                      std::size_t size) {
  const coupling::Unknowns unknowns{.size = size};
  return settings.kind == coupling::AcceleratorKind::adaptive ? coupling::adaptiveRelaxation(settings, unknowns)
                                                              : coupling::relaxation(settings, unknowns);
}

Outcome relaxOne(const Loop& loop, const coupling::AccelerationSettings& settings, const Conduct& conduct) {
  return iterate(loop, nullptr, *makeRelaxation(settings, loop.start.size()), conduct);
}

Outcome relaxBoth(const Loop& loop, const coupling::AccelerationSettings& settings, const Conduct& conduct) {
  const auto ofFirst = makeRelaxation(settings, loop.start.size());
  return iterate(loop, ofFirst.get(), *makeRelaxation(settings, loop.start.size()), conduct);
}

}  // namespace koppla::test
