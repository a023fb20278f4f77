#pragma once

#include <array>
#include <cstdint>

#include "koppla/project/table_reader.hpp"

namespace koppla::study {

enum class StudyKind : std::uint8_t {
  errors,      ///< errors of runs over varied settings
  calibration  ///< parameters of adaptive relaxation
};

inline StudyKind readKind(project::TableReader& head) {
  constexpr std::array kWords{project::Word{"errors", StudyKind::errors},
                              project::Word{"calibration", StudyKind::calibration}};
  StudyKind kind = StudyKind::errors;
  head.word("kind", kind, kWords);
  return kind;
}

}  // namespace koppla::study
