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
/// for `make verification`, and when the test ends how it ended: a figure of a test that fails elsewhere, is skipped or
/// dies proves nothing. Only inside a test.
void showFigure(const Demand& demand, const std::string& obtained, bool holds);

/// The obtained number must equal, not exceed, or lie within a distance of the demanded one.
void showEqual(const Demand& demand, double obtained, double expected);
void showAtMost(const Demand& demand, double obtained, double limit);
void showWithin(const Demand& demand, double obtained, double expected, double distance);

/// Reports what was obtained where the demand is known not to be met; the requirement's list tells why. The test does
/// not fail by it.
void showUnmet(const Demand& demand, const std::string& obtained);

}  // namespace koppla::test
