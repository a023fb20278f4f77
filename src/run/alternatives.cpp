#include "koppla/run/alternatives.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace koppla::run {

namespace {

using coupling::AlgorithmKind;
using coupling::AlgorithmSettings;

AlgorithmSettings with(AlgorithmSettings settings, AlgorithmKind kind) {
  settings.kind = kind;
  if (settings.iterates()) settings.samples = coupling::Samples::values;
  return settings;
}

unsigned highestDegreeTaken(const coupling::System& system) {
  unsigned highest = subsystem::kMaxDegree;
  for (const coupling::Member& member : system.members) {
    const subsystem::Capabilities& capabilities = member.subsystem->describe().capabilities;
    if (!capabilities.isStatic) highest = std::min(highest, capabilities.inputDerivatives);
  }
  return highest;
}

}  // namespace

std::vector<Alternative> alternativesTo(const AlgorithmSettings& present, const coupling::System& system) {
  std::vector<Alternative> all;
  for (unsigned degree = 0; degree <= highestDegreeTaken(system); ++degree) {
    if (degree == present.degree) continue;
    all.push_back({fmt::format("algorithm.degree = {}", degree), present});
    all.back().algorithm.degree = degree;
  }
  const auto add = [&](AlgorithmKind kind, std::string_view word) {
    all.push_back({fmt::format("algorithm.kind = \"{}\"", word), with(present, kind)});
  };
  if (present.iterates()) return all;
  if (present.kind == AlgorithmKind::jacobi) add(AlgorithmKind::gaussSeidel, "gauss-seidel");
  if (!system.laws.empty()) add(AlgorithmKind::semiImplicit, "semi-implicit");
  add(AlgorithmKind::iteratedGaussSeidel, "iterated-gauss-seidel");
  return all;
}

}  // namespace koppla::run
