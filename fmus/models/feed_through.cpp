// Every kind of variable FMI 2.0 knows: each output is its input, of every type; parameters, constants and local
// variables of every kind beside them; names that need care.
//
//   <type>Out = <type>In;  discreteOut = discreteIn;  bus.signal[2] = bus.signal[1];  quoted name = length / 1000
//   x' = realIn,  x(0) = 0  (exact for a held input);  der(x) = realIn;  doubled = 2 fixedReal;  time = t

#include <numbers>

#include "model.hpp"

namespace koppla::fmus {

static constexpr std::array<Enumeration::Item, 4> kColours{{{"red", 1}, {"green", 2}, {"blue", 3}, {"violet", 7}}};
static constexpr Enumeration kColour{.name = "Colour", .items = kColours};

struct FeedThrough {
  double realIn = 0, realOut = 0, discreteIn = 0, discreteOut = 0;
  int integerIn = 0, integerOut = 0;
  bool booleanIn = false, booleanOut = false;
  Text stringIn, stringOut;
  int enumerationIn = 1, enumerationOut = 1;
  double signal1 = 0, signal2 = 0, length = 0, metres = 0;
  double tunableReal = 1.5, fixedReal = 2.5;
  int tunableInteger = -3, fixedInteger = 4;
  bool tunableBoolean = true, fixedBoolean = false;
  Text tunableString = "tune me", fixedString = "a < b & \"c\"";
  int tunableEnumeration = 2, fixedEnumeration = 7;
  double constantReal = std::numbers::pi, doubled = 5;
  double x = 0, derX = 0, time = 0;

  static constexpr Info info{
      .name = "FeedThrough", .description = "Outputs are inputs, of every type", .structuredNames = true};

  using T = FeedThrough;
  static constexpr auto variables = std::to_array<Variable<T>>({
      {&T::realIn, {.name = "realIn", .causality = input, .description = "a real, <continuous> & plain"}},
      {&T::realOut, {.name = "realOut", .causality = output, .dependsOn = {"realIn"}}},
      {&T::discreteIn, {.name = "discreteIn", .causality = input, .variability = discrete}},
      {&T::discreteOut,
       {.name = "discreteOut", .causality = output, .variability = discrete, .dependsOn = {"discreteIn"}}},
      {&T::integerIn, {.name = "integerIn", .causality = input}},
      {&T::integerOut, {.name = "integerOut", .causality = output, .dependsOn = {"integerIn"}}},
      {&T::booleanIn, {.name = "booleanIn", .causality = input}},
      {&T::booleanOut, {.name = "booleanOut", .causality = output, .dependsOn = {"booleanIn"}}},
      {&T::stringIn, {.name = "stringIn", .causality = input}},
      {&T::stringOut, {.name = "stringOut", .causality = output, .dependsOn = {"stringIn"}}},
      {&T::enumerationIn, {.name = "enumerationIn", .causality = input, .enumeration = &kColour}},
      {&T::enumerationOut,
       {.name = "enumerationOut", .causality = output, .dependsOn = {"enumerationIn"}, .enumeration = &kColour}},
      {&T::signal1, {.name = "bus.signal[1]", .causality = input, .unit = "degC"}},
      {&T::signal2, {.name = "bus.signal[2]", .causality = output, .unit = "degC", .dependsOn = {"bus.signal[1]"}}},
      {&T::length, {.name = "length", .causality = input, .unit = "mm"}},
      {&T::metres, {.name = "'length, in metres'", .causality = output, .unit = "m", .dependsOn = {"length"}}},
      {&T::tunableReal, {.name = "tunableReal", .causality = parameter, .variability = tunable, .min = -10, .max = 10}},
      {&T::tunableInteger,
       {.name = "tunableInteger", .causality = parameter, .variability = tunable, .min = -10, .max = 10}},
      {&T::tunableBoolean, {.name = "tunableBoolean", .causality = parameter, .variability = tunable}},
      {&T::tunableString, {.name = "tunableString", .causality = parameter, .variability = tunable}},
      {&T::tunableEnumeration,
       {.name = "tunableEnumeration", .causality = parameter, .variability = tunable, .enumeration = &kColour}},
      {&T::fixedReal, {.name = "fixedReal", .causality = parameter, .unit = "K"}},
      {&T::fixedInteger, {.name = "fixedInteger", .causality = parameter}},
      {&T::fixedBoolean, {.name = "fixedBoolean", .causality = parameter}},
      {&T::fixedString, {.name = "fixedString", .causality = parameter}},
      {&T::fixedEnumeration, {.name = "fixedEnumeration", .causality = parameter, .enumeration = &kColour}},
      {&T::constantReal, {.name = "constantReal", .causality = local, .variability = constant, .unit = "rad"}},
      {&T::doubled, {.name = "doubled", .causality = calculatedParameter, .unit = "K", .dependsOn = {"fixedReal"}}},
      {&T::x, {.name = "x", .causality = local, .initial = exact}},
      {&T::derX, {.name = "der(x)", .causality = local}},
      {&T::time, {.name = "time", .causality = independent, .unit = "s"}},
  });

  void initialise(double) { doubled = 2 * fixedReal; }

  void outputs(double t) {
    realOut = realIn;
    discreteOut = discreteIn;
    integerOut = integerIn;
    booleanOut = booleanIn;
    stringOut = stringIn;
    enumerationOut = enumerationIn;
    signal2 = signal1;
    metres = length / 1000;
    derX = realIn;
    time = t;
  }

  void step(double, double h) { x += h * realIn; }
};

using Exported = FeedThrough;

}  // namespace koppla::fmus

#include "fmi2_export.hpp"
