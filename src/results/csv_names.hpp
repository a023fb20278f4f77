#pragma once

namespace koppla::results {

// Endings of the files of a record, in the folder of its run.
inline constexpr char kComplete[] = ".csv";
inline constexpr char kPartial[] = ".partial.csv";
inline constexpr char kUnits[] = ".units.csv";

}  // namespace koppla::results
