#include "koppla/project/proposal.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "koppla/project/reader.hpp"
#include "koppla/project/toml_text.hpp"
#include "koppla/project/words.hpp"

namespace koppla::project {

namespace {

using subsystem::Causality;
using subsystem::Port;

std::string real(double value) {
  return tomlValue(core::Value(value));
}

template <typename T, std::size_t N>
std::string choice(const std::array<Word<T>, N>& words, T value) {
  return tomlString(wordFor(words, value));
}

template <typename T, std::size_t N>
std::string others(const std::array<Word<T>, N>& words, T value) {
  std::vector<std::string> result = texts(words);
  std::erase(result, std::string(wordFor(words, value)));
  return fmt::format("{}", fmt::join(result, ", "));
}

/// A model's own name made fit for "name.port", and different from all names before.
std::string instanceName(std::string_view model, std::set<std::string>& taken) {
  std::string base(model.substr(model.find_last_of('.') + 1));
  std::ranges::replace_if(
      base,
      [](char c) {
        return static_cast<unsigned char>(c) <= ' ' ||
               std::string_view("\"'\\=*?\x7f").find(c) != std::string_view::npos;
      },
      '_');
  if (base.empty()) base = "subsystem";
  std::string name = base;
  for (int number = 2; !taken.insert(name).second; ++number) name = base + std::to_string(number);
  return name;
}

struct Times {
  double start = 0.0;
  double end = 10.0;
  double step = 0.0;
  std::string_view endSource = "a guess";
  std::string_view stepSource = "a guess";
};

/// The longest run and the shortest step that the models suggest, where these make sense together.
Times proposedTimes(std::span<const Candidate> candidates) {
  std::optional<double> start;
  std::optional<double> end;
  std::optional<double> step;
  const auto better = [](std::optional<double>& best, std::optional<double> offer, auto less) {
    if (offer && std::isfinite(*offer) && (!best || less(*offer, *best))) best = offer;
  };
  for (const Candidate& candidate : candidates) {
    better(start, candidate.start, std::less<>());
    better(end, candidate.end, std::greater<>());
    if (candidate.step && *candidate.step > 0.0) better(step, candidate.step, std::less<>());
  }
  Times times;
  times.start = start.value_or(0.0);
  const bool suggested = end && *end > times.start;
  times.end = suggested ? *end : times.start + times.end;
  if (suggested) times.endSource = "as the models suggest";
  const double interval = times.end - times.start;
  const bool fits = step && *step <= interval;
  times.step = fits ? *step : interval / 100.0;
  if (fits) times.stepSource = "as the models suggest";
  return times;
}

std::string simulation(const Times& times) {
  const run::Settings preset;
  return fmt::format(R"([simulation]
start = {start}  # s
end = {end}  # s, {endSource}
step = {step}  # s, the macro step: values are exchanged this often; {stepSource}
# threads = 0  # for subsystems that run at the same time; 0: as many as pay
# explosion_limit = {limit}  # a coupled value beyond this stops the run
# on_instability = {onInstability}  # when values grow because of the coupling; also: {otherOnInstability}
# on_discard = {onDiscard}  # when a subsystem refuses a step; also: {otherOnDiscard}
# initialisation = {initialisation}  # of algebraic loops at the start; also: {otherInitialisation}

)",
                     fmt::arg("start", real(times.start)), fmt::arg("end", real(times.end)),
                     fmt::arg("endSource", times.endSource), fmt::arg("step", real(times.step)),
                     fmt::arg("stepSource", times.stepSource), fmt::arg("limit", real(preset.explosionLimit)),
                     fmt::arg("initialisation", choice(kInitialisationWords, preset.algorithm.initialisation)),
                     fmt::arg("otherInitialisation", others(kInitialisationWords, preset.algorithm.initialisation)),
                     fmt::arg("onInstability", choice(kOnInstabilityWords, preset.onInstability)),
                     fmt::arg("otherOnInstability", others(kOnInstabilityWords, preset.onInstability)),
                     fmt::arg("onDiscard", choice(kOnDiscardWords, preset.onDiscard)),
                     fmt::arg("otherOnDiscard", others(kOnDiscardWords, preset.onDiscard)));
}

std::string algorithm(const std::vector<std::string>& names) {
  const coupling::AlgorithmSettings preset;
  const coupling::SemiImplicitSettings& semi = preset.semiImplicit;
  std::vector<std::string> quoted;
  quoted.reserve(names.size());
  for (const std::string& name : names) quoted.push_back(tomlString(name));
  return fmt::format(
      R"([algorithm]
kind = {kind}  # also: {otherKinds}
# degree = {degree}  # of the polynomials that inputs are between communication points, 0 to 5
# samples = {samples}  # of polynomials of degree > 0; also: {otherSamples}
# start_up = {startUp}  # for degree > 0; also: {otherStartUp}
# reevaluate = false  # outputs with feed-through once more at the end of a step
# master = {master}  # kind "master-slave": who chooses the steps
# For algorithms that iterate:
# max_iterations = {maxIterations}
# rtol = {rtol}
# atol = 1e-06  # without it, every value has one by its size
# norm = {norm}  # also: {otherNorms}
# convergence = {convergence}  # what must be within the tolerances; also: {otherConvergence}
# relative_to = {relativeTo}  # what residuals must be small beside; also: {otherRelativeTo}
# discrete = {discrete}  # integers, booleans and strings must agree; also: {otherDiscrete}
# without_convergence = {without}  # also: {otherWithout}
# waveform = {waveform}  # samples inside a macro step, for degree > 0
# predictor = 2  # degree of the first guess, 0 to 5; without it, the one that has predicted best
# explosion_growth = {growth}  # a field so many times as large as ever before has exploded; 0: never
# For semi-implicit:
# sensitivities = {sensitivities}  # also: {otherSensitivities}
# increment = 1e-05  # of an input in differences, relative; without it, it follows the corrections
# increments = {{ "*.force" = 1e-03 }}  # of inputs that take these outputs
# final_update = {finalUpdate}  # coupling variables once more from corrected states
# iterate = {iterate}  # more than one correction
# relaxation = {relaxation}  # above 0, at most 1
# relaxed = {relaxed}  # also: {otherRelaxed}
# For algorithms in which the order of evaluation matters; without it, it follows from the connections:
# order = [{order}]

)",
      fmt::arg("waveform", preset.waveform), fmt::arg("growth", real(preset.explosionGrowth)),
      fmt::arg("kind", choice(kAlgorithmWords, preset.kind)),
      fmt::arg("otherKinds", others(kAlgorithmWords, preset.kind)),
      fmt::arg("samples", choice(kSamplesWords, preset.samples)),
      fmt::arg("otherSamples", others(kSamplesWords, preset.samples)), fmt::arg("degree", preset.degree),
      fmt::arg("startUp", choice(kStartUpWords, preset.startUp)),
      fmt::arg("otherStartUp", others(kStartUpWords, preset.startUp)),
      fmt::arg("master", quoted.empty() ? tomlString("name") : quoted.front()),
      fmt::arg("maxIterations", preset.maxIterations), fmt::arg("rtol", real(preset.rtol)),
      fmt::arg("norm", choice(kNormWords, preset.norm)), fmt::arg("otherNorms", others(kNormWords, preset.norm)),
      fmt::arg("convergence", choice(kConvergenceWords, preset.test)),
      fmt::arg("otherConvergence", others(kConvergenceWords, preset.test)),
      fmt::arg("relativeTo", choice(kRelativeToWords, preset.relativeTo)),
      fmt::arg("otherRelativeTo", others(kRelativeToWords, preset.relativeTo)),
      fmt::arg("discrete", choice(kDiscreteWords, preset.discrete)),
      fmt::arg("otherDiscrete", others(kDiscreteWords, preset.discrete)),
      fmt::arg("without", choice(kWithoutConvergenceWords, preset.withoutConvergence)),
      fmt::arg("otherWithout", others(kWithoutConvergenceWords, preset.withoutConvergence)),
      fmt::arg("sensitivities", choice(kSensitivityWords, semi.sensitivities)),
      fmt::arg("otherSensitivities", others(kSensitivityWords, semi.sensitivities)),
      fmt::arg("finalUpdate", semi.finalUpdate), fmt::arg("iterate", semi.iterate),
      fmt::arg("relaxation", real(semi.relaxation)), fmt::arg("relaxed", choice(kRelaxedWords, semi.relaxed)),
      fmt::arg("otherRelaxed", others(kRelaxedWords, semi.relaxed)), fmt::arg("order", fmt::join(quoted, ", ")));
}

