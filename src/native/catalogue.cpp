#include "koppla/native/catalogue.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/suggest.hpp"
#include "koppla/native/exhaust_tract.hpp"
#include "koppla/native/foam_column.hpp"
#include "koppla/native/heat_exchanger.hpp"
#include "koppla/native/hinged_plate.hpp"
#include "koppla/native/journal_bearing.hpp"
#include "koppla/native/linked_body.hpp"
#include "koppla/native/nonlinear_oscillator.hpp"
#include "koppla/native/oscillator_body.hpp"
#include "koppla/native/oscillator_with_link.hpp"
#include "koppla/native/radiating_wall.hpp"
#include "koppla/native/rod.hpp"
#include "koppla/native/rotor.hpp"
#include "koppla/native/tube_flow.hpp"
#include "koppla/native/tube_wall.hpp"
#include "koppla/native/two_mass_oscillator.hpp"

namespace koppla::native {

namespace {

std::unique_ptr<solver::Equations> makeBody(const Choices& choices) {
  return oscillatorBody({.acceleration = std::get<bool>(choices.at("acceleration")),
                         .projection = std::get<bool>(choices.at("projection"))});
}

std::unique_ptr<solver::Equations> makeBodyWithLink(const Choices& choices) {
  return oscillatorWithLink({.nodeInertia = std::get<bool>(choices.at("node_inertia"))});
}

std::unique_ptr<solver::Equations> makeLinkedBody(const Choices& /*choices*/) {
  return linkedBody();
}

std::unique_ptr<solver::Equations> makeTwoMassOscillator(const Choices& /*choices*/) {
  return twoMassOscillator();
}

std::unique_ptr<solver::Equations> makeRod(const Choices& choices) {
  Rod settings;
  settings.elements = std::get<std::int32_t>(choices.at("elements"));
  settings.boundary =
      std::get<std::string>(choices.at("boundary")) == "penalty" ? RodBoundary::penalty : RodBoundary::prescribed;
  settings.nodeInertia = std::get<bool>(choices.at("node_inertia"));
  return rod(std::move(settings));
}

std::unique_ptr<solver::Equations> makeFoamColumn(const Choices& choices) {
  return foamColumn({.elements = std::get<std::int32_t>(choices.at("elements"))});
}

std::unique_ptr<subsystem::Subsystem> makeTubeFlow(const Choices& choices) {
  return tubeFlow({.nodes = std::get<std::int32_t>(choices.at("nodes"))});
}

std::unique_ptr<solver::Equations> makeTubeWall(const Choices& choices) {
  return tubeWall({.nodes = std::get<std::int32_t>(choices.at("nodes"))});
}

std::unique_ptr<solver::Equations> makeWallConduction(const Choices& /*choices*/) {
  return wallConduction();
}

const std::map<std::string, Emissivity> kEmissivities{
    {"constant", Emissivity::constant}, {"a", Emissivity::a}, {"b", Emissivity::b}, {"b480", Emissivity::b480}};

std::unique_ptr<solver::Equations> makeRadiatingFace(const Choices& choices) {
  return radiatingFace({.emissivity = kEmissivities.at(std::get<std::string>(choices.at("emissivity")))});
}

std::unique_ptr<solver::Equations> makePlateFlow(const Choices& choices) {
  const bool vertical = std::get<std::string>(choices.at("rest")) == "vertical";
  return plateFlow({.rest = vertical ? PlateRest::vertical : PlateRest::horizontal});
}

std::unique_ptr<solver::Equations> makeHingedPlate(const Choices& /*choices*/) {
  return hingedPlate();
}

std::unique_ptr<solver::Equations> makeHeatExchangerFlow(const Choices& choices) {
  return heatExchangerFlow({.geometry = {.axialCells = std::get<std::int32_t>(choices.at("axial_cells"))},
                            .radialCells = std::get<std::int32_t>(choices.at("radial_cells"))});
}

std::unique_ptr<solver::Equations> makeHeatExchangerWalls(const Choices& choices) {
  return heatExchangerWalls({.geometry = {.axialCells = std::get<std::int32_t>(choices.at("axial_cells"))}});
}

std::unique_ptr<solver::Equations> makeExhaustStructure(const Choices& /*choices*/) {
  return exhaustStructure();
}

std::unique_ptr<solver::Equations> makeExhaustRotors(const Choices& /*choices*/) {
  return exhaustRotors();
}

std::unique_ptr<solver::Equations> makeNonlinearOscillator(const Choices& /*choices*/) {
  return nonlinearOscillator();
}

std::unique_ptr<solver::Equations> makeHardeningSpring(const Choices& /*choices*/) {
  return hardeningSpring();
}

std::unique_ptr<solver::Equations> makeRotor(const Choices& /*choices*/) {
  return rotor();
}

std::unique_ptr<solver::Equations> makeJournalBearing(const Choices& choices) {
  const bool isShort = std::get<std::string>(choices.at("solution")) == "short";
  return journalBearing({.solution = isShort ? FilmSolution::shortBearing : FilmSolution::finiteElements,
                         .elementsTheta = std::get<std::int32_t>(choices.at("elements_theta")),
                         .elementsZ = std::get<std::int32_t>(choices.at("elements_z"))});
}

template <typename Items, typename Name>
std::vector<std::string> namesOf(const Items& items, Name name) {
  std::vector<std::string> names;
  std::ranges::transform(items, std::back_inserter(names), [name](const auto& item) { return item.*name; });
  return names;
}

core::Type typeOf(const core::Value& value) {
  constexpr std::array kTypes{core::Type::real, core::Type::integer, core::Type::boolean, core::Type::string};
  return kTypes.at(value.index());
}

void check(const BuiltInModel& model, const std::string& name, const core::Value& value) {
  const auto choice = std::ranges::find(model.choices, name, &Choice::name);
  if (choice == model.choices.end())
    throw core::InputError(fmt::format("{} has no choice '{}'.", model.word, name),
                           core::suggestion(name, namesOf(model.choices, &Choice::name)));
  if (value.index() != choice->standard.index())
    throw core::InputError(fmt::format("{}: the choice '{}' is {}.", model.word, name, core::text(value)),
                           fmt::format("It is of type {}.", core::word(typeOf(choice->standard))));
  const std::string* const word = std::get_if<std::string>(&value);
  if (word != nullptr && std::ranges::find(choice->words, *word) == choice->words.end())
    throw core::InputError(fmt::format("{}: the choice '{}' is '{}'.", model.word, name, *word),
                           core::suggestion(*word, choice->words));
}

const BuiltInModel& modelNamed(std::string_view word) {
  if (const BuiltInModel* const model = findBuiltIn(word)) return *model;
  throw core::InputError(fmt::format("There is no built-in model '{}'.", word),
                         core::suggestion(word, namesOf(builtInModels(), &BuiltInModel::word)));
}

/// With the defaults of the choices that are not given.
Choices completed(const BuiltInModel& model, const Choices& choices) {
  for (const auto& [name, value] : choices) check(model, name, value);
  Choices complete = choices;
  for (const Choice& choice : model.choices) complete.emplace(choice.name, choice.standard);
  return complete;
}

}  // namespace

std::span<const BuiltInModel> builtInModels() {
  static const std::vector<BuiltInModel> models{
      {"oscillator-body",
       "a mass on a spring and damper to the ground, driven by a force",
       {{"acceleration", false, "an output a as well, with feed-through of the force", {}},
        {"projection", false, "an input w as well, which moves the body without being its velocity", {}}},
       makeBody},
      {"oscillator-with-link",
       "a mass on a spring and damper that owns the link to its partner: motion in, force out",
       {{"node_inertia", false, "a mass at the partner's end of the link; needs its acceleration", {}}},
       makeBodyWithLink},
      {"linked-body", "a mass that knows the link to its partner and takes its motion", {}, makeLinkedBody},
      {"two-mass-oscillator", "both masses and their link under one solver", {}, makeTwoMassOscillator},
      {"rod",
       "an elastic rod of finite elements, coupled at one end: motion in, force out",
       {{"elements", 2, "number of elements", {}},
        {"boundary", std::string("prescribed"), "how the coupled end follows", {"prescribed", "penalty"}},
        {"node_inertia", false, "the inertia of the coupled node in the force; needs its acceleration", {}}},
       makeRod},
      {"foam-column",
       "a column of foam in finite elements that a body pushes: motion in, contact force out",
       {{"elements", 6, "number of elements", {}}},
       makeFoamColumn},
      {"tube-flow",
       "the flow in an elastic tube: area in, pressure and velocity out; brings its own solver",
       {{"nodes", 101, "number of nodes", {}}},
       makeTubeFlow},
      {"tube-wall",
       "the wall of an elastic tube, without inertia: pressure in, area out",
       {{"nodes", 101, "number of nodes", {}}},
       makeTubeWall},
      {"wall-conduction", "a wall that conducts heat: flux in, temperature out", {}, makeWallConduction},
      {"radiating-face",
       "a face that radiates: temperature in, flux out",
       {{"emissivity", std::string("constant"), "how it depends on the temperature", {"constant", "a", "b", "b480"}}},
       makeRadiatingFace},
      {"plate-flow",
       "a stream against a hinged plate: angle in, moment out",
       {{"rest", std::string("vertical"), "how the plate stands without a stream", {"vertical", "horizontal"}}},
       makePlateFlow},
      {"hinged-plate", "a plate on a torsion spring: moment in, angle out", {}, makeHingedPlate},
      {"heat-exchanger-flow",
       "both streams of a counter-flow heat exchanger: wall temperatures in, temperatures next to the walls out",
       {{"axial_cells", 70, "number of cells along the axis", {}},
        {"radial_cells", 12, "number of rings in each stream", {}}},
       makeHeatExchangerFlow},
      {"heat-exchanger-walls",
       "tube and shell of that exchanger: temperatures next to the walls in, wall temperatures out",
       {{"axial_cells", 70, "number of cells along the axis", {}}},
       makeHeatExchangerWalls},
      {"exhaust-structure",
       "an exhaust tract over 100 frequencies: moments of its turbochargers in, rotations out",
       {},
       makeExhaustStructure},
      {"exhaust-rotors",
       "the rotors of its turbochargers: rotations in, gyroscopic moments out",
       {},
       makeExhaustRotors},
      {"nonlinear-oscillator", "a mass on a stiffening spring, driven by a force", {}, makeNonlinearOscillator},
      {"hardening-spring", "a spring whose force grows exponentially: motion in, force out", {}, makeHardeningSpring},
      {"rotor", "an unbalanced rotor in a journal bearing: film force in, motion out", {}, makeRotor},
      {"journal-bearing",
       "the oil film of a journal bearing: motion in, film force out",
       {{"solution", std::string("finite-elements"), "of Reynolds' equation", {"finite-elements", "short"}},
        {"elements_theta", kElementsTheta, "finite elements around the circumference, even", {}},
        {"elements_z", kElementsZ, "finite elements across the width, even", {}}},
       makeJournalBearing}};
  return models;
}

const BuiltInModel* findBuiltIn(std::string_view word) {
  const std::span<const BuiltInModel> models = builtInModels();
  const auto model = std::ranges::find(models, word, &BuiltInModel::word);
  return model == models.end() ? nullptr : &*model;
}

std::unique_ptr<solver::Equations> makeBuiltIn(std::string_view word, const Choices& choices) {
  const BuiltInModel& model = modelNamed(word);
  const Choices complete = completed(model, choices);
  if (model.bringsSolver())
    throw core::InputError(fmt::format("{} brings its own solver.", word), "It has no equations to integrate.");
  return std::get<0>(model.make)(complete);
}

std::unique_ptr<subsystem::Subsystem> makeBuiltInSolver(std::string_view word, const Choices& choices) {
  const BuiltInModel& model = modelNamed(word);
  const Choices complete = completed(model, choices);
  if (!model.bringsSolver())
    throw core::InputError(fmt::format("{} brings no solver of its own.", word), "Integrate its equations.");
  return std::get<1>(model.make)(complete);
}

}  // namespace koppla::native
