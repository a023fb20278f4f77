#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "koppla/fmi/detail/trial_calls.hpp"

namespace koppla::fmi::detail {

/// Some FMUs say ok to fmi2SetFMUstate and stay where they are, or go elsewhere. So before a run relies on going back,
/// and now and then later, a step is taken, gone back and taken again with the same inputs: the outputs must be the
/// same.
class RestoreCheck {
 public:
  explicit RestoreCheck(TrialCalls& calls);

  /// The outputs that others use.
  void connect(std::vector<subsystem::PortIndex> outputs);
  /// A state was saved, to which somebody may return. The evaluation (call of take()) after the first, second, fourth,
  /// ... time is checked, and where the outputs that others use, or all where nobody uses any, stay as they are in it,
  /// the first of some further ones in which they do not. Whether the next one is to be checked.
  bool relied() {
    if (++saves_ < next_) return due_;
    next_ *= 2;
    due_ = true;
    waits_ = 0;
    return true;
  }
  /// There is a reason to check the first step from t (s) on, whether or not it moves.
  void insist(double t) {
    due_ = true;
    waits_ = 0;
    from_ = t;
  }
  [[nodiscard]] bool isDue() const { return due_; }
  [[nodiscard]] bool isDueAt(double t) const { return due_ && t >= from_; }

  struct Result {
    Answer step;                              ///< of the step, after which the FMU stands
    std::optional<subsystem::Status> failed;  ///< instead of it: instance.failure() says why
  };
  /// Takes the step of h (s) from t (s), whose inputs are set, twice; once where outputs cannot be read, or where it
  /// waits for their movement.
  Result take(double t, double h);

 private:
  [[nodiscard]] std::vector<subsystem::PortIndex> differing(const core::Values& a, const core::Values& b) const;
  /// The same without memory for a list.
  template <class Use>
  void forDiffering(const core::Values& a, const core::Values& b, Use&& use) const;
  [[nodiscard]] bool isUsed(subsystem::PortIndex port) const;
  [[nodiscard]] bool isAtRest() const;
  /// How sure it is that an output belongs to another state.
  enum class Doubt : std::uint8_t { none, some, proven };
  [[nodiscard]] Doubt doubtOfReal(std::size_t real) const;
  [[nodiscard]] Doubt doubtOf(subsystem::PortIndex port) const;
  Result takeOnce(double t, double h);
  Result repeat(double t, double h, core::Values& into);
  Result stopped(const std::string& why);
  void rest() {
    due_ = false;
    from_ = -std::numeric_limits<double>::infinity();
  }
  std::optional<subsystem::Status> judge(double t, double h);

  TrialCalls& calls_;
  std::vector<subsystem::PortIndex> connected_;  ///< of those that are compared, sorted
  std::vector<subsystem::PortIndex> reals_;      ///< outputs by type, in the order of values
  std::vector<subsystem::PortIndex> integers_;
  std::vector<subsystem::PortIndex> booleans_;
  std::uint64_t saves_ = 0;
  std::uint64_t next_ = 1;
  bool due_ = false;
  unsigned waits_ = 0;                                      ///< evaluations in which it still waits for movement
  double from_ = -std::numeric_limits<double>::infinity();  ///< s
  bool warned_ = false;
  bool doubted_ = false;
  bool toldUnread_ = false;
  // All outputs, in the order in which they are read.
  core::Values before_;
  core::Values first_;
  core::Values second_;
  core::Values restored_;
  core::Values third_;
};

}  // namespace koppla::fmi::detail
