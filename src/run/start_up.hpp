#pragma once

#include <string>

#include "koppla/coupling/system.hpp"
#include "koppla/run/settings.hpp"

namespace koppla::run {

/// How polynomials of higher degree come by the values from before the start that nobody knows.
struct StartUpPlan {
  bool inShortSteps = false;
  std::string loss{};  ///< a sentence for the user where the members do not permit these and so an order is lost
};

/// For members as they are, before anything is put around those that take less than the coupling's degree.
[[nodiscard]] StartUpPlan planStartUp(const coupling::System& system, const Settings& settings);

}  // namespace koppla::run
