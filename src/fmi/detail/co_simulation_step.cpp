// Steps of an FMU: the usual one, what else may be asked of it, and how it ends.

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "koppla/fmi/detail/co_simulation.hpp"

namespace koppla::fmi::detail {

using subsystem::PortIndex;
using subsystem::Status;
using subsystem::StepResult;

std::string atTime(double t) {
  return fmt::format("(t = {} s)", core::text(t));
}

Answer CoSimulation::setInputs(const double* u) {
  subsystem::callUnderWay.instance = &instance_.name();
  Answer answer;
  if (inputCount_ != 0) answer = {setReal_(component_, inputs_, inputCount_, u), "fmi2SetReal"};
  if (answer.bad()) return answer;
  return worse(answer, discreteInputs_.set(component_, instance_.functions()));
}

Answer CoSimulation::completeInputs(const subsystem::Step& step, subsystem::Trajectory u, const Answer& values) {
  if (values.bad() || inputCount_ == 0 || (u.degree == 0 && !derivativesAreSet_)) return values;
  return worse(values, setInputDerivatives(step, u));
}

/// With s = (t - t0) / h the derivative of order k at t0 is k! c_k / h^k. Derivatives stay until they are set anew, so
/// those of a lower degree are followed by zeros.
inline Answer CoSimulation::setInputDerivatives(const subsystem::Step& step, subsystem::Trajectory u) {
  static constexpr std::array<double, subsystem::kMaxDegree + 1> kNumbers{1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
  const std::uint32_t n = inputCount_;
  const std::size_t count = static_cast<std::size_t>(std::max<std::uint32_t>(derivativesAreSet_, u.degree)) * n;
  std::array<double, 32> few;  // NOLINT(cppcoreguidelines-pro-type-member-init): written below
  double* const values = count <= few.size() ? few.data() : manyDerivatives_.data();
  double* value = values;
  const double* c = u.coefficients + n;
  const double perStep = step.perSecond != 0.0 ? step.perSecond : 1.0 / (step.t1 - step.t0);
  double factor = perStep;
  for (std::uint32_t k = 1; k <= u.degree; ++k) {
    *value++ = factor * *c++;  // there is an input, often just one
    for (std::uint32_t i = 1; i < n; ++i) *value++ = factor * *c++;
    factor *= perStep * kNumbers[k];
  }
  if (derivativesAreSet_ != u.degree) [[unlikely]] {
    std::fill(value, values + count, 0.0);
    derivativesAreSet_ = static_cast<std::uint8_t>(u.degree);
    simple_ = plain_ && nominal_ && u.degree == 0;
  }
  return {setRealInputDerivatives_.amongOthers(component_, derivativeReferences_, count, derivativeOrders_, values),
          "fmi2SetRealInputDerivatives"};
}

Answer CoSimulation::getOutputs(double* y) {
  subsystem::callUnderWay.instance = &instance_.name();
  Answer answer;
  if (outputCount_ != 0) answer = {getReal_(component_, outputs_, outputCount_, y), "fmi2GetReal"};
  if (answer.bad()) return answer;
  if (outputDerivatives_) {
    // There is none before the first step (FMI 2.0.4, 4.2.4).
    std::fill_n(y + outputCount_, outputCount_, std::numeric_limits<double>::quiet_NaN());
    if (stepped_)
      answer = {instance_.functions().getRealOutputDerivatives(component_, outputs_, outputCount_, outputOrders_,
                                                               y + outputCount_),
                "fmi2GetRealOutputDerivatives"};
    if (answer.bad()) return answer;
  }
  return worse(answer, discreteOutputs_.get(component_, instance_.functions()));
}

StepResult CoSimulation::advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) {
  // The usual way is straight, without a jump.
  if (!simple_ || u.degree != 0) [[unlikely]]
    return advanceOtherwise(step, u, y.data());
  if (!step.final)
    if (step.returnsBefore || endsEarly(step)) [[unlikely]]
      return advanceOtherwise(step, u, y.data());
  subsystem::callUnderWay.instance = &instance_.name();
  // What is not simply ok leaves through finish(), so that the usual way stays short.
  if (inputCount_ != 0) [[likely]]
    if (const fmi2::Status status = setReal_.amongOthers(component_, inputs_, inputCount_, u.coefficients);
        status != fmi2::Status::ok) [[unlikely]]
      return finish(step, y.data(), Stage::set, {status, "fmi2SetReal"});
  if (const fmi2::Status status = doStep_.amongOthers(component_, step.t0, step.length, fmi2::kTrue);
      status != fmi2::Status::ok) [[unlikely]]
    return finish(step, y.data(), Stage::step, {status, "fmi2DoStep"});
  if (outputCount_ != 0) [[likely]]
    if (const fmi2::Status status = getReal_.amongOthers(component_, outputs_, outputCount_, y.data());
        status != fmi2::Status::ok) [[unlikely]]
      return finish(step, y.data(), Stage::get, {status, "fmi2GetReal"});
  return stepped(step);
}

StepResult CoSimulation::advanceOtherwise(const subsystem::Step& step, subsystem::Trajectory u, double* y) {
  return plain_ && (u.degree == 0 || takesDerivatives_) && !step.returnsBefore && !isToTry(step)
             ? advancePlainly(step, u, y)
             : advanceAllTypes(step, u, y);
}

StepResult CoSimulation::advancePlainly(const subsystem::Step& step, subsystem::Trajectory u, double* y) {
  subsystem::callUnderWay.instance = &instance_.name();
  if (inputCount_ != 0) {
    if (const fmi2::Status status = setReal_.amongOthers(component_, inputs_, inputCount_, u.coefficients);
        status != fmi2::Status::ok) [[unlikely]]
      return finish(step, y, Stage::set, completeInputs(step, u, {status, "fmi2SetReal"}));
    if (u.degree != 0 || derivativesAreSet_ != 0)
      if (const Answer answer = setInputDerivatives(step, u); answer.status != fmi2::Status::ok) [[unlikely]]
        return finish(step, y, Stage::set, answer);
  }
  if (const fmi2::Status status = doStep(step, false); status != fmi2::Status::ok) [[unlikely]]
    return finish(step, y, Stage::step, {status, "fmi2DoStep"});
  if (outputCount_ != 0)
    if (const fmi2::Status status = getReal_.amongOthers(component_, outputs_, outputCount_, y);
        status != fmi2::Status::ok) [[unlikely]]
      return finish(step, y, Stage::get, {status, "fmi2GetReal"});
  return stepped(step);
}

StepResult CoSimulation::advanceAllTypes(const subsystem::Step& given, subsystem::Trajectory u, double* y) {
  if (instance_.phase() != Phase::stepping)
    return {instance_.fail("A step was asked for before initialisation or after the end."), given.t0};
  if (asksToEnd_) return {Status::discard, given.t0};
  subsystem::Step step = given;
  const bool onlyValues = u.degree > 0 && !takesDerivatives_;
  const bool tries = onlyValues && ends_.any() && !ends_.areHeld();
  // A state is restored that nobody outside knows of.
  if (tries) step.final = false;
  if (step.returnsBefore && !watch_) watch_ = std::make_unique<ReturnWatch>(trials_, experiment_->end);
  if (watch_)
    if (const Status status = watch_->arrive(step); status >= Status::discard) return {settled(status), step.t0};
  ends_.forget();
  if (tries)
    if (const Answer tried = tryEnds(step, u); tried.bad())
      return std::string_view(tried.call) == "fmi2DoStep" ? finish(step, y, Stage::step, tried)
                                                          : refused(step, tried, step.t0);
  if (onlyValues) u = {ends_.areHeld() ? ends_.ends(u) : ends_.means(u), u.count, 0};
  const Answer set = completeInputs(step, u, setInputs(u.coefficients));
  if (set.bad()) return finish(step, y, Stage::set, set);
  if (watch_)
    if (const Status status = watch_->depart(step, lengthFor(step)); status >= Status::discard)
      return {settled(status), step.t0};
  if (isToTry(step)) return tryToReach(step, y, set);
  if (check_.isDueAt(step.t0) && !step.final && !step.returnsBefore) return advanceTwice(step, y, set);
  settled(Status::ok);
  return finish(step, y, Stage::set, set);
}

Answer CoSimulation::tryEnds(const subsystem::Step& step, subsystem::Trajectory u) {
  if (const Answer saved = stateCall(instance_.save(kTrialBegin), "fmi2GetFMUstate"); saved.bad()) return saved;
  check_.relied();
  if (ends_.isNew(u)) {
    if (const Answer compared = lookForMemory(step, u); compared.bad()) return compared;
    if (ends_.areHeld()) return {};
  }
  if (!std::exchange(triesEnds_, true))
    instance_.log().write(
        core::Severity::info,
        fmt::format("It takes values of inputs only, and {} may depend on them at the same instant: each step is "
                    "computed twice, first with the inputs of its end, from which these outputs are taken, and then "
                    "with their means.",
                    fmt::join(endOutputNames(), ", ")));
  Answer answer = setInputs(ends_.ends(u));
  if (!answer.bad()) answer = worse(answer, trials_.doStep(step.t0, lengthFor(step), step.returnsBefore));
  if (!answer.bad()) answer = worse(answer, ends_.read());
  // Where it asks to end or goes no further it has to be asked for more.
  if (answer.bad()) return answer;
  return worse(answer, stateCall(instance_.restore(kTrialBegin), "fmi2SetFMUstate"));
}

Answer CoSimulation::stateCall(Status status, const char* call) {
  if (status < Status::discard) return {};
  return {status == Status::fatal ? fmi2::Status::fatal : fmi2::Status::error, call};
}

std::vector<std::string> CoSimulation::endOutputNames() const {
  std::vector<std::string> names;
  for (const PortIndex port : ends_.ports()) names.push_back(describe().ports[port].name);
  return names;
}

/// From the state that is saved, to which it returns. Steps that do not succeed are left to those that count.
Answer CoSimulation::lookForMemory(const subsystem::Step& step, subsystem::Trajectory u) {
  EndOutputs::Answers whole, half;
  bool complete = true;
  for (const auto& [answers, length] : {std::pair(&whole, lengthFor(step)), std::pair(&half, 0.5 * lengthFor(step))}) {
    if (answers == &half && !describe().capabilities.variableStep) complete = false;
    for (const bool end : {true, false}) {
      if (!complete) break;
      Answer answer = setInputs(end ? ends_.ends(u) : ends_.means(u));
      if (!answer.bad()) answer = worse(answer, trials_.doStep(step.t0, length, step.returnsBefore));
      if (!answer.bad()) answer = worse(answer, ends_.read(end ? answers->ends : answers->means));
      if (answer.status == fmi2::Status::fatal) return answer;
      complete = !answer.bad();
      if (const Answer back = stateCall(instance_.restore(kTrialBegin), "fmi2SetFMUstate"); back.bad()) return back;
    }
  }
  if (complete && !EndOutputs::remembers(whole, half)) return {};
  ends_.hold();
  instance_.log().write(
      core::Severity::warning,
      fmt::format("It takes values of inputs only, and {}: it is given those of the end of each step. What it "
                  "integrates follows its inputs to first order only; choose algorithm.degree = 0, or a shorter step.",
                  complete ? fmt::format("{} answer the more to a change of them the shorter the step is, as if it "
                                         "compared them with earlier ones",
                                         fmt::join(endOutputNames(), ", "))
                           : "whether it remembers earlier ones cannot be found out, since it takes no shorter steps"));
  return {};
}

/// Some FMUs take no step but of the size they were made for.
StepResult CoSimulation::tryToReach(const subsystem::Step& step, double* y, const Answer& set) {
  if (const Status status = instance_.save(kCheckedBegin); status >= Status::discard) return {settled(status), step.t0};
  const Answer longer = trials_.doStep(step.t0, reaching(step), step.returnsBefore);
  untried_ = false;
  if (!longer.bad() || longer.status == fmi2::Status::fatal) return finish(step, y, Stage::step, worse(set, longer));
  if (const Status status = instance_.restore(kCheckedBegin); status >= Status::discard)
    return {settled(status), step.t0};
  const Answer meant = trials_.doStep(step.t0, step.length, step.returnsBefore);
  untried_ = meant.bad();  // it may have had another reason
  reaches_ = untried_;
  // Its clock will stand before the next step's beginning.
  if (!reaches_) check_.insist(step.t1);
  settled(Status::ok);
  return finish(step, y, Stage::step, worse(set, meant));
}

StepResult CoSimulation::advanceTwice(const subsystem::Step& step, double* y, const Answer& set) {
  const RestoreCheck::Result result = check_.take(step.t0, lengthFor(step));
  settled(Status::ok);
  if (result.failed) return {*result.failed, step.t0};
  return finish(step, y, Stage::step, worse(set, result.step));
}

StepResult CoSimulation::finish(const subsystem::Step& step, double* y, Stage done, Answer answer) {
  Answer worst = answer;
  core::ForkMark::endIfForked();
  subsystem::callUnderWay.function = nullptr;
  if (done == Stage::set) {
    if (answer.bad()) return refused(step, answer, step.t0);
    answer = {doStep(step, step.returnsBefore), "fmi2DoStep"};
    core::ForkMark::endIfForked();
    subsystem::callUnderWay.function = nullptr;
    done = Stage::step;
  }
  if (done == Stage::step) {
    if (answer.bad()) return notStepped(step, y, answer.status);
    stepped_ = true;
    if (answer.status > worst.status) worst = answer;
    answer = getOutputs(y);
  }
  if (answer.bad()) return refused(step, answer, step.t1);
  if (triesEnds_) ends_.replaceBound(y);
  if (answer.status > worst.status) worst = answer;
  keepFloats();
  if (worst.status == fmi2::Status::ok) return {Status::ok, step.t1};
  return warned(step, worst);
}

StepResult CoSimulation::warned(const subsystem::Step& step, const Answer& answer) {
  return {instance_.note(answer, atTime(step.t0)), step.t1};
}

StepResult CoSimulation::refused(const subsystem::Step& step, const Answer& answer, double reached) {
  const Status status = settled(instance_.note(answer, atTime(reached)));
  if (std::string_view(answer.call) == "fmi2SetRealInputDerivatives")
    instance_.addToFailure(" It may take lower orders only: give its input_derivatives, or a lower algorithm.degree.");
  return {status, status == Status::discard ? reached : step.t0};
}

StepResult CoSimulation::notStepped(const subsystem::Step& step, double* y, fmi2::Status status) {
  const Functions& f = instance_.functions();
  const std::string arguments = fmt::format("(t = {} s, h = {} s)", core::text(step.t0), core::text(lengthFor(step)));
  const Status result = settled(instance_.note({status, "fmi2DoStep"}, arguments));
  if (status == fmi2::Status::pending) {
    if (f.cancelStep != nullptr) f.cancelStep(component_);
    instance_.addToFailure(
        " It computes steps asynchronously, which it was not asked to do and Koppla does not support.");
  }
  if (result != Status::discard) return {result, step.t0};

  double reached = step.t0;
  if (f.getRealStatus != nullptr &&
      f.getRealStatus(component_, fmi2::StatusKind::lastSuccessfulTime, &reached) != fmi2::Status::ok)
    reached = step.t0;
  reached = reached > step.t0 ? std::min(reached, step.t1) : step.t0;  // written so that a NaN becomes t0
  fmi2::Boolean over = fmi2::kFalse;
  if (f.getBooleanStatus != nullptr &&
      f.getBooleanStatus(component_, fmi2::StatusKind::terminated, &over) == fmi2::Status::ok && over != fmi2::kFalse)
    return ended(step, y, reached);
  return {result, reached};
}

/// Values of an FMU that asks to end hold where it stopped (FMI 2.0.4, 4.2.4).
StepResult CoSimulation::ended(const subsystem::Step& step, double* y, double reached) {
  instance_.addToFailure(" It asks to end the simulation.");
  stepped_ = true;
  asksToEnd_ = true;
  if (experiment_->ending != nullptr) experiment_->ending->store(true);
  if (const Answer answer = getOutputs(y); answer.bad()) return refused(step, answer, reached);
  constexpr double kTie = 1e-9;  // of the step: the FMU has its own rounding of times
  const bool complete = reached >= step.t1 - kTie * (step.t1 - step.t0);
  return {settled(complete ? Status::ok : Status::discard), complete ? step.t1 : reached};
}

}  // namespace koppla::fmi::detail