std::string acceleration() {
  const coupling::AccelerationSettings preset;
  const coupling::AdaptiveParameters& adaptive = preset.adaptive;
  return fmt::format(
      R"toml([acceleration]
# For iterated-gauss-seidel and iterated-jacobi; the default needs no settings:
# kind = {kind}  # also: {otherKinds}
# factor = {factor}  # relaxation, 0 to 2; of quasi-Newton methods the first one
# factors = {{"subsystem.port" = {factor}}}  # of single outputs, kind "constant"
# values = {values}  # that are relaxed; also: {otherValues}
# Kind "adaptive", one of Jung's sets or its parameters:
# set = "L/NL(1,a)"
# influence = {influence}
# lower = {lower}
# upper = {upper}
# gain = {gain}
# slope = {slope}
# mass = {mass}
# margin = {margin}
# Quasi-Newton methods:
# reused_steps = {reused}  # macro steps whose differences are kept
# columns = {columns}  # most differences in use
# filter = {filter}  # also: {otherFilters}
# filter_limit = {limit}
# scaling = {scaling}  # of unlike fields; also: {otherScalings}

)toml",
      fmt::arg("kind", choice(kAcceleratorWords, preset.kind)),
      fmt::arg("otherKinds", others(kAcceleratorWords, preset.kind)), fmt::arg("factor", real(preset.factor)),
      fmt::arg("values", choice(kAcceleratedWords, preset.values)),
      fmt::arg("otherValues", others(kAcceleratedWords, preset.values)),
      fmt::arg("influence", real(adaptive.influence)), fmt::arg("lower", real(adaptive.lower)),
      fmt::arg("upper", real(adaptive.upper)), fmt::arg("gain", real(adaptive.gain)),
      fmt::arg("slope", real(adaptive.slope)), fmt::arg("mass", real(adaptive.mass)),
      fmt::arg("margin", real(adaptive.margin)), fmt::arg("reused", preset.reusedSteps),
      fmt::arg("columns", preset.columns), fmt::arg("filter", choice(kFilterWords, preset.filter)),
      fmt::arg("otherFilters", others(kFilterWords, preset.filter)), fmt::arg("limit", real(preset.filterLimit)),
      fmt::arg("scaling", choice(kScalingWords, preset.scaling)),
      fmt::arg("otherScalings", others(kScalingWords, preset.scaling)));
}

