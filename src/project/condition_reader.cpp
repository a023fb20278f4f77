#include "koppla/project/condition_reader.hpp"

#include <array>
#include <vector>

#include <fmt/format.h>

namespace koppla::project {

namespace {

enum class LawKind : std::uint8_t { springDamper, law, joint };
using coupling::ConstraintMethod;
using mechanics::JointKind;

constexpr std::array kLawWords{Word{"spring-damper", LawKind::springDamper}, Word{"law", LawKind::law},
                               Word{"joint", LawKind::joint}};
constexpr std::array kDecompositionWords{Word{"force-force", Decomposition::forceForce},
                                         Word{"force-displacement", Decomposition::forceDisplacement},
                                         Word{"displacement-force", Decomposition::displacementForce},
                                         Word{"displacement-displacement", Decomposition::displacementDisplacement}};
constexpr std::array kMethodWords{Word{"baumgarte", ConstraintMethod::baumgarte},
                                  Word{"weighted-multipliers", ConstraintMethod::weightedMultipliers},
                                  Word{"stabilised-index-2", ConstraintMethod::stabilisedIndex2}};

/// Options of one kind of condition are idle in the others.
Rule onlyFor(bool used, const char* whose) {
  return {.idle = used ? "" : whose};
}

void readSpring(TableReader& table, ConditionEntry& entry, bool used, bool isFormula) {
  SpringDamperLaw spring;
  const Rule rule =
      onlyFor(used, isFormula ? "a condition of kind 'law' has a formula" : "a rigid joint has no spring");
  table.realOrReals("stiffness", spring.stiffness, rule);
  table.realOrReals("damping", spring.damping, rule);
  if (used && table.sound({"kind"}) && !table.given("stiffness") && !table.given("damping"))
    table.mistake("kind", "A spring-damper without stiffness and damping does nothing.",
                  "Write stiffness = ... in N/m, or damping = ... in N s/m.");
  if (used) entry.law = spring;
}

void readFormula(TableReader& table, ConditionEntry& entry, bool used, bool required) {
  FormulaLaw formula;
  table.text("force", formula.force,
             {.required = required ? "Write force = \"...\", a formula of x (m) and v (m/s)." : "",
              .idle = used ? "" : "only a condition of kind 'law' has a formula"});
  if (used) entry.law = formula;
}

void readRigid(TableReader& table, ConditionEntry& entry, bool used) {
  RigidLaw rigid;
  const char* const noJoint = "only a condition of kind 'joint' is held by a method";
  table.word("method", rigid.method, kMethodWords, onlyFor(used, noJoint));
  const auto ofMethod = [&](ConstraintMethod method, const char* whose) {
    return used ? onlyFor(rigid.method == method || !table.sound({"method"}), whose) : onlyFor(false, noJoint);
  };
  const Rule ofFirst = ofMethod(ConstraintMethod::baumgarte, "it belongs to method = \"baumgarte\"");
  const Rule ofSecond =
      ofMethod(ConstraintMethod::weightedMultipliers, "it belongs to method = \"weighted-multipliers\"");
  table.optionalReal("beta", rigid.beta, kNotNegative, ofFirst);
  table.real("gamma", rigid.gamma, kNotNegative, ofFirst);
  table.real("velocity_weight", rigid.velocityWeight, kNotNegative, ofSecond);
  table.real("acceleration_weight", rigid.accelerationWeight, kNotNegative, ofSecond);
  if (used) entry.law = rigid;
}

void readLaw(TableReader& table, ConditionEntry& entry) {
  LawKind kind = LawKind::springDamper;
  table.word("kind", kind, kLawWords,
             {.required = "Write kind = \"spring-damper\", kind = \"law\" or kind = \"joint\"."});
  const bool known = table.sound({"kind"});
  readSpring(table, entry, kind == LawKind::springDamper || !known, kind == LawKind::law);
  readFormula(table, entry, kind == LawKind::law || !known, kind == LawKind::law && known);
  readRigid(table, entry, kind == LawKind::joint || !known);
  static const auto kJointWords = wordsOf(mechanics::kJointKinds);
  static const auto kAlignmentWords = wordsOf(mechanics::kAlignments);
  table.word("joint", entry.joint.value, kJointWords,
             {.required = known && kind == LawKind::joint ? "Write joint = \"atpoint\" or another kind." : ""});
  entry.joint.place = table.place("joint");
  const bool aligns = entry.joint.value == JointKind::fixed || entry.joint.value == JointKind::orientation;
  table.word("alignment", entry.alignment, kAlignmentWords,
             onlyFor(aligns || !table.sound({"joint"}), "only 'fixed' and 'orientation' hold orientations equal"));
  table.flag("scaled", entry.scaled,
             onlyFor(kind != LawKind::joint || !known, "the multipliers of a rigid joint are not scaled"));
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
  table.word("decomposition", entry.decomposition.value, kDecompositionWords,
             onlyFor(!entry.isRigid() || !table.sound({"kind"}), "the forces of a rigid joint belong to the coupling"));
  entry.decomposition.place = table.place("decomposition");
  entry.decomposed = table.given("decomposition");
  if (!table.sound({"name", "kind", "between", "decomposition", "force", "joint", "method"})) return std::nullopt;
  entry.first = parseReference(between[0]);
  entry.second = parseReference(between[1]);
  return entry;
}

}  // namespace koppla::project
