#pragma once

#include <span>
#include <string>
#include <vector>

#include "koppla/study/fits.hpp"
#include "koppla/study/row.hpp"
#include "koppla/study/study.hpp"

namespace koppla::study {

/// One line per run in the order of the grid: varied values, status, errors, steps, times, message. Numbers read back
/// to the same doubles; what a run does not have is an empty field.
std::string studyCsv(const Study& study, std::span<const std::string> variables, std::span<const Row> rows);

/// One line per fitted series.
std::string fitsCsv(const Study& study, std::span<const Fit> fits);

/// For people: errors over the fitted setting with a column per series and the slopes below, or a list of the runs.
/// Unstable runs are "--", errors that are limited by the reference stand in parentheses.
std::string studyText(const Study& study, std::span<const Row> rows, std::span<const Fit> fits);

}  // namespace koppla::study
