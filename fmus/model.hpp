#pragma once
// A model is a struct. Its members are its variables and its state, their initial values the start values; a table says
// which members the world sees; a few functions say what happens. The smallest one:
//
//   struct Gain {
//     double u = 0, y = 0, k = 1;
//     static constexpr Info info{.name = "Gain", .description = "y = k u"};
//     static constexpr auto variables = std::to_array<Variable<Gain>>({
//         {&Gain::u, {.name = "u", .causality = input}},
//         {&Gain::y, {.name = "y", .causality = output, .dependsOn = {"u", "k"}}},
//         {&Gain::k, {.name = "k", .causality = parameter}},
//     });
//     void outputs(double) { y = k * u; }
//   };
//   using Exported = Gain;
//   ... and, outside the namespace, last in the file: #include "fmi2_export.hpp"
//
// A value reference is the position in the table. The struct must be trivially copyable: saving a state is copying it.
// Functions a model may have; a missing one costs nothing:
//
//   void initialise(double t)             states from parameters; runs whenever something was set in initialisation
//   mode void outputs(double t)                outputs from inputs and states while time stands still; runs before
//   values are
//                                         read, if anything was set or a step was done since
//   void | Result | Outcome step(double t, double h [, const Host&])          from t to t + h, inputs held
//   double partial(double M::* unknown, double M::* known) const              d unknown / d known, while time stands
//   still bool inputDerivative(double M::* input, int order, double value)          false: cannot std::optional<double>
//   outputDerivative(double M::* output, int order) const    with kMaxOutputDerivativeOrder Result before(Call, double
//   t, const Host&)    looks on before every call; other than ok or warning makes the call fail

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "host.hpp"

namespace koppla::fmus {

// A string of limited length, so that a model with strings can still be copied as plain memory.
struct Text {
  static constexpr std::size_t kCapacity = 255;

  constexpr Text() = default;
  // For start values; one that is too long does not compile.
  consteval Text(const char* text) {
    if (!assign(text)) throw "too long";
  }
  // False, and unchanged, if the text is too long.
  constexpr bool assign(std::string_view text) {
    if (text.size() > kCapacity) return false;
    characters = {};
    for (std::size_t i = 0; i < text.size(); ++i) characters[i] = text[i];
    return true;
  }
  constexpr const char* c_str() const { return characters.data(); }
  constexpr std::string_view view() const { return c_str(); }

  std::array<char, kCapacity + 1> characters{};
};

enum class Causality : std::uint8_t { parameter, calculatedParameter, input, output, local, independent };
// usual: fixed for parameters, continuous for other reals, discrete for the rest.
enum class Variability : std::uint8_t { usual, constant, fixed, tunable, discrete, continuous };
// usual: exact for parameters and constants, calculated for what is computed; inputs have none.
enum class Initial : std::uint8_t { usual, none, exact, approx, calculated };
using enum Causality;
using enum Initial;
using Variability::constant;
using Variability::continuous;
using Variability::discrete;
using Variability::fixed;
using Variability::tunable;

// Value types in the order of Member's alternatives. Enumerations are integers with a list of items.
enum class Kind : std::uint8_t { real, integer, boolean, string };

struct Enumeration {
  struct Item {
    std::string_view name;
    int value;
  };
  std::string_view name;
  std::span<const Item> items;
};

struct Attributes {
  std::string_view name;
  Causality causality = Causality::local;
  Variability variability = Variability::usual;
  Initial initial = Initial::usual;
  std::string_view unit = {};
  std::string_view description = {};
  // What a computed variable depends on without a step in between: inputs while running, parameters at the start.
  std::array<std::string_view, 8> dependsOn = {};
  const Enumeration* enumeration = nullptr;
  std::optional<double> min = {};
  std::optional<double> max = {};
};

template <class M>
using Member = std::variant<double M::*, int M::*, bool M::*, Text M::*>;

template <class M>
struct Variable {
  Member<M> member;
  Attributes about;
};

struct Info {
  std::string_view name;  // also the model identifier and the file's name
  std::string_view description = {};
  bool variableStep = true;
  bool oncePerProcess = false;
  bool structuredNames = false;
  double startTime = 0;
  double stopTime = 10;
  double stepSize = 0.1;
};

enum class Result : std::uint8_t { ok, warning, discard, error, fatal };

// What became of a step. A discarded one tells the time up to which the model got.
struct Outcome {
  constexpr Outcome(Result r = Result::ok, double t = std::numeric_limits<double>::quiet_NaN())
      : result(r), reached(t) {}
  Result result;
  double reached;
};

enum class Call : std::uint8_t {
  instantiate,
  freeInstance,
  setupExperiment,
  enterInitializationMode,
  exitInitializationMode,
  terminate,
  reset,
  getReal,
  getInteger,
  getBoolean,
  getString,
  setReal,
  setInteger,
  setBoolean,
  setString,
  getFMUstate,
  setFMUstate,
  doStep
};

constexpr std::string_view name(Call call) {
  constexpr std::array<std::string_view, 18> kNames{"instantiate",
                                                    "freeInstance",
                                                    "setupExperiment",
                                                    "enterInitializationMode",
                                                    "exitInitializationMode",
                                                    "terminate",
                                                    "reset",
                                                    "getReal",
                                                    "getInteger",
                                                    "getBoolean",
                                                    "getString",
                                                    "setReal",
                                                    "setInteger",
                                                    "setBoolean",
                                                    "setString",
                                                    "getFMUstate",
                                                    "setFMUstate",
                                                    "doStep"};
  return kNames[static_cast<std::size_t>(call)];
}

// Times closer than this are the same instant: a grid point and its rounding, t0 + n h against a sum.
constexpr double timeTolerance(double t) {
  const double magnitude = t < 0 ? -t : t;
  return 1e-9 * (magnitude > 1 ? magnitude : 1);
}
constexpr bool notBefore(double t, double instant) {
  return t >= instant - timeTolerance(instant);
}

}  // namespace koppla::fmus
