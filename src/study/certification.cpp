#include "koppla/study/certification.hpp"

#include <algorithm>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/study/children.hpp"
#include "koppla/study/repetition.hpp"

namespace koppla::study {

namespace {

using coupling::AlgorithmKind;

/// By what the steps are divided. What happens in time with halves and quarters, thirds meet at other moments.
constexpr std::array<unsigned, kRepetitions> kDivisors{2, 4};
constexpr std::array<unsigned, 1> kOutOfTime{3};

std::vector<const results::Series*> realsOf(const results::Table& table) {
  std::vector<const results::Series*> reals;
  for (const results::Series& series : table.series)
    if (series.type == core::Type::real) reals.push_back(&series);
  return reals;
}

/// Nothing if interrupted.
std::optional<std::vector<Repetition>> repetitionsOf(const RunToCertify& run, std::span<const unsigned> divisors,
                                                     const Certifying& how) {
  std::vector<Repetition> repetitions(divisors.size());
  unsigned done = 0;
  Children children;
  children.atOnce = how.jobs;
  children.interrupted = how.interrupted;
  children.work = [&](std::size_t i) {
    const std::string part = fmt::format("1-{}", divisors[i]);
    return repeat(run.plan, divisors[i], run.table.time, run.folder.empty() ? run.folder : run.folder / part);
  };
  children.finished = [&](std::size_t i, const ChildResult& result) {
    repetitions[i] = receivedRepetition(result);
    how.progress(++done, static_cast<unsigned>(divisors.size()));
  };
  how.progress(0, static_cast<unsigned>(divisors.size()));
  if (!workInChildren(divisors.size(), children)) return std::nullopt;
  return repetitions;
}

double meanStep(const results::Table& table, std::uint64_t steps) {
  const double interval = table.time.empty() ? 0.0 : table.time.back() - table.time.front();
  return interval / static_cast<double>(std::max<std::uint64_t>(1, steps));
}

/// Also into how long they took; false where one has failed.
bool takeStock(Certificate& certificate, const project::Project& plan, std::span<const Repetition> repetitions,
               std::span<const unsigned> divisors) {
  for (std::size_t i = 0; i < divisors.size(); ++i) {
    certificate.seconds += repetitions[i].seconds;
    if (!repetitions[i].failure.empty() && certificate.failure.empty())
      certificate.failure =
          fmt::format("The run with 1/{} of the {} did not complete. {}", divisors[i],
                      plan.settings.stepControl.estimatesError() ? "steps" : "step", repetitions[i].failure);
  }
  return certificate.failure.empty();
}

CertifiedVariable missing(const results::Series& series) {
  CertifiedVariable variable;
  variable.name = series.name;
  variable.unit = series.unit;
  variable.doubt =
      "it was missing when the run was repeated. Let its subsystem have the same variables each time it is opened";
  return variable;
}

Certificate judged(const RunToCertify& run, const std::vector<Repetition>& repetitions) {
  Certificate certificate;
  certificate.meanSteps[0] = meanStep(run.table, run.acceptedSteps);
  for (std::size_t i = 0; i < kRepetitions; ++i)
    certificate.meanSteps.at(i + 1) = meanStep(run.table, repetitions[i].acceptedSteps);
  if (!takeStock(certificate, run.plan, repetitions, kDivisors)) return certificate;
  certificate.nominal = repetitions.front().order;
  for (const results::Series* series : realsOf(run.table)) {
    const auto* half = repetitions[0].columnOf(series->name);
    const auto* quarter = repetitions[1].columnOf(series->name);
    certificate.variables.push_back(half == nullptr || quarter == nullptr
                                        ? missing(*series)
                                        : certify(*series, run.table.time, {&series->numbers, half, quarter},
                                                  certificate.meanSteps, certificate.nominal,
                                                  repetitions.front().leftOpen));
  }
  return certificate;
}

/// Of variables that no step changes.
void doubtAlike(Certificate& certificate, const RunToCertify& run, const std::vector<Repetition>& repetitions) {
  if (!takeStock(certificate, run.plan, repetitions, kOutOfTime)) return;
  for (CertifiedVariable& variable : certificate.variables)
    if (variable.isAlike()) {
      const auto* third = repetitions.front().columnOf(variable.name);
      const results::Series& series = *run.table.find(variable.name);
      if (third == nullptr)
        variable = missing(series);
      else
        doubt(variable, run.table.time, series.numbers, *third);
    }
}

std::optional<Certificate> certificateOf(const RunToCertify& run, const Certifying& how) {
  const auto repetitions = repetitionsOf(run, kDivisors, how);
  if (!repetitions) return std::nullopt;
  Certificate certificate = judged(run, *repetitions);
  if (std::ranges::none_of(certificate.variables, &CertifiedVariable::isAlike)) return certificate;
  const auto others = repetitionsOf(run, kOutOfTime, how);
  if (!others) return std::nullopt;
  doubtAlike(certificate, run, *others);
  return certificate;
}

}  // namespace

void requireCertifiable(const project::Project& plan) {
  const AlgorithmKind kind = plan.settings.algorithm.kind;
  if (kind != AlgorithmKind::masterSlave && kind != AlgorithmKind::modelCoupling) return;
  throw core::InputError(
      {{{plan.file.string()},
        kind == AlgorithmKind::masterSlave
            ? "A run whose macro steps are chosen by a master cannot be certified: there is no step to halve."
            : "A run in which one integrator solves all cannot be certified: no macro step makes errors.",
        "Leave --certify out and compare runs with other tolerances or micro steps of the integrator (koppla "
        "study)."}});
}

std::optional<Certificate> certify(const RunToCertify& run, const Certifying& how) {
  std::optional<Certificate> certificate = certificateOf(run, how);
  std::error_code ignored;
  // What a failure refers to stays.
  if (!certificate || certificate->failure.empty()) std::filesystem::remove_all(run.folder, ignored);
  return certificate;
}

}  // namespace koppla::study
