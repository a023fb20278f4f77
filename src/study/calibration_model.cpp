#include "koppla/study/calibration_model.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <span>
#include <variant>

#include <fmt/format.h>

#include "koppla/coupling/adaptive_relaxation.hpp"
#include "koppla/native/hinged_plate.hpp"
#include "koppla/native/radiating_wall.hpp"

namespace koppla::study {

namespace {

using native::Emissivity;
using native::PlateRest;

constexpr std::array kConductivities{5.0, 6.5, 8.0, 9.5, 11.0};            // W/(m.K)
constexpr std::array kDensities{65.0, 80.0, 95.0, 110.0, 125.0, 140.0};    // kg/m3
constexpr double kFirstHeatFlux = 50.0;                                    // W/m2
constexpr double kHorizontalRestAngle = 0.001 * std::numbers::pi / 180.0;  // rad

/// Models that differ by one number.
struct Family {
  std::string_view name;
  std::variant<Emissivity, PlateRest> kind;
  std::span<const double> usual;  ///< the numbers of Jung's study
  bool calibrates = true;         ///< one of the 25
};

constexpr std::array kFamilies{
    Family{"lin", Emissivity::constant, kConductivities},
    Family{"A", Emissivity::a, kConductivities},
    Family{"B", Emissivity::b, std::span(kConductivities).subspan(2)},
    Family{"B480", Emissivity::b480, kConductivities, false},
    Family{"FSI-v", PlateRest::vertical, kDensities},
    Family{"FSI-h", PlateRest::horizontal, kDensities},
};

CalibrationModel wall(std::string name, Emissivity emissivity, double conductivity) {
  return {std::move(name), [conductivity] { return native::wallConduction({.conductivity = conductivity}); },
          [emissivity] { return native::radiatingFace({.emissivity = emissivity}); }, kFirstHeatFlux};
}

CalibrationModel plate(std::string name, PlateRest rest, double density) {
  const double restAngle = rest == PlateRest::vertical ? 0.0 : kHorizontalRestAngle;
  return {std::move(name), [rest, density] { return native::plateFlow({.rest = rest, .density = density}); },
          [restAngle] { return native::hingedPlate({.restAngle = restAngle}); }, restAngle};
}

CalibrationModel member(const Family& family, double number) {
  std::string name = fmt::format("{} {}", family.name, number);
  if (const auto* const emissivity = std::get_if<Emissivity>(&family.kind))
    return wall(std::move(name), *emissivity, number);
  return plate(std::move(name), std::get<PlateRest>(family.kind), number);
}

std::vector<CalibrationModel> usualMembers(const Family& family) {
  std::vector<CalibrationModel> models;
  for (const double number : family.usual) models.push_back(member(family, number));
  return models;
}

/// Adaptive relaxation of one value, as Jung, sec. 4.7, has it.
class RelaxedValue {
 public:
  RelaxedValue(const coupling::AdaptiveParameters& parameters, std::optional<double> start)
      : parameters_(parameters), factor_{.omega = parameters.first}, begun_(start.has_value()) {
    begin(start.value_or(0.0));
  }

  double passOn(double raw) {
    if (!begun_) begin(raw);
    begun_ = true;
    factor_ = coupling::adapted(parameters_, factor_, {raw, before_, beforeThat_}, false);
    beforeThat_ = before_;
    before_ = raw;
    sent_ += factor_.omega * (raw - sent_);
    return sent_;
  }

 private:
  // The zero difference keeps K undefined until there are three values.
  void begin(double value) { sent_ = before_ = beforeThat_ = value; }

  const coupling::AdaptiveParameters& parameters_;
  coupling::SteeredFactor factor_;
  bool begun_;
  double sent_ = 0.0;
  double before_ = 0.0;
  double beforeThat_ = 0.0;
};

double answer(const solver::Equations& program, double in) {
  double out = 0.0;
  program.outputs(0.0, {}, {&in, 1}, {&out, 1});
  return out;
}

/// `passOnFirst`, `passOnSecond`: what becomes of a result before the other program gets it.
template <typename PassOnFirst, typename PassOnSecond>
unsigned iterate(const solver::Equations& first, const solver::Equations& second, double y, const LoopIteration& how,
                 PassOnFirst passOnFirst, PassOnSecond passOnSecond) {
  for (unsigned iteration = 1; iteration <= how.most; ++iteration) {
    const double raw = answer(second, passOnFirst(answer(first, y)));
    if (!std::isfinite(raw)) return how.most;
    if (std::fabs(raw - y) <= how.rtol * std::fabs(raw)) return iteration;
    y = passOnSecond(raw);
  }
  return how.most;
}

}  // namespace

std::optional<std::vector<CalibrationModel>> namedModels(std::string_view name) {
  const std::string_view word = name.substr(0, name.find(' '));
  for (const Family& family : kFamilies) {
    if (family.name != word) continue;
    if (word == name) return usualMembers(family);
    const std::string_view digits = name.substr(word.size() + 1);
    double number = 0.0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool isNumber = error == std::errc() && end == digits.data() + digits.size();
    if (!isNumber || !std::isfinite(number) || number <= 0.0) return std::nullopt;
    return std::vector{member(family, number)};
  }
  return std::nullopt;
}

std::vector<std::string> modelFamilies() {
  std::vector<std::string> names;
  names.reserve(std::size(kFamilies));
  for (const Family& family : kFamilies) names.emplace_back(family.name);
  return names;
}

std::vector<CalibrationModel> jungModels() {
  std::vector<CalibrationModel> models;
  for (const Family& family : kFamilies)
    if (family.calibrates)
      for (CalibrationModel& model : usualMembers(family)) models.push_back(std::move(model));
  return models;
}

StaticLoop::StaticLoop(const CalibrationModel& model)
    : first_(model.first()), second_(model.second()), start_(model.start) {
  for (solver::Equations* program : {first_.get(), second_.get()}) program->begin({0.0, 0.0, std::nullopt});
}

unsigned StaticLoop::iterations(const LoopIteration& how) const {
  const auto asItIs = [](double value) { return value; };
  if (!how.relaxation) return iterate(*first_, *second_, start_, how, asItIs, asItIs);
  RelaxedValue ofSecond(*how.relaxation, start_);
  const auto relaxSecond = [&ofSecond](double raw) { return ofSecond.passOn(raw); };
  if (how.values == coupling::Accelerated::cut) return iterate(*first_, *second_, start_, how, asItIs, relaxSecond);
  RelaxedValue ofFirst(*how.relaxation, std::nullopt);
  return iterate(
      *first_, *second_, start_, how, [&ofFirst](double raw) { return ofFirst.passOn(raw); }, relaxSecond);
}

}  // namespace koppla::study
