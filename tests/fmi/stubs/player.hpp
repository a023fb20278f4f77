#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "koppla/fmi/fmi2_interface.hpp"

namespace koppla::fmi::test {

/// What an FMU does, played by a test: the library played_stub.so passes its calls on to such an object, whose address
/// it gets as its guid. Unless told otherwise it keeps what is set, steps do nothing, and all is ok.
struct Player {
  using Reference = fmi2::ValueReference;
  struct Values {
    std::map<Reference, double> reals{};
    std::map<Reference, int> integers{};
    std::map<Reference, int> booleans{};
    std::map<Reference, std::string> strings{};
  };
  struct Step {
    double t;
    double h;
    bool noReturn;  ///< noSetFMUStatePriorToCurrentPoint
    bool operator==(const Step&) const = default;
  };
  struct Derivative {
    Reference input;
    int order;
    double value;
    bool operator==(const Derivative&) const = default;
  };

  // What it answers.
  Values values;
  std::set<Reference> nulls;                                      ///< strings that are NULL
  std::set<Reference> refused;                                    ///< what is not told: an error
  std::map<std::pair<Reference, int>, double> outputDerivatives;  ///< by output and order
  std::map<std::pair<Reference, Reference>, double> partials;     ///< by output and input
  double reached = 0.0;                                           ///< s, last successful time
  bool over = false;                                              ///< asks to end
  /// How a call such as "doStep" ends.
  std::function<fmi2::Status(const std::string& call)> answer = [](const auto&) { return fmi2::Status::ok; };
  /// What a step does that ends well, or is discarded.
  std::function<void(const Step&)> step = [](const auto&) {};
  /// What restoring a state does.
  std::function<void(const Values&)> restore = [this](const Values& saved) { values = saved; };

  // What was asked of it.
  std::vector<std::string> calls;
  std::vector<Step> steps;
  std::vector<Derivative> derivatives;  ///< of inputs, as set last
  std::string resources;
  std::string loadedIn;  ///< the working folder then
  const fmi2::CallbackFunctions* callbacks = nullptr;

  [[nodiscard]] std::size_t count(const std::string& call) const {
    std::size_t result = 0;
    for (const std::string& made : calls) result += made == call ? 1 : 0;
    return result;
  }
};

}  // namespace koppla::fmi::test
