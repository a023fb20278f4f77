#pragma once

namespace koppla::results {

// The files of a recorded run, in its folder.
inline constexpr char kCompleteFile[] = "results.csv";
inline constexpr char kPartialFile[] = "results.partial.csv";
inline constexpr char kUnitsFile[] = "results.units.csv";

}  // namespace koppla::results
