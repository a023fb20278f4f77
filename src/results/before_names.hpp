#pragma once

namespace koppla::results {

/// Between the name of a record and its ending: it is set aside while a resumed run has not come as far.
inline constexpr char kBefore[] = ".before";
/// Behind both: the project of a record that was made with other settings than the present one.
inline constexpr char kOtherProject[] = ".project.toml";

}  // namespace koppla::results
