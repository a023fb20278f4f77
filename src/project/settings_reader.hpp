#pragma once

#include "koppla/project/table_reader.hpp"

namespace koppla::project {

/// The tables that make up the settings of a run.
struct SettingsTables {
  TableReader& simulation;
  TableReader& algorithm;
  TableReader& stepControl;
  TableReader& acceleration;
  std::vector<TableReader>& convergence;
  bool hasInside = false;  ///< some subsystem is inside another
};

/// Reads times, algorithm, step control, acceleration and convergence. Defaults are those of the settings themselves.
run::Settings readSettings(const SettingsTables& tables);
/// 'increments' of [algorithm], once the settings are read; the places of its names.
std::vector<core::Place> readIncrements(TableReader& table, coupling::AlgorithmSettings& settings);

}  // namespace koppla::project
