#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "koppla/fmi/detail/trial_calls.hpp"

namespace koppla::fmi::detail {

/// Some FMUs go back to an earlier state by themselves in every fmi2DoStep with noSetFMUStatePriorToCurrentPoint =
/// fmi2False. Where an FMU is told so, such a call is repeated now and then, with fmi2False and with fmi2True: at the
/// beginning until it has been seen to move, after the first movement of each output, and whenever all its outputs have
/// stayed the same over many steps. Each output is judged by its own movement.
class ReturnWatch {
 public:
  /// `end`: no step may go beyond it, s.
  ReturnWatch(TrialCalls& calls, double end);

  /// Before the inputs of a call are set. A call to which nobody returns from before tells that all before it is
  /// accepted. An error where the FMU is found out.
  subsystem::Status arrive(const subsystem::Step& step);
  /// A state is saved: from now on arrive() and depart() are to be called again.
  void wake() { awake_ = true; }
  /// Where a final step is taken nobody is on his way back, and until a state is saved nobody will be.
  [[nodiscard]] bool isAwake() const { return awake_; }
  /// After they are set; h (s) is what the call will be given.
  subsystem::Status depart(const subsystem::Step& step, double h);

 private:
  struct Call {
    double t0;
    double t1;
    double h;
  };
  /// All outputs after the repeated call, and after another one like it.
  struct Moves {
    core::Values first;
    core::Values second;
  };

  [[nodiscard]] bool movesAnew() const;
  [[nodiscard]] bool isDue(std::size_t steps, std::size_t still) const {
    return steps >= nextTry_ || still >= patience_;
  }
  subsystem::Status look();
  subsystem::Status judge();
  subsystem::Status repeat();
  std::optional<Moves> moves(bool returnsBefore);
  bool goesBack(const Moves& doubted, const Moves& freely);
  bool doStep(double t, double h, bool returnsBefore);

  TrialCalls& calls_;
  FmuInstance& instance_;
  double end_;
  double begin_ = -std::numeric_limits<double>::infinity();  ///< s, of the step under way
  bool awake_ = true;
  bool doubted_ = false;      ///< a call of that step said that a return is possible
  core::Values before_;       ///< outputs after the step before
  core::Values after_;        ///< and after the last accepted one
  bool known_ = false;        ///< they could be read
  std::size_t steps_ = 0;     ///< accepted ones with such calls
  std::size_t still_ = 0;     ///< of them, the last ones without a change
  std::size_t nextTry_;       ///< in steps; none once it was seen to move rightly
  std::size_t patience_;      ///< in still steps
  std::vector<bool> judged_;  ///< by output: whether it has moved rightly in a repeated call
  std::size_t barren_ = 0;    ///< steps until which it does not count that one of the others moves, after a look
                              ///< that judged none of them
  std::optional<Call> kept_;  ///< the last such call, whose beginning is saved
};

}  // namespace koppla::fmi::detail
