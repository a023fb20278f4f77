#include "koppla/project/condition_reader.hpp"

#include <array>
#include <vector>

#include <fmt/format.h>

namespace koppla::project {

namespace {

enum class LawKind : std::uint8_t { springDamper, law };

constexpr std::array kLawWords{Word{"spring-damper", LawKind::springDamper}, Word{"law", LawKind::law}};
constexpr std::array kDecompositionWords{Word{"force-force", Decomposition::forceForce},
                                         Word{"force-displacement", Decomposition::forceDisplacement},
                                         Word{"displacement-force", Decomposition::displacementForce},
                                         Word{"displacement-displacement", Decomposition::displacementDisplacement}};

void readLaw(TableReader& table, ConditionEntry& entry) {
  LawKind kind = LawKind::springDamper;
  table.word("kind", kind, kLawWords, {.required = "Write kind = \"spring-damper\" or kind = \"law\"."});
  const bool isFormula = kind == LawKind::law && table.sound({"kind"});
  const bool isSpring = kind == LawKind::springDamper && table.sound({"kind"});
  SpringDamperLaw spring;
  FormulaLaw formula;
  const Rule ofSpring{.idle = isFormula ? "a condition of kind 'law' has a formula" : ""};
  table.real("stiffness", spring.stiffness, {}, ofSpring);
  table.real("damping", spring.damping, {}, ofSpring);
  if (isSpring && !table.given("stiffness") && !table.given("damping"))
    table.mistake("kind", "A spring-damper without stiffness and damping does nothing.",
                  "Write stiffness = ... in N/m, or damping = ... in N s/m.");
  table.text("force", formula.force,
             {.required = isFormula ? "Write force = \"...\", a formula of x (m) and v (m/s)." : "",
              .idle = isSpring ? "a condition of kind 'spring-damper' has stiffness and damping" : ""});
  if (isFormula)
    entry.law = formula;
  else
    entry.law = spring;
}

}  // namespace

PortReference parseReference(const Placed<std::string>& typed) {
  const std::size_t dot = typed.value.find('.');
  if (dot == std::string::npos) return {typed.value, {}, typed.place};
  return {typed.value.substr(0, dot), typed.value.substr(dot + 1), typed.place};
}

std::optional<ConditionEntry> readCondition(TableReader& table) {
  ConditionEntry entry;
  entry.name.place = table.place();
  table.text("name", entry.name, {.required = "Write name = \"...\", without dots and blanks."});
  readLaw(table, entry);
  std::vector<Placed<std::string>> between;
  table.texts("between", between);
  const std::string remedy = "Write between = [\"first.marker\", \"second.marker\"].";
  if (table.sound({"between"}) && between.size() != 2)
    table.mistake("between", fmt::format("A condition acts between two markers; given: {}.", between.size()), remedy);
  table.word("decomposition", entry.decomposition.value, kDecompositionWords);
  entry.decomposition.place = table.place("decomposition");
  if (!table.sound({"name", "kind", "between", "decomposition", "force"})) return std::nullopt;
  entry.first = parseReference(between[0]);
  entry.second = parseReference(between[1]);
  return entry;
}

}  // namespace koppla::project
