#pragma once

#include <string>
#include <string_view>

namespace koppla::test {

/// A figure that a theory note demands: which requirement ("nicolai N4"), which figure of it, what is demanded.
struct Demand {
  std::string_view requirement;
  std::string_view figure;
  std::string demanded;
};

/// Fails the running test unless `holds`; where KOPPLA_LEDGER names a file, appends the figure and the verdict to it
/// for `make verification`.
void showFigure(const Demand& demand, const std::string& obtained, bool holds);

/// The obtained number must equal, not exceed, or lie within a distance of the demanded one.
void showEqual(const Demand& demand, double obtained, double expected);
void showAtMost(const Demand& demand, double obtained, double limit);
void showWithin(const Demand& demand, double obtained, double expected, double distance);

}  // namespace koppla::test
