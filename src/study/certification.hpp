#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "koppla/project/project.hpp"
#include "koppla/results/table.hpp"
#include "koppla/study/certificate.hpp"

namespace koppla::study {

/// How often a run is repeated to certify it: with half and a quarter of the step. Where that changes nothing about a
/// variable, a third part is tried as well.
inline constexpr unsigned kRepetitions = 2;

/// Throws core::InputError where there is no macro step to halve.
void requireCertifiable(const project::Project& plan);

/// A run that is to be certified.
struct RunToCertify {
  const project::Project& plan;
  const results::Table& table;
  std::uint64_t acceptedSteps;
  /// Where programs of repetitions work; it goes, unless one of them fails. Empty: below temporary ones.
  std::filesystem::path folder{};
};

struct Certifying {
  unsigned jobs = 1;  ///< repetitions at once
  std::function<bool()> interrupted = [] { return false; };
  /// How many repetitions are done, of how many.
  std::function<void(unsigned, unsigned)> progress = [](unsigned, unsigned) {};
};

/// Repeats the run in child processes and compares at its rows. Nothing if interrupted. Throws core::FileError where
/// the system fails, as on a full disk.
std::optional<Certificate> certify(const RunToCertify& run, const Certifying& how);

}  // namespace koppla::study
