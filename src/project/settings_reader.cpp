#include "koppla/project/settings_reader.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "koppla/core/value.hpp"
#include "koppla/coupling/predictor.hpp"
#include "koppla/project/acceleration_reader.hpp"
#include "koppla/run/preparation.hpp"
#include "koppla/subsystem/subsystem.hpp"

namespace koppla::project {

namespace {

using coupling::AlgorithmSettings;
using stepping::StepControlSettings;

constexpr unsigned kMostSamples = 1000;
constexpr unsigned kMostPredictor = coupling::Predictor::kHighest;

std::string seconds(double value) {
  return core::text(value) + " s";
}

/// The step must fit into the run and be more than rounding at its times; that also bounds the number of steps.
void checkStep(TableReader& table, const run::Settings& settings) {
  const double interval = settings.end - settings.start;
  if (settings.step > interval) {
    table.mistake(
        "step",
        fmt::format("The step, {}, is longer than the whole run, {}.", seconds(settings.step), seconds(interval)),
        "Choose a shorter step or a later end.");
    return;
  }
  const double latest = std::fmax(std::fabs(settings.start), std::fabs(settings.end));
  const double resolution = 4.0 * std::numeric_limits<double>::epsilon() * latest;
  if (settings.step < resolution || !std::isfinite(interval))
    table.mistake("step",
                  fmt::format("The step, {}, is lost in the rounding of times as large as {}.", seconds(settings.step),
                              seconds(latest)),
                  fmt::format("Choose a step of {} or more, or times nearer to 0.", seconds(resolution)));
}

void readSimulation(TableReader& table, run::Settings& settings, bool hasInside) {
  table.real("start", settings.start);
  table.real("end", settings.end, {}, {.required = "Write end = 10.0 for a run until 10 s."});
  // A master chooses its steps itself; for it this is only the longest one.
  const bool mayBeMissing = settings.algorithm.kind == AlgorithmKind::masterSlave;
  table.real("step", settings.step, kPositive,
             {.required = mayBeMissing ? "" : "Write step = 0.1 for a macro step of 0.1 s."});
  table.real("explosion_limit", settings.explosionLimit, kPositive);
  table.word("on_instability", settings.onInstability, kOnInstabilityWords);
  table.word("on_discard", settings.onDiscard, kOnDiscardWords);
  table.word("initialisation", settings.algorithm.initialisation, kInitialisationWords);
  const bool parallel = settings.algorithm.form() == coupling::Form::parallel ||
                        settings.algorithm.kind == AlgorithmKind::modelCoupling ||
                        hasInside;  // probes of static subsystems
  table.count("threads", settings.threads, 0,
              {.idle = parallel ? ""
                                : fmt::format("the algorithm '{}' steps one subsystem after the other",
                                              wordFor(kAlgorithmWords, settings.algorithm.kind))});

  if (!table.sound({"start", "end"})) return;
  if (settings.end <= settings.start) {
    table.mistake(
        "end", fmt::format("The end, {}, is not after the start, {}.", seconds(settings.end), seconds(settings.start)),
        "Choose a later end.");
    return;
  }
  if (!table.given("step") && mayBeMissing) settings.step = settings.end - settings.start;
  if (table.sound({"step"})) checkStep(table, settings);
}

void readApproximation(TableReader& table, AlgorithmSettings& settings, const StepControlSettings& stepControl) {
  table.count("degree", settings.degree, 0, {}, subsystem::kMaxDegree);
  const bool holds = run::highestDegree(settings, stepControl) == 0 && table.sound({"degree"});
  table.word("samples", settings.samples, kSamplesWords,
             {.idle = holds ? "polynomials of degree 0 go through one value" : ""});
  if (settings.samples == Samples::valuesAndSlopes && settings.iterates())
    table.mistake("samples",
                  fmt::format("Slopes are for explicit algorithms; '{}' iterates and sends values only.",
                              wordFor(kAlgorithmWords, settings.kind)),
                  "Choose jacobi, gauss-seidel or master-slave, or samples = \"values\".");
  table.word("start_up", settings.startUp, kStartUpWords,
             {.idle = holds ? "polynomials of degree 0 need no past" : ""});
  table.flag("reevaluate", settings.reevaluate);
}

Rule ruleOfSemiImplicit(const TableReader& table, const AlgorithmSettings& settings) {
  const bool used = settings.kind == AlgorithmKind::semiImplicit || !table.sound({"kind"});
  return {.idle = used ? "" : "it belongs to the algorithm 'semi-implicit'"};
}

Rule ruleOfProbes(const TableReader& table, const AlgorithmSettings& settings) {
  Rule rule = ruleOfSemiImplicit(table, settings);
  if (rule.idle.empty() && settings.semiImplicit.sensitivities != SensitivityKind::differences)
    rule.idle = "formulas probe nothing";
  return rule;
}

void readSemiImplicit(TableReader& table, AlgorithmSettings& settings) {
  coupling::SemiImplicitSettings& own = settings.semiImplicit;
  const Rule rule = ruleOfSemiImplicit(table, settings);
  table.word("sensitivities", own.sensitivities, kSensitivityWords, rule);
  const Rule probing = ruleOfProbes(table, settings);
  table.optionalReal("increment", own.increment, kPositive, probing);
  table.word("probes", own.probes, kProbesWords, probing);
  table.flag("final_update", own.finalUpdate, rule);
  table.flag("iterate", own.iterate, rule);
  table.real("relaxation", own.relaxation, kPositive, rule);
  if (table.sound({"relaxation"}) && own.relaxation > 1.0)
    table.mistake("relaxation", fmt::format("'relaxation' is {}; it must be at most 1.", core::text(own.relaxation)),
                  "1 takes the corrected values as they are, 0.9 is usual with degree = 1.");
  table.word("relaxed", own.relaxed, kRelaxedWords, rule);
}

}  // namespace

std::vector<core::Place> readIncrements(TableReader& table, AlgorithmSettings& settings) {
  coupling::SemiImplicitSettings& own = settings.semiImplicit;
  std::vector<core::Place> places;
  for (const auto& [variables, increment] : table.namedReals("increments", ruleOfProbes(table, settings))) {
    if (!(increment > 0.0))
      table.mistake("increments", fmt::format("The increment of '{}' is {}; it must be positive.", variables.value,
                                              core::text(increment)));
    own.increments.push_back({.variables = variables.value, .number = increment});
    places.push_back(variables.place);
  }
  return places;
}

namespace {

void readAlgorithm(TableReader& table, AlgorithmSettings& settings, const StepControlSettings& stepControl) {
  const bool mayIterate = settings.iterates() || !table.sound({"kind"});  // a mistyped kind may be meant to
  const Rule iterating{
      .idle = mayIterate ? ""
                         : fmt::format("the algorithm '{}' does not iterate", wordFor(kAlgorithmWords, settings.kind))};
  // Step control by an error takes the same tolerances unless told otherwise, and Nicolai's estimate the norm.
  const bool measures = stepControl.kind == StepControlKind::doubleStep && stepControl.estimate == Estimate::nicolai;
  const Rule measuring = measures ? Rule{} : iterating;
  const Rule tolerated = stepControl.estimatesError() ? Rule{} : iterating;
  const bool fixedPoint = !settings.solvesLinearised() || !table.sound({"kind"});
  const Rule accelerated =
      !mayIterate || fixedPoint
          ? iterating
          : Rule{.idle = fmt::format("the algorithm '{}' does not use it", wordFor(kAlgorithmWords, settings.kind))};
  readSemiImplicit(table, settings);
  const bool once = settings.kind == AlgorithmKind::semiImplicit && !settings.semiImplicit.iterate;
  table.count("max_iterations", settings.maxIterations, 1,
              once ? Rule{.idle = "one correction is made without 'iterate'"} : iterating);
  table.real("rtol", settings.rtol, kNotNegative, tolerated);
  table.optionalReal("atol", settings.atol, kNotNegative, tolerated);
  table.word("norm", settings.norm, kNormWords, measuring);
  const bool corrects = settings.kind == AlgorithmKind::semiImplicit;  // and knows by its matrix what is left
  const Rule tested = corrects ? Rule{.idle = "the algorithm 'semi-implicit' tests its corrections"} : iterating;
  table.word("convergence", settings.test, kConvergenceWords, tested);
  table.word("relative_to", settings.relativeTo, kRelativeToWords, tested);
  table.word("discrete", settings.discrete, kDiscreteWords, measuring);
  table.word("without_convergence", settings.withoutConvergence, kWithoutConvergenceWords, iterating);
  table.real("explosion_growth", settings.explosionGrowth, kNotNegative, iterating);
  if (table.sound({"explosion_growth"}) && settings.explosionGrowth > 0.0 && settings.explosionGrowth < 10.0)
    table.mistake(
        "explosion_growth",
        fmt::format("'explosion_growth' is {}; ordinary steps grow like that.", core::text(settings.explosionGrowth)),
        "Give 10 or more, or 0 for no such test.");
  checkTolerances(table, {settings.rtol, settings.atol});
  checkFirstResidual(table, settings, settings.rtol);
  readApproximation(table, settings, stepControl);
  table.count("waveform", settings.waveform, 1, accelerated, kMostSamples);
  if (settings.waveform > 1 && settings.degree == 0 && table.sound({"waveform", "degree"}))
    table.mistake("waveform", "Samples inside the step need splines through them, but the degree is 0.",
                  "Write degree = 3 for cubic splines, or remove waveform.");
  const bool predicts = settings.kind != AlgorithmKind::semiImplicit;  // by the polynomials of the inputs
  table.optionalCount("predictor", settings.predictor, 0, predicts ? iterating : accelerated, kMostPredictor);
}

void checkStepLimits(TableReader& table, const StepControlSettings& settings, const run::Settings& run) {
  if (!table.sound({"min_step", "max_step"})) return;
  const bool limited = settings.maxStep > 0.0;
  if (limited && settings.minStep > settings.maxStep) {
    table.mistake("min_step", fmt::format("min_step, {}, is longer than max_step, {}.", seconds(settings.minStep),
                                          seconds(settings.maxStep)));
    return;
  }
  if (run.step <= 0.0) return;  // reported already
  if (limited && run.step > settings.maxStep)
    table.mistake(
        "max_step",
        fmt::format("The first step, {}, is longer than max_step, {}.", seconds(run.step), seconds(settings.maxStep)),
        "Shorten step in [simulation] or raise max_step.");
  if (run.step < settings.minStep)
    table.mistake(
        "min_step",
        fmt::format("The first step, {}, is shorter than min_step, {}.", seconds(run.step), seconds(settings.minStep)),
        "Lengthen step in [simulation] or lower min_step.");
}

/// Which control it is; the tables before it look at that.
void readKindOfStepControl(TableReader& table, StepControlSettings& settings) {
  table.word("kind", settings.kind, kStepControlWords);
  const bool known = table.sound({"kind"});
  const std::string control = fmt::format("the step control '{}'", wordFor(kStepControlWords, settings.kind));
  table.word("estimate", settings.estimate, kEstimateWords,
             {.idle = settings.estimatesError() || !known ? "" : control + " estimates no error"});
  const bool another = (settings.estimate == Estimate::nicolai && settings.kind != StepControlKind::doubleStep) ||
                       (settings.estimate == Estimate::schmoll && settings.kind != StepControlKind::predictorCorrector);
  if (another && settings.estimatesError() && table.sound({"kind", "estimate"}))
    table.mistake("estimate",
                  fmt::format("The estimate '{}' is not for {}.", wordFor(kEstimateWords, settings.estimate), control),
                  "Choose \"coupling-error\", or \"nicolai\" for \"double-step\", \"schmoll\" for "
                  "\"predictor-corrector\".");
  if (settings.kind == StepControlKind::predictorCorrector)
    settings.shrink = settings.grow = 4.0;                             // Schmoll, figs. 3.13-3.15
  if (settings.estimate == Estimate::schmoll) settings.safety = 0.95;  // sec. 2.4.2.3
}

void readStepControl(TableReader& table, StepControlSettings& settings, const run::Settings& run, bool mayIterate) {
  const std::string control = fmt::format("the step control '{}' ", wordFor(kStepControlWords, settings.kind));
  const bool mayAdapt = settings.adapts() || !table.sound({"kind"});
  const Rule adapting{.idle = mayAdapt ? "" : control + "keeps the step"};
  const auto unless = [&](bool used, std::string_view whatItDoes) {
    if (!settings.adapts() || used) return Rule(adapting);
    return Rule{.idle = control + std::string(whatItDoes)};
  };
  const bool estimates = settings.kind != StepControlKind::convergence;
  const bool steers = settings.kind == StepControlKind::predictorCorrector;
  table.real("min_step", settings.minStep, kNotNegative, adapting);
  table.real("max_step", settings.maxStep, kNotNegative, adapting);
  table.real("untested_below", settings.untestedBelow, kNotNegative, unless(!steers, "keeps what fails at min_step"));
  table.real("shrink", settings.shrink, above(1.0),
             unless(settings.kind != StepControlKind::doubleStep, "chooses the factor itself"));
  table.real("grow", settings.grow, atLeast(1.0), adapting);
  const Rule estimating = unless(estimates, "uses the tolerances of [algorithm]");
  table.real("rtol", settings.rtol, kNotNegative, estimating);
  table.optionalReal("atol", settings.atol, kNotNegative, estimating);
  table.word("controller", settings.controller, kControllerWords, unless(steers, "has a rule of its own"));
  table.real("safety", settings.safety, kPositive,
             unless(steers || settings.keepsCouplingError(), "has a rule of its own"));
  if (table.sound({"safety"}) && settings.safety > 1.0)
    table.mistake("safety", fmt::format("'safety' is {}; it must be at most 1.", core::text(settings.safety)));
  if (table.given("rtol") || table.given("atol")) checkTolerances(table, {settings.rtol, settings.atol});
  if (settings.adapts()) checkStepLimits(table, settings, run);
  if (settings.adapts() && run.algorithm.kind == AlgorithmKind::modelCoupling)
    table.mistake("kind", "Under model coupling nothing is exchanged, so a step control has nothing to look at.",
                  "Remove it; the tolerances of the integrator control the error.");
  if (settings.repeats() && run.algorithm.kind == AlgorithmKind::masterSlave)
    table.mistake(
        "kind",
        fmt::format("The step control '{}' repeats steps, but the algorithm 'master-slave' leaves them to the "
                    "master.",
                    wordFor(kStepControlWords, settings.kind)),
        "Remove kind, or choose another algorithm.");
  if (settings.kind == StepControlKind::convergence && !mayIterate)
    table.mistake("kind",
                  fmt::format("Step control by convergence needs an algorithm that iterates; '{}' does not.",
                              wordFor(kAlgorithmWords, run.algorithm.kind)),
                  "Choose an iterated algorithm, or kind = \"double-step\", \"predictor-corrector\" or \"fixed\".");
}

}  // namespace

run::Settings readSettings(const SettingsTables& tables) {
  run::Settings settings;
  tables.algorithm.word("kind", settings.algorithm.kind, kAlgorithmWords);
  readSimulation(tables.simulation, settings, tables.hasInside);
  readKindOfStepControl(tables.stepControl, settings.stepControl);
  if (tables.algorithm.given("degree")) settings.stepControl.leastDegree = 0;
  readAlgorithm(tables.algorithm, settings.algorithm, settings.stepControl);
  readAcceleration(tables.acceleration, settings.algorithm, tables.algorithm.sound({"kind"}));
  readConvergence(tables.convergence, settings.algorithm, tables.algorithm.sound({"kind"}));
  settings.stepControl.rtol = settings.algorithm.rtol;
  settings.stepControl.atol = settings.algorithm.atol;
  const bool mayIterate = settings.algorithm.iterates() || !tables.algorithm.sound({"kind"});
  readStepControl(tables.stepControl, settings.stepControl, settings, mayIterate);
  return settings;
}

}  // namespace koppla::project
