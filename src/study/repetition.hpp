#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "koppla/project/project.hpp"
#include "koppla/study/certificate.hpp"
#include "koppla/study/children.hpp"

namespace koppla::study {

/// What came of a run that was repeated with shorter steps: its values at the rows of the run.
struct Repetition {
  std::string failure;  ///< why there are none; empty if there are
  std::uint64_t acceptedSteps = 0;
  run::OrderRange order{};
  LeftOpen leftOpen{};  ///< by iterations of the run itself
  double seconds = 0.0;
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;  ///< by name

  /// Absent where it does not know the variable, which none but a broken FMU makes happen.
  [[nodiscard]] const std::vector<double>* columnOf(const std::string& name) const;
};

/// The settings in use with steps of a part of the length. Where errors choose the steps it is their tolerance that is
/// divided, by divisor^(degree + 1), so that steps become about so much shorter, and with it that of an iteration
/// inside and the limits of steps. All else stays as it is.
run::Settings refined(run::Settings settings, unsigned divisor);

/// In a child process: repeats a run and packs what came of it. Programs work below `folder`; below temporary ones
/// where it is empty. Throws core::FileError where the system fails, as on a full disk.
std::string repeat(project::Project plan, unsigned divisor, const std::vector<double>& times,
                   const std::filesystem::path& folder);

/// In its parent. Throws core::FileError where the child did.
Repetition receivedRepetition(const ChildResult& result);

}  // namespace koppla::study
