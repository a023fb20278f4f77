#include "koppla/project/multibody_reader.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "koppla/core/suggest.hpp"
#include "koppla/core/value.hpp"

namespace koppla::project {

namespace {

using mechanics::InternalConstraints;
using mechanics::MarkerSettings;
using mechanics::Rotation;
using mechanics::Vector;

constexpr std::array kConstraintWords{Word{"acceleration-level", InternalConstraints::accelerationLevel},
                                      Word{"baumgarte", InternalConstraints::baumgarte},
                                      Word{"stabilised-index-2", InternalConstraints::stabilisedIndex2}};

class MultibodyReader {
 public:
  explicit MultibodyReader(TableReader& table) : table_(table) {}

  mechanics::MultibodySettings read() && {
    static const auto kRotationWords = wordsOf(mechanics::kRotations);
    table_.word("rotation", settings_.rotation, kRotationWords);
    vector(table_, "gravity", settings_.gravity);
    table_.word("constraints", settings_.constraints, kConstraintWords);
    const bool stabilised = settings_.constraints == InternalConstraints::baumgarte;
    table_.real(
        "rate", settings_.rate, kPositive,
        {.required = stabilised ? "Write rate = ..., in 1/s, of Baumgarte's stabilisation." : "",
         .idle = stabilised || !table_.sound({"constraints"}) ? "" : "it belongs to constraints = \"baumgarte\""});
    forEach(table_.tables("bodies"), [this](TableReader& item) { readBody(item); });
    if (settings_.bodies.empty() && table_.sound({"bodies"}) && !table_.given("bodies"))
      table_.mistake("bodies", "There are no bodies.", "Write [[subsystems.bodies]] with name, mass and inertia.");
    forEach(table_.namedTables("markers"), [this](TableReader& item) { readMarker(item); });
    forEach(table_.tables("springs"), [this](TableReader& item) { readSpring(item); });
    forEach(table_.tables("torsion_springs"), [this](TableReader& item) { readTorsionSpring(item); });
    forEach(table_.tables("forces"), [this](TableReader& item) { readForce(item); });
    forEach(table_.tables("joints"), [this](TableReader& item) { readJoint(item); });
    return std::move(settings_);
  }

 private:
  template <typename Read>
  static void forEach(std::vector<TableReader> items, Read read) {
    for (TableReader& item : items) read(item);
    for (TableReader& item : items) item.finish();
  }

  [[nodiscard]] bool isPlanar() const { return settings_.rotation == Rotation::planar; }

  // Numbers

  enum class Use : std::uint8_t { point, direction };

  /// Nobody knows which size is right where the rotation is no word.
  [[nodiscard]] bool knowsSizes() const { return table_.sound({"rotation"}); }

  void wrongSize(TableReader& from, std::string_view key, std::size_t found, std::string remedy) {
    if (knowsSizes())
      from.mistake(key, fmt::format("'{}' in {} has {} components.", key, from.title(), found), std::move(remedy));
  }

  /// Three components; in the plane two, or a third one that is 0 unless it belongs to a direction.
  void vector(TableReader& from, std::string_view key, Vector& into, Use use = Use::point) {
    std::vector<double> values;
    from.reals(key, values);
    if (!from.given(key) || !from.sound({key})) return;
    if (values.size() != 3 && !(isPlanar() && values.size() == 2))
      return wrongSize(from, key, values.size(), isPlanar() ? "Give [x, y]." : "Give [x, y, z].");
    values.resize(3, 0.0);
    if (isPlanar() && knowsSizes() && use == Use::point && values[2] != 0.0)
      return from.mistake(
          key, fmt::format("'{}' in {} leaves the plane: z is {}.", key, from.title(), core::text(values[2])),
          "Give [x, y], or choose rotation = \"cardan\" for bodies in space.");
    std::ranges::copy(values, into.begin());
  }

  /// About the axes of the body: three components, in the plane one number.
  void spin(TableReader& from, std::string_view key, Vector& into) {
    std::vector<double> values;
    from.realOrReals(key, values);
    if (!from.given(key) || !from.sound({key})) return;
    if (isPlanar() && values.size() == 1)
      into = {0.0, 0.0, values[0]};
    else if (!isPlanar() && values.size() == 3)
      std::ranges::copy(values, into.begin());
    else
      wrongSize(from, key, values.size(), isPlanar() ? "Give one number." : "Give [x, y, z].");
  }

  static void requireRange(TableReader& from, std::string_view key, Range range, const std::vector<double>& values) {
    for (const double value : values)
      if (value < range.least || (range.open && value == range.least))
        return from.mistake(key, fmt::format("'{}' in {} is {}; it must be {} 0.", key, from.title(), core::text(value),
                                             range.open ? "above" : "at least"));
  }

