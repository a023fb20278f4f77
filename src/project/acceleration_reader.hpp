#pragma once

#include <vector>

#include "koppla/project/table_reader.hpp"

namespace koppla::project {

/// Reads [acceleration]. `kindIsSound`: the algorithm is what the file says, so that options which it does not use are
/// mistakes.
void readAcceleration(TableReader& table, coupling::AlgorithmSettings& settings, bool kindIsSound);

/// Reads `factors`, those of single outputs, when [acceleration] has been read; returns where each is written.
std::vector<core::Place> readFieldFactors(TableReader& table, coupling::AlgorithmSettings& settings, bool kindIsSound);

/// Reads `margin`, the distance that factors of adaptive relaxation keep from their limits.
void readMargin(TableReader& table, double& margin, const Rule& rule = {});

/// Reads the tables [[convergence]].
void readConvergence(std::vector<TableReader>& tables, coupling::AlgorithmSettings& settings, bool kindIsSound);

/// A test with both tolerances zero can never be passed.
void checkTolerances(TableReader& table, const core::Tolerance& tolerance);
/// Nor can one with a relative tolerance of zero where residuals are compared with the first one.
void checkFirstResidual(TableReader& table, const coupling::AlgorithmSettings& algorithm, double rtol);

}  // namespace koppla::project
