#include "koppla/run/connection_errors.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace koppla::run {

namespace {

using coupling::Endpoint;

std::string nameOf(const coupling::System& system, const Endpoint& end, const std::optional<std::size_t>& element) {
  const coupling::Member& member = system.members[end.member];
  const std::string port = member.nameOf(end.port);
  return element ? port + "[" + std::to_string(*element + 1) + "]" : port;
}

}  // namespace

std::vector<ConnectionStatistics> connectionStatistics(const coupling::System& system, const coupling::Network& network,
                                                       const coupling::CoupledStep& coupledStep) {
  const coupling::ErrorEstimate& estimate = coupledStep.errorEstimate();
  if (estimate.steps() == 0) return {};
  std::map<std::pair<coupling::MemberIndex, subsystem::PortIndex>, std::vector<std::size_t>> valuesOf;
  for (std::size_t value = 0; value < network.outputs().size(); ++value)
    valuesOf[{network.outputName(value).member, network.outputName(value).port}].push_back(value);
  std::vector<std::size_t> positionOf(system.members.size());
  for (std::size_t position = 0; position < network.size(); ++position) positionOf[network.member(position)] = position;

  std::vector<ConnectionStatistics> result;
  for (const coupling::Connection& c : system.connections) {
    const auto values = valuesOf.find({c.from.member, c.from.port});
    const std::size_t consumer = positionOf[c.to.member];
    if (values == valuesOf.end() || network.isStatic(consumer)) continue;  // discrete, or evaluated at the point itself
    ConnectionStatistics entry{nameOf(system, c.from, c.fromElement), nameOf(system, c.to, c.toElement)};
    bool first = true;
    for (const std::size_t value : values->second) {
      if (c.fromElement && network.outputName(value).element != *c.fromElement) continue;
      entry.interpolated = coupledStep.interpolates(value, consumer);
      const double share = (entry.interpolated ? estimate.interpolationShare() : 1.0) * std::fabs(c.scale);
      const double range = estimate.range(value);
      entry.constant = (first || entry.constant) && !(range > 0.0);
      if (std::exchange(first, false)) entry.value = estimate.upper(value);
      entry.rms = std::max(entry.rms, share * estimate.rms(value));
      if (range > 0.0)
        entry.relative = std::max(entry.relative, share * estimate.rms(value) / (std::fabs(c.scale) * range));
      if (share * estimate.largest(value) <= entry.largest) continue;
      entry.largest = share * estimate.largest(value);
      entry.whenLargest = estimate.whenLargest(value);
    }
    result.push_back(std::move(entry));
  }
  std::ranges::stable_sort(result, std::ranges::greater{}, &ConnectionStatistics::relative);
  return result;
}

}  // namespace koppla::run