  /// Of x, y and z of K_0, or one number for all.
  void perComponent(TableReader& from, std::string_view key, Vector& into) {
    std::vector<double> values;
    from.realOrReals(key, values);
    if (!from.given(key) || !from.sound({key})) return;
    const std::size_t components = isPlanar() ? 2 : 3;
    if (values.size() == 1) values.resize(components, values[0]);
    if (values.size() != components)
      return wrongSize(from, key, values.size(), fmt::format("Give one number, or {}.", components));
    requireRange(from, key, kNotNegative, values);
    std::ranges::copy(values, into.begin());
  }

  // Names

  /// Empty, and reported, where the item has none of its own.
  std::string takeName(TableReader& item, std::string_view what) {
    Placed<std::string> name;
    item.text("name", name, {.required = "Write name = \"...\"."});
    if (!item.sound({"name"})) return {};
    return registerName(item, name, what) ? name.value : std::string();
  }

  bool registerName(TableReader& item, const Placed<std::string>& name, std::string_view what) {
    const auto [first, fresh] = names_.emplace(name.value, name.place);
    if (name.value.empty())
      item.mistake("name", fmt::format("A {} has no name.", what), "Give it one.");
    else if (!fresh)
      item.mistake("name", fmt::format("The name '{}' is used already in line {}.", name.value, first->second.line),
                   "Bodies, markers, springs, forces and joints of one subsystem have different names.");
    return fresh && !name.value.empty();
  }

  /// The body or marker that `key` names; null, and reported, where there is none.
  template <typename Item>
  const Item* named(TableReader& from, std::string_view key, std::string_view what, const std::vector<Item>& items,
                    bool required = true) {
    Placed<std::string> name;
    from.text(key, name, {.required = required ? fmt::format("Write {} = \"...\", the name of a {}.", key, what) : ""});
    if (!from.given(key) || !from.sound({key})) return nullptr;
    const auto found = std::ranges::find(items, name.value, &Item::name);
    if (found != items.end()) return &*found;
    std::vector<std::string> known;
    known.reserve(items.size());
    for (const Item& item : items) known.push_back(item.name);
    from.mistake(key, fmt::format("There is no {} '{}' in this subsystem.", what, name.value),
                 known.empty() ? fmt::format("Declare it in {}.",
                                             what == "body" ? "[[subsystems.bodies]]" : "[subsystems.markers]")
                               : core::suggestion(name.value, known));
    return nullptr;
  }

  // Items

  void readBody(TableReader& item) {
    mechanics::BodySettings body;
    body.name = takeName(item, "body");
    item.real("mass", body.mass, kPositive, {.required = "Write mass = ..., in kg."});
    std::vector<double> inertia;
    item.realOrReals("inertia", inertia,
                     {.required = isPlanar() ? "Write inertia = ..., in kg m2, about the centre of mass."
                                             : "Write inertia = [..., ..., ...], in kg m2, about the body's axes."});
    if (item.sound({"inertia"})) {
      if (inertia.size() != (isPlanar() ? 1U : 3U))
        wrongSize(item, "inertia", inertia.size(), isPlanar() ? "Give one number." : "Give [Jx, Jy, Jz].");
      else
        for (std::size_t axis = 0; axis < 3; ++axis) body.inertia.at(axis) = inertia[isPlanar() ? 0 : axis];
      requireRange(item, "inertia", kPositive, inertia);
    }
    vector(item, "position", body.position);
    vector(item, "velocity", body.velocity);
    item.realOrReals("rotation", body.rotation);
    const std::size_t parameters = mechanics::parameterCount(settings_.rotation);
    if (item.given("rotation") && item.sound({"rotation"}) && body.rotation.size() != parameters)
      wrongSize(item, "rotation", body.rotation.size(),
                fmt::format("The rotation '{}' has {}.", mechanics::word(settings_.rotation), parameters));
    spin(item, "angular_velocity", body.angularVelocity);
    if (!body.name.empty()) settings_.bodies.push_back(std::move(body));
  }

  void readPlace(TableReader& item, mechanics::Place& place) {
    vector(item, "at", place.at);
    vector(item, "axis", place.axis, Use::direction);
    vector(item, "cross", place.cross, Use::direction);
  }

  void readMarker(TableReader& item) {
    MarkerSettings marker;
    marker.name = item.title();
    const bool isNew = registerName(item, {item.title(), item.place()}, "marker");
    const mechanics::BodySettings* const body = named(item, "body", "body", settings_.bodies);
    readPlace(item, marker.place);
    item.flag("loads", marker.loads);
    if (body != nullptr) marker.body = body->name;
    // Kept in any case: who names it has made no mistake.
    if (isNew) settings_.markers.push_back(std::move(marker));
  }