std::string stepControl(const Times& times) {
  const stepping::StepControlSettings preset;
  return fmt::format(R"([step_control]
kind = {}  # also: {}
# For control that adapts the step (subsystems must be able to restore their states, but for "predictor-corrector"):
# estimate = {}  # kinds "double-step" and "predictor-corrector"; also: {}
# min_step = {}  # s
# max_step = {}  # s
# untested_below = {}  # s; such short steps are accepted without test, to get across jumps
# shrink = {}  # kind "convergence": divisor of the step after a failure
# grow = {}  # largest factor from one step to the next
# rtol = {}  # kinds "double-step" and "predictor-corrector"; without it that of [algorithm]
# atol = 1e-06  # the same
# controller = {}  # kind "predictor-corrector"; also: {}
# safety = {}  # kinds "double-step" and "predictor-corrector": part of the step that would just do

)",
                     choice(kStepControlWords, preset.kind), others(kStepControlWords, preset.kind),
                     choice(kEstimateWords, preset.estimate), others(kEstimateWords, preset.estimate),
                     real(times.step / 1e4), real(times.step), real(preset.untestedBelow), real(preset.shrink),
                     real(preset.grow), real(preset.rtol), choice(kControllerWords, preset.controller),
                     others(kControllerWords, preset.controller), real(preset.safety));
}

