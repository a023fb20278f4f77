#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "koppla/coupling/acceleration.hpp"
#include "koppla/solver/equations.hpp"

namespace koppla::study {

/// A loop of two static programs with one value each: x = first(y), y = second(x). The result y of the second one has
/// a start value, that of the first one has none.
struct CalibrationModel {
  /// Makes equations with one input, one output and no states. Each call makes new ones: those of formulas may be used
  /// by one thread only.
  using Program = std::function<std::unique_ptr<solver::Equations>()>;

  std::string name;
  Program first;
  Program second;
  double start = 0.0;
};

/// The models of Jung (2013), sec. 5.2, by their names: "lin 6.5" is one, "lin" all of that name in his study. Nothing
/// for a name that there is not.
std::optional<std::vector<CalibrationModel>> namedModels(std::string_view name);
/// "lin", "A", "B", "B480", "FSI-v", "FSI-h".
std::vector<std::string> modelFamilies();
/// The 25 models of Jung's study: lin, A, B, FSI-v, FSI-h.
std::vector<CalibrationModel> jungModels();

/// How a loop is iterated: both programs once in each iteration, the second one with what the first has just given
/// (Gauss-Seidel), until |y_raw - y_sent| <= rtol |y_raw|.
struct LoopIteration {
  std::optional<coupling::AdaptiveParameters> relaxation{};   ///< absent: results are passed on as they are
  coupling::Accelerated values = coupling::Accelerated::cut;  ///< which results are relaxed: y, or x and y
  double rtol = 1e-3;
  unsigned most = 2000;  ///< iterations; what a run without convergence counts as
};

/// The programs of a model, for one thread.
class StaticLoop {
 public:
  explicit StaticLoop(const CalibrationModel& model);

  /// How many iterations it takes, `most` where it does not converge or becomes infinite.
  [[nodiscard]] unsigned iterations(const LoopIteration& how) const;

 private:
  std::unique_ptr<solver::Equations> first_;
  std::unique_ptr<solver::Equations> second_;
  double start_;
};

}  // namespace koppla::study