  /// Whether exactly one of "second" and "ground" is given.
  static bool hasSecondEnd(TableReader& item, std::string_view ground) {
    if (item.given("second") != item.given("ground")) return true;
    const bool both = item.given("second");
    item.mistake(both ? "ground" : "second",
                 both ? "'second' and 'ground' exclude each other." : "The second end is missing.",
                 both ? "Remove one of them."
                      : fmt::format("Write second = \"...\", a marker, or {}, a place of the ground.", ground));
    return false;
  }

  void readSpring(TableReader& item) {
    mechanics::PointSpring spring;
    spring.name = takeName(item, "spring");
    if (const MarkerSettings* const first = named(item, "first", "marker", settings_.markers))
      spring.first = first->name;
    const MarkerSettings* const second = named(item, "second", "marker", settings_.markers, false);
    if (second != nullptr) spring.second = second->name;
    vector(item, "ground", spring.ground);
    hasSecondEnd(item, "ground = [..., ...]");
    perComponent(item, "stiffness", spring.stiffness);
    perComponent(item, "damping", spring.damping);
    settings_.springs.push_back(std::move(spring));
  }

  void readTorsionSpring(TableReader& item) {
    mechanics::TorsionSpring spring;
    spring.name = takeName(item, "torsion spring");
    if (const auto* const first = named(item, "first", "body", settings_.bodies)) spring.first = first->name;
    if (const auto* const second = named(item, "second", "body", settings_.bodies, false)) spring.second = second->name;
    item.real("stiffness", spring.stiffness, kNotNegative);
    item.real("damping", spring.damping, kNotNegative);
    item.real("relaxed", spring.relaxed);
    if (!isPlanar())
      item.mistake("name", "A torsion spring turns about one axis, the bodies turn in space.",
                   "Torsion springs belong to rotation = \"planar\".");
    settings_.torsionSprings.push_back(std::move(spring));
  }

  void readForce(TableReader& item) {
    mechanics::AppliedForce force;
    force.name = takeName(item, "force");
    if (const MarkerSettings* const marker = named(item, "marker", "marker", settings_.markers))
      force.marker = marker->name;
    vector(item, "force", force.force);
    vector(item, "force_rate", force.forceRate);
    spin(item, "moment", force.moment);
    spin(item, "moment_rate", force.momentRate);
    settings_.forces.push_back(std::move(force));
  }

  void readJoint(TableReader& item) {
    static const auto kJointWords = wordsOf(mechanics::kJointKinds);
    static const auto kAlignmentWords = wordsOf(mechanics::kAlignments);
    mechanics::InternalJoint joint;
    joint.name = takeName(item, "joint");
    item.word("joint", joint.joint.kind, kJointWords, {.required = "Write joint = \"revolute\" or another kind."});
    item.word("alignment", joint.joint.alignment, kAlignmentWords);
    const MarkerSettings* const first = named(item, "first", "marker", settings_.markers);
    const MarkerSettings* const second = named(item, "second", "marker", settings_.markers, false);
    TableReader ground = item.table("ground");
    readPlace(ground, joint.joint.second);
    ground.finish();
    if (first != nullptr) joint.first = first->body, joint.joint.first = first->place;
    if (second != nullptr) joint.second = second->body, joint.joint.second = second->place;
    if (hasSecondEnd(item, "ground = {at = [..., ...]}") && !joint.first.empty() && joint.first == joint.second)
      item.mistake("second", fmt::format("The joint '{}' connects the body '{}' with itself.", joint.name, joint.first),
                   "Name markers on two bodies.");
    if (knowsSizes() && item.sound({"joint", "alignment", "first", "second", "ground"})) checkEquations(item, joint);
    settings_.joints.push_back(std::move(joint));
  }

  void checkEquations(TableReader& item, const mechanics::InternalJoint& internal) {
    mechanics::Joint joint = internal.joint;
    joint.firstRotation = joint.secondRotation = settings_.rotation;
    try {
      mechanics::rows(joint);
    } catch (const core::InputError& refusal) {
      for (const core::Problem& problem : refusal.problems())
        item.mistake("joint", fmt::format("The joint '{}': {}", internal.name, problem.message), problem.remedy);
    }
  }

  TableReader& table_;
  mechanics::MultibodySettings settings_;
  std::map<std::string, core::Place> names_;
};

}  // namespace

mechanics::MultibodySettings readMultibody(TableReader& table) {
  return MultibodyReader(table).read();
}

}  // namespace koppla::project
