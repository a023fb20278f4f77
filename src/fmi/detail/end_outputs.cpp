#include "koppla/fmi/detail/end_outputs.hpp"

#include <algorithm>
#include <cmath>

namespace koppla::fmi::detail {

using subsystem::PortIndex;

namespace {

/// Real outputs that may depend on one of these inputs, if that is real, at the same instant.
std::vector<PortIndex> realOutputsFedBy(const subsystem::Description& description, std::span<const PortIndex> inputs) {
  const auto isReal = [&](PortIndex port) { return description.ports.at(port).type == core::Type::real; };
  std::vector<PortIndex> reals;
  for (const PortIndex input : inputs)
    if (isReal(input)) reals.push_back(input);
  std::vector<PortIndex> outputs = description.outputsFedBy(reals);
  std::erase_if(outputs, [&](PortIndex output) { return !isReal(output); });
  return outputs;
}

}  // namespace

unsigned EndOutputs::degreeOf(const subsystem::Description& description) {
  const subsystem::Capabilities& capabilities = description.capabilities;
  if (capabilities.inputDerivatives != 0 || !capabilities.saveRestore) return capabilities.inputDerivatives;
  std::vector<PortIndex> inputs;
  for (PortIndex port = 0; port < description.ports.size(); ++port)
    if (description.ports[port].causality == subsystem::Causality::input) inputs.push_back(port);
  return realOutputsFedBy(description, inputs).empty() ? 0 : 1;
}

void EndOutputs::bind(std::span<const PortIndex> inputs, std::span<const PortIndex> outputs) {
  const PortTable& table = instance_.ports();
  ports_ = realOutputsFedBy(table.description, inputs);
  references_.clear();
  for (const PortIndex port : ports_) references_.push_back(table.references[port]);
  values_.assign(ports_.size(), 0.0);
  known_ = false;
  held_ = false;
  inputs_.assign(inputs.size(), 0.0);
  discrete_.clear();
  for (const PortIndex input : inputs)
    if (const subsystem::Port& port = table.description.ports.at(input); port.type == core::Type::real)
      discrete_.push_back(port.discrete);
  compared_.assign(discrete_.size(), false);
  targets_.clear();
  std::size_t real = 0;
  for (const PortIndex output : outputs) {
    if (table.description.ports.at(output).type != core::Type::real) continue;
    if (const auto found = std::ranges::find(ports_, output); found != ports_.end())
      targets_.push_back({real, static_cast<std::size_t>(found - ports_.begin())});
    ++real;
  }
}

const double* EndOutputs::ends(subsystem::Trajectory u) {
  for (std::uint32_t i = 0; i < u.count; ++i) inputs_[i] = u.value(i, 1.0);
  return inputs_.data();
}

const double* EndOutputs::means(subsystem::Trajectory u) {
  std::fill(inputs_.begin(), inputs_.end(), 0.0);
  for (std::uint32_t k = u.degree + 1; k-- > 0;)
    for (std::uint32_t i = 0; i < u.count; ++i) inputs_[i] += u.power(k)[i] / (discrete_[i] ? 1.0 : k + 1.0);
  return inputs_.data();
}

bool EndOutputs::isNew(subsystem::Trajectory u) {
  constexpr double kNoticeable = 1e-6;  // less may be rounding
  bool any = false;
  for (std::uint32_t i = 0; i < u.count; ++i) {
    if (compared_[i] || discrete_[i]) continue;
    double mean = 0.0;
    for (std::uint32_t k = u.degree + 1; k-- > 0;) mean += u.power(k)[i] / (k + 1.0);
    const double end = u.value(i, 1.0);
    if (!(std::fabs(end - mean) > kNoticeable * std::fmax(std::fabs(end), std::fabs(mean)))) continue;
    compared_[i] = true;
    any = true;
  }
  return any;
}

bool EndOutputs::remembers(const Answers& whole, const Answers& half) {
  constexpr double kMore = 1.1;       // what states add changes by as much only where the step is long for them
  constexpr double kRounding = 1e-9;  // of outputs
  for (std::size_t i = 0; i < whole.ends.size(); ++i) {
    const double size = std::fmax(std::fabs(half.ends[i]), std::fabs(half.means[i]));
    const double inWhole = std::fabs(whole.ends[i] - whole.means[i]);
    const double inHalf = std::fabs(half.ends[i] - half.means[i]);
    if (!(inHalf <= kMore * inWhole + kRounding * size)) return true;
  }
  return false;
}

Answer EndOutputs::read(std::vector<double>& into) {
  into.resize(references_.size());
  return {instance_.functions().getReal(instance_.component(), references_.data(), references_.size(), into.data()),
          "fmi2GetReal"};
}

Answer EndOutputs::read() {
  const Answer answer = read(values_);
  known_ = !answer.bad();
  return answer;
}

void EndOutputs::restore(std::size_t place) {
  const Saved& saved = saved_.at(place);
  known_ = saved.known;
  if (known_) std::ranges::copy(saved.values, values_.begin());
}

void EndOutputs::replaceBound(double* y) const {
  if (!known_) return;
  for (const Target& target : targets_) y[target.output] = values_[target.value];
}

void EndOutputs::replace(std::span<const PortIndex> ports, double* reals) const {
  if (!known_) return;
  for (const PortIndex port : ports) {
    if (instance_.ports().description.ports.at(port).type != core::Type::real) continue;
    if (const auto found = std::ranges::find(ports_, port); found != ports_.end())
      *reals = values_[static_cast<std::size_t>(found - ports_.begin())];
    ++reals;
  }
}

}  // namespace koppla::fmi::detail
