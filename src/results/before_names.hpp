#pragma once

namespace koppla::results {

/// Between the name of a record and its ending: it is set aside while a resumed run has not come as far.
inline constexpr char kBefore[] = ".before";

}  // namespace koppla::results
