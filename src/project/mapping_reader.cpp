#include "koppla/project/mapping_reader.hpp"

#include <array>

#include <fmt/format.h>

namespace koppla::project {

namespace {

using mapping::Basis;

constexpr std::array kMappingWords{Word{"nearest", MappingKind::nearest}, Word{"linear", MappingKind::linear},
                                   Word{"radial-basis", MappingKind::radialBasis}};
constexpr std::array kMappingFormWords{Word{"consistent", mapping::Form::consistent},
                                       Word{"conservative", mapping::Form::conservative}};
constexpr std::array kBasisWords{Word{"wendland", Basis::wendland}, Word{"gaussian", Basis::gaussian}};

PointsEntry readPoints(TableReader& table, std::string_view end, const std::filesystem::path& folder) {
  PointsEntry points;
  Placed<std::string> file;
  table.text(end, file, {.required = fmt::format("Write {} = \"mesh.msh\", a file of points.", end)});
  points.file = {folder / file.value, file.place};
  table.text(fmt::format("{}_part", end), points.part);
  return points;
}

void readRadialBasis(TableReader& table, MappingEntry& entry) {
  const Rule rule{.idle = entry.kind == MappingKind::radialBasis
                              ? ""
                              : fmt::format("the mapping '{}' has no radial basis", word(entry.kind))};
  mapping::RadialBasisSettings& settings = entry.radialBasis;
  table.word("basis", settings.basis, kBasisWords, rule);
  unsigned patchPoints = static_cast<unsigned>(settings.patchPoints);
  unsigned degree = static_cast<unsigned>(settings.degree);
  table.count("patch_points", patchPoints, mapping::kLeastPatchPoints, rule, mapping::kMostPatchPoints);
  table.count("degree", degree, 1, rule, 2);
  table.real("support", settings.support, kPositive, rule);
  settings.patchPoints = patchPoints;
  settings.degree = static_cast<int>(degree);
}

}  // namespace

std::string_view word(MappingKind kind) {
  return wordFor(kMappingWords, kind);
}

std::string_view word(mapping::Form form) {
  return wordFor(kMappingFormWords, form);
}

MappingEntry readMapping(TableReader& table, const std::filesystem::path& folder) {
  MappingEntry entry;
  entry.place = table.place();
  table.word("kind", entry.kind, kMappingWords,
             {.required = "Write kind = \"nearest\", \"linear\" or \"radial-basis\"."});
  table.word("form", entry.form, kMappingFormWords,
             {.required = "Write form = \"consistent\" for values (temperature, displacement, pressure), "
                          "\"conservative\" for amounts (force, heat flow)."});
  entry.from = readPoints(table, "from", folder);
  entry.to = readPoints(table, "to", folder);
  table.optionalCount("components", entry.components, 1, {}, kMostCount);
  readRadialBasis(table, entry);
  entry.sound = table.sound({"kind", "form", "from", "from_part", "to", "to_part", "components", "basis",
                             "patch_points", "degree", "support"}) &&
                table.given("kind") && table.given("form") && table.given("from") && table.given("to");
  return entry;
}

}  // namespace koppla::project
