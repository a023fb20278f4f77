#include "koppla/project/body_composition.hpp"

#include <array>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "koppla/mechanics/joint_member.hpp"

namespace koppla::project {

namespace {

using mechanics::Coupling;
using mechanics::Rotation;
using solver::Side;

constexpr std::array<std::string_view, 4> kMotion{"position", "rotation", "velocity", "angular_velocity"};
constexpr std::array<std::string_view, 2> kAccelerations{"acceleration", "angular_acceleration"};

class BodyComposer {
 public:
  BodyComposer(const ConditionEntry& condition, const BodyEnd& first, const BodyEnd& second, Composition& result,
               Findings& findings)
      : condition_(condition),
        name_(condition.name.value),
        first_(first),
        second_(second),
        result_(result),
        findings_(findings),
        joint_{.kind = condition.joint.value,
               .first = first.marker->place,
               .second = second.marker->place,
               .firstRotation = first.rotation,
               .secondRotation = second.rotation,
               .alignment = condition.alignment,
               .scaled = condition.scaled} {}

  void compose() {
    if (!isJoint() || !lawsFit()) return;
    try {
      if (condition_.isRigid())
        hold();
      else if (condition_.decomposition.value == Decomposition::forceForce)
        evaluateInCoupling();
      else
        evaluateInBodies();
    } catch (const core::InputError& refusal) {
      report(findings_, condition_, condition_.name.place, refusal);
    }
  }

 private:
  /// Whether the equations make sense between these bodies; how many they are.
  bool isJoint() {
    const auto isPlanar = [](const BodyEnd& end) { return end.rotation == Rotation::planar; };
    if (isPlanar(first_) != isPlanar(second_)) {
      findings_.mistake(
          condition_.name.place,
          fmt::format("The condition '{}' connects '{}' in the plane with '{}' in space.", name_,
                      (isPlanar(first_) ? first_ : second_).name(), (isPlanar(first_) ? second_ : first_).name()),
          fmt::format("Give '{}' a rotation in space, such as rotation = \"cardan\".",
                      (isPlanar(first_) ? first_ : second_).subsystem));
      return false;
    }
    try {
      rows_ = mechanics::rows(joint_);
      return true;
    } catch (const core::InputError& refusal) {
      for (const core::Problem& problem : refusal.problems())
        findings_.mistake(condition_.joint.place,
                          fmt::format("The condition '{}' between '{}' and '{}': {}", name_, first_.name(),
                                      second_.name(), problem.message),
                          problem.remedy);
      return false;
    }
  }

  bool lawsFit() {
    const auto* const spring = std::get_if<SpringDamperLaw>(&condition_.law);
    if (spring == nullptr) return true;
    for (const auto& [option, values] :
         {std::pair("stiffness", &spring->stiffness), std::pair("damping", &spring->damping)}) {
      if (values->size() == 1 || values->size() == rows_) continue;
      findings_.mistake(
          condition_.name.place,
          fmt::format("The condition '{}' has {} values of '{}', but a joint of kind '{}' between these bodies has {} "
                      "equations.",
                      name_, values->size(), option, mechanics::word(joint_.kind), rows_),
          "Give one number for all, or one for each.");
      return false;
    }
    return true;
  }

  [[nodiscard]] mechanics::Laws laws() const {
    mechanics::Laws result;
    for (std::size_t row = 0; row < rows_; ++row) result.push_back(makeLaw(condition_, row));
    return result;
  }

