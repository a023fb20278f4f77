#pragma once

#include <cstddef>
#include <cstdint>

#include "koppla/subsystem/subsystem.hpp"

namespace koppla::fmi {

/// What an archive may cost before it is refused as hostile or broken.
struct ArchiveLimits {
  std::uint64_t totalBytes = std::uint64_t{1} << 30U;  ///< all entries together, unpacked
  std::uint64_t entries = 100'000;
  /// Unpacked bytes per byte of the archive. Deflate reaches 1032 on zeros; below `ratioFloor` bytes nobody is harmed
  /// by that.
  double ratio = 100.0;
  std::uint64_t ratioFloor = std::uint64_t{64} << 20U;
};

/// The limits above; where the environment holds KOPPLA_UNPACK_LIMIT (bytes, or with K, M, G: '8G'), that is the limit
/// of the total, and no ratio is too large. Throws core::InputError where it holds something else.
ArchiveLimits archiveLimits();

/// All that can be chosen when an FMU is opened and instantiated.
struct Options {
  ArchiveLimits archive = archiveLimits();
  /// A model description that breaks a rule of the standard is refused rather than read with a warning.
  bool strict = false;
  /// Asks the FMU to log its own doings (loggingOn); its messages of status 'ok' then have severity info, not debug.
  bool logging = false;
  /// Highest order of input derivatives that an instance is given, however high it takes them.
  unsigned inputDerivatives = subsystem::kMaxDegree;
  /// fmi2DoStep is told the step that is meant, such as 0.01, not the difference of its communication points,
  /// 0.009999999999999998.
  bool nominalStepSize = true;
  /// Lines of one severity that an instance may write to the log; further ones are counted only.
  std::size_t logLines = 1000;
};

}  // namespace koppla::fmi
