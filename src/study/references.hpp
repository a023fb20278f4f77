#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "koppla/study/reference.hpp"
#include "koppla/study/row.hpp"
#include "koppla/study/study.hpp"

namespace koppla::study {

struct PreparedReference {
  std::shared_ptr<const Reference> reference;
  double ownError = kNone;  ///< its difference to the check run, by the measure of the study; NaN if nobody checked
};

/// The references of a study, one for each point of followedGrid(); nothing if interrupted. Reference runs go to child
/// processes, so many at once. Throws core::InputError where one cannot be had.
std::optional<std::vector<PreparedReference>> prepareReferences(const Study& study, unsigned jobs,
                                                                const std::function<bool()>& interrupted);

/// Throws core::InputError where a reference file or an exact solution cannot be had or lacks one of the measured
/// variables.
void checkReference(const Study& study, std::span<const std::string> variables);

/// Which of them the run at a point of the grid is measured against.
std::size_t referenceFor(const Study& study, std::size_t point);

}  // namespace koppla::study
