#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "koppla/project/project.hpp"
#include "koppla/results/table.hpp"
#include "koppla/study/certificate.hpp"

namespace koppla::study {

/// How often a run is repeated to certify it, each time with half the step.
inline constexpr unsigned kRepetitions = 2;

/// Throws core::InputError where there is no macro step to halve.
void requireCertifiable(const project::Project& plan);

/// The settings in use with steps of 1/2 or 1/4 the length (level 1 or 2). Where errors choose the steps it is their
/// tolerance that is divided, by 2^(degree + 1) a level, so that steps become about half as long, and with it that of
/// an iteration inside and the limits of steps. All else stays as it is.
run::Settings refined(run::Settings settings, unsigned level);

/// A run that is to be certified.
struct RunToCertify {
  const project::Project& plan;
  const results::Table& table;
  std::uint64_t acceptedSteps;
};

/// Repeats the run in child processes, so many at once, and compares at its rows. Nothing if interrupted. Throws
/// core::FileError where the system fails, as on a full disk.
std::optional<Certificate> certify(const RunToCertify& run, unsigned jobs, const std::function<bool()>& interrupted);

}  // namespace koppla::study
