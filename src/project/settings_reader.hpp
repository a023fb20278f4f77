#pragma once

#include "koppla/project/table_reader.hpp"

namespace koppla::project {

/// The tables that make up the settings of a run.
struct SettingsTables {
  TableReader& simulation;
  TableReader& algorithm;
  TableReader& stepControl;
};

/// Reads times, algorithm and step control. Defaults are those of the settings themselves.
run::Settings readSettings(SettingsTables tables);

}  // namespace koppla::project
