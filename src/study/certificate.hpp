#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "koppla/results/table.hpp"
#include "koppla/run/statistics.hpp"
#include "koppla/study/row.hpp"

namespace koppla::study {

/// How far one variable of a run is off, as its runs with shorter steps tell.
struct CertifiedVariable {
  std::string name;
  std::string unit;
  double error = kNone;  ///< largest estimated one, in its unit; NaN where no run is there to tell
  double when = kNone;   ///< s, where that is
  double range = 0.0;    ///< of its values in the run
  double order = kNone;  ///< observed; NaN where the runs differ by rounding only
  std::string doubt;     ///< why the error is not certified; empty if it is

  [[nodiscard]] bool isCertified() const { return doubt.empty(); }
  /// No step has changed it.
  [[nodiscard]] bool isAlike() const { return isCertified() && std::isnan(order); }
};

/// What the iterations of a run may leave open of a value, and the option that says so; nothing where none iterates.
struct LeftOpen {
  double rtol = 0.0;
  double atol = 0.0;
  std::string option{};

  [[nodiscard]] double of(double size) const { return rtol * size + atol; }
};

struct Certificate {
  run::OrderRange nominal{};
  std::array<double, 3> meanSteps{kNone, kNone, kNone};  ///< s, of the run and of its repetitions
  double seconds = 0.0;                                  ///< of the repetitions, one after the other
  std::vector<CertifiedVariable> variables;
  std::string failure;  ///< why nothing is certified: a repetition that came to no end; empty if all did

  [[nodiscard]] std::size_t certified() const;
  [[nodiscard]] bool isWhole() const { return failure.empty() && certified() == variables.size(); }
};

/// "1", or "2 or 3".
std::string ordersOf(run::OrderRange nominal);

/// What an observed order may be away from a nominal one.
inline constexpr double kOrderMargin = 0.3;

/// The order q with which errors C h^q explain the distances between runs of steps h1 > h2 > h3:
///
///     |y1 - y2| / |y2 - y3| = (h1^q - h2^q) / (h2^q - h3^q)
///
/// which for halved steps is 2^q.
double observedOrder(double ratioOfDistances, const std::array<double, 3>& steps);

/// Richardson's estimate for one variable: with the observed order q the error of the first run is
///
///     y1 - y = (y1 - y3) / (1 - (h3 / h1)^q)
///
/// The order comes from root mean squares over all instants, the error is the largest at one of them.
CertifiedVariable certify(const results::Series& series, const std::vector<double>& times,
                          const std::array<const std::vector<double>*, 3>& values, const std::array<double, 3>& steps,
                          run::OrderRange nominal, const LeftOpen& open);

/// A variable that no halving of the step has changed, beside its values with a third of the step: where these are
/// others, something happens between the ends of steps, in time with them.
void doubt(CertifiedVariable& variable, const std::vector<double>& times, const std::vector<double>& values,
           const std::vector<double>& third);

/// For people, the largest in relation to its range first, at most `rows` of them; and as JSON for programs.
std::string certificateText(const Certificate& certificate, std::size_t rows = 40);
std::string certificateJson(const Certificate& certificate);

}  // namespace koppla::study