std::string parameterLines(const subsystem::Description& description) {
  constexpr std::size_t kShown = 10;
  std::string text;
  std::size_t count = 0;
  for (const Port& port : description.ports) {
    if (port.causality != Causality::parameter || !port.settable || !port.start) continue;
    if (++count > kShown) continue;
    text += fmt::format("# {} = {}", tomlKey(port.name), tomlValue(*port.start));
    if (!port.unit.empty()) text += tomlComment("  # " + port.unit);
    text += "\n";
  }
  if (count > kShown) text += fmt::format("# ... and {} more\n", count - kShown);
  return text.empty() ? text : "[subsystems.parameters]\n" + text;
}

struct Named {
  std::string subsystem;
  const Port* port;

  [[nodiscard]] std::string name() const { return subsystem + "." + port->name; }
};

/// Outputs of other subsystems that an input could be meant for.
std::vector<Named> sources(const std::multimap<std::string, Named>& outputs, const Named& input) {
  std::vector<Named> result;
  const auto [first, last] = outputs.equal_range(input.port->name);
  for (auto it = first; it != last; ++it) {
    const Named& output = it->second;
    if (output.subsystem != input.subsystem && output.port->type == input.port->type &&
        output.port->size == input.port->size)
      result.push_back(output);
  }
  return result;
}

std::string connections(std::span<const Candidate> candidates, const std::vector<std::string>& names) {
  std::multimap<std::string, Named> outputs;
  std::vector<Named> inputs;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    for (const Port& port : candidates[i].description.ports) {
      if (port.causality == Causality::output) outputs.emplace(port.name, Named{names[i], &port});
      if (port.causality == Causality::input) inputs.push_back({names[i], &port});
    }
  std::string text = "# An output feeds any number of inputs: input = scale * output + offset.\n";
  std::string open;
  for (const Named& input : inputs) {
    const std::vector<Named> found = sources(outputs, input);
    if (found.size() == 1) {
      text += fmt::format("[[connections]]\nfrom = {}\nto = {}\n\n", tomlString(found.front().name()),
                          tomlString(input.name()));
      continue;
    }
    open += tomlComment(fmt::format("#   {} ({})", input.name(), word(input.port->type)));
    for (std::size_t i = 0; i < found.size(); ++i)
      open += tomlComment((i == 0 ? ": could be fed by " : ", ") + found[i].name());
    open += "\n";
  }
  if (!open.empty()) text += "# Inputs that are not connected keep their start values:\n" + open + "\n";
  return text;
}

}  // namespace

std::string proposalFor(std::span<const Candidate> candidates) {
  const Times times = proposedTimes(candidates);
  std::string text =
      fmt::format("# A Koppla project. Take a '#' away to make use of an option.\nformat = {}\n\n", kFormat);
  std::set<std::string> taken(kSections.begin(), kSections.end());  // so that --set can tell them apart
  std::vector<std::string> names;
  for (const Candidate& candidate : candidates) names.push_back(instanceName(candidate.description.model, taken));
  text += simulation(times) + algorithm(names) + acceleration() + stepControl(times);
  for (std::size_t i = 0; i < candidates.size(); ++i)
    text += fmt::format(
        "[[subsystems]]\nname = {}\nfmu = {}\n# micro_step = {}  # s, steps of its own inside a macro step\n{}\n",
        tomlString(names[i]), tomlString(candidates[i].path), real(times.step / 10.0),
        parameterLines(candidates[i].description));
  text += connections(candidates, names);
  text +=
      "[results]\n# folder = \"results\"  # beside this file; without it, the name of this file with .run\n"
      "# interval = 0.0  # s between recorded rows; 0: every communication point\n"
      "# format = \"csv\"  # or \"hdf5\", which suits long vectors, or both: [\"csv\", \"hdf5\"]\n"
      "# variables = [\"*\"]  # patterns of \"subsystem.port\"; without it all outputs are recorded\n"
      "# iterations = []  # history of iterations: patterns of exchanged outputs whose values are recorded too\n\n"
      "# What must have settled; without groups all values that a cycle exchanges, by the tolerances of [algorithm]:\n"
      "# [[convergence]]\n# name = \"pressure\"\n# variables = [\"subsystem.port\"]\n# rtol = 1e-5\n# atol = 1e-6\n"
      "# norm = \"rms\"\n";
  return text;
}

}  // namespace koppla::project
