#include "koppla/fmi/detail/trial_calls.hpp"

namespace koppla::fmi::detail {

TrialCalls::TrialCalls(FmuInstance& instance, PortReader& reader) : instance_(instance), reader_(reader) {
  const auto& ports = instance_.ports().description.ports;
  for (subsystem::PortIndex port = 0; port < ports.size(); ++port)
    if (ports[port].causality == subsystem::Causality::output && ports[port].type != core::Type::string)
      outputs_.push_back(port);
}

bool TrialCalls::read(core::Values& into) {
  into.clear();
  const Answer answer = reader_.read(outputs_, into);
  if (answer.bad()) instance_.note(answer);
  return !answer.bad();
}

Answer TrialCalls::doStep(double t, double h, bool returnsBefore) {
  return {instance_.functions().doStep(instance_.component(), t, h, returnsBefore ? fmi2::kFalse : fmi2::kTrue),
          "fmi2DoStep"};
}

}  // namespace koppla::fmi::detail
