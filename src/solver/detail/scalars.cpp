#include "koppla/solver/detail/scalars.hpp"

namespace koppla::solver::detail {

using subsystem::Causality;

std::size_t realScalars(const subsystem::Description& description, Causality causality) {
  std::size_t count = 0;
  for (const subsystem::Port& port : description.ports)
    if (port.type == core::Type::real && port.causality == causality) count += port.size;
  return count;
}

std::vector<std::size_t> firstScalars(const subsystem::Description& description) {
  std::vector<std::size_t> first;
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  for (const subsystem::Port& port : description.ports) {
    const bool real = port.type == core::Type::real;
    if (real && port.causality == Causality::input) {
      first.push_back(inputs);
      inputs += port.size;
    } else if (real && port.causality == Causality::output) {
      first.push_back(outputs);
      outputs += port.size;
    } else {
      first.push_back(0);
    }
  }
  return first;
}

}  // namespace koppla::solver::detail
