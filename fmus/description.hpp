#pragma once
// The model description as data: what the FMU's library hands to the program that writes modelDescription.xml. Both are
// compiled from this header, so the XML and the code cannot disagree.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "model.hpp"

namespace koppla::fmus {

struct VariableDescription {
  Attributes about;  // nothing 'usual' is left in it
  Kind kind;
  std::variant<double, int, bool, Text> start;
};

struct Description {
  Info info;
  std::string_view guid;
  bool restoresState;
  bool partials;
  bool interpolatesInputs;
  int maxOutputDerivativeOrder;
  std::span<const VariableDescription> variables;
};

// Fills in what the author left at 'usual', by the rules of FMI 2.0, table 'initial by causality and variability'.
constexpr Attributes resolved(Attributes about, Kind kind) {
  const bool isParameter = about.causality == parameter || about.causality == calculatedParameter;
  if (about.variability == Variability::usual)
    about.variability = isParameter ? fixed : kind == Kind::real ? continuous : discrete;
  if (about.causality == input || about.causality == independent)
    about.initial = none;
  else if (about.initial == Initial::usual)
    about.initial = about.causality == parameter || about.variability == constant ? exact : calculated;
  return about;
}

template <class M>
constexpr Kind kindOf(const Variable<M>& variable) {
  return static_cast<Kind>(variable.member.index());
}

// Start values are those of a fresh struct.
template <class M>
constexpr VariableDescription describeVariable(const Variable<M>& variable, const M& fresh) {
  const auto start = [&fresh](auto member) { return std::variant<double, int, bool, Text>(fresh.*member); };
  return {resolved(variable.about, kindOf(variable)), kindOf(variable), std::visit(start, variable.member)};
}

template <class M>
constexpr auto describeVariables() {
  const auto describeAll = []<std::size_t... I>(std::index_sequence<I...>) {
    const M fresh = M{};
    return std::array<VariableDescription, sizeof...(I)>{describeVariable(M::variables[I], fresh)...};
  };
  return describeAll(std::make_index_sequence<M::variables.size()>{});
}

template <class M>
inline constexpr auto kVariableDescriptions = describeVariables<M>();

// FNV-1a over all that an importing tool relies on: a description that is older than the library is refused.
template <class M>
constexpr std::uint64_t fingerprint(std::uint64_t seed) {
  std::uint64_t hash = seed;
  const auto byte = [&hash](unsigned char b) { hash = (hash ^ b) * 1099511628211u; };
  const auto text = [&byte](std::string_view s) {
    for (const char c : s) byte(static_cast<unsigned char>(c));
    byte(0);
  };
  text(M::info.name);
  for (const auto& variable : M::variables) {
    const Attributes about = resolved(variable.about, kindOf(variable));
    text(about.name);
    byte(static_cast<unsigned char>(variable.member.index()));
    byte(static_cast<unsigned char>(about.causality));
    byte(static_cast<unsigned char>(about.variability));
    byte(static_cast<unsigned char>(about.initial));
    text(about.unit);
    for (const std::string_view known : about.dependsOn) text(known);
  }
  return hash;
}

template <class M>
constexpr std::array<char, 39> makeGuid() {
  const std::array<std::uint64_t, 2> halves{fingerprint<M>(14695981039346656037u), fingerprint<M>(7919u)};
  constexpr std::string_view kPattern = "{xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}";
  std::array<char, 39> text{};
  std::size_t digit = 0;
  for (std::size_t i = 0; i < kPattern.size(); ++i) {
    text[i] = kPattern[i];
    if (kPattern[i] != 'x') continue;
    text[i] = "0123456789abcdef"[(halves[digit / 16] >> (4 * (digit % 16))) & 15u];
    ++digit;
  }
  return text;
}

template <class M>
inline constexpr std::array<char, 39> kGuid = makeGuid<M>();

}  // namespace koppla::fmus