  void hold() {
    const auto& law = std::get<RigidLaw>(condition_.law);
    const bool projects = law.method == coupling::ConstraintMethod::stabilisedIndex2;
    for (const BodyEnd* end : {&first_, &second_})
      if (projects && end->system->driftsUnderProjection())
        findings_.warning(
            condition_.name.place,
            fmt::format("The joint '{}' projects velocities (method = \"stabilised-index-2\"), which joints "
                        "inside '{}' at the level of accelerations do not see: they will drift apart.",
                        name_, end->subsystem),
            "Give it constraints = \"baumgarte\" with a rate, or \"stabilised-index-2\" with radau.");
    share(Side::first, Coupling::Source::multipliers, projects);
    share(Side::second, Coupling::Source::multipliers, projects);
    result_.addMember(condition_, mechanics::rigidJoint(joint_));
    result_.joints.push_back({result_.project.subsystems.size() - 1, law, true});
    for (const std::string_view quantity : kMotion) tellMember(quantity);
    for (const std::string_view quantity : kAccelerations) tellMember(quantity);
    for (const BodyEnd* const end : {&first_, &second_}) {
      result_.connect(condition_, {name_, "lambda"}, {end->subsystem, name_ + ".lambda"});
      if (projects) result_.connect(condition_, {name_, "mu"}, {end->subsystem, name_ + ".mu"});
    }
  }

  void evaluateInCoupling() {
    share(Side::first, Coupling::Source::multipliers);
    share(Side::second, Coupling::Source::multipliers);
    result_.addMember(condition_, mechanics::flexibleJoint(joint_, laws()));
    for (const std::string_view quantity : kMotion) tellMember(quantity);
    for (const BodyEnd* const end : {&first_, &second_})
      result_.connect(condition_, {name_, "lambda"}, {end->subsystem, name_ + ".lambda"});
  }

  void evaluateInBodies() {
    const auto source = [](bool hasLaw) { return hasLaw ? Coupling::Source::law : Coupling::Source::multipliers; };
    share(Side::first, source(condition_.lawInFirst()));
    share(Side::second, source(condition_.lawInSecond()));
    // The law on one side tells the other side's multipliers; on both sides nobody needs to be told.
    const std::string lambda = name_ + ".lambda";
    if (!condition_.lawInFirst()) result_.connect(condition_, {second_.subsystem, lambda}, {first_.subsystem, lambda});
    if (!condition_.lawInSecond()) result_.connect(condition_, {first_.subsystem, lambda}, {second_.subsystem, lambda});
  }

  /// Adds the joint to one of the systems, which is told of its partner what it reads.
  void share(Side side, Coupling::Source source, bool projects = false) {
    const BodyEnd& own = side == Side::first ? first_ : second_;
    const BodyEnd& partner = side == Side::first ? second_ : first_;
    own.system->couple({.name = name_,
                        .joint = joint_,
                        .side = side,
                        .body = own.marker->body,
                        .source = source,
                        .laws = source == Coupling::Source::law ? laws() : mechanics::Laws{},
                        .projection = projects});
    for (const std::string_view quantity : kMotion) {
      const std::string input = fmt::format("{}.{}", name_, quantity);
      if (own.system->describe().find(input))
        result_.connect(condition_, {partner.subsystem, ofBody(partner, quantity)}, {own.subsystem, input});
    }
  }

  static std::string ofBody(const BodyEnd& end, std::string_view quantity) {
    return fmt::format("{}.{}", end.marker->body, quantity);
  }

  void tellMember(std::string_view quantity) {
    result_.connect(condition_, {first_.subsystem, ofBody(first_, quantity)},
                    {name_, fmt::format("first.{}", quantity)});
    result_.connect(condition_, {second_.subsystem, ofBody(second_, quantity)},
                    {name_, fmt::format("second.{}", quantity)});
  }

  const ConditionEntry& condition_;
  const std::string& name_;
  const BodyEnd& first_;
  const BodyEnd& second_;
  Composition& result_;
  Findings& findings_;
  mechanics::Joint joint_;
  std::size_t rows_ = 0;
};

}  // namespace

void composeBodies(const ConditionEntry& condition, const BodyEnd& first, const BodyEnd& second, Composition& result,
                   Findings& findings) {
  BodyComposer(condition, first, second, result, findings).compose();
}

}  // namespace koppla::project
