#include "koppla/fmi/detail/discrete_access.hpp"

#include <algorithm>

#include "koppla/core/error.hpp"

namespace koppla::fmi::detail {

namespace {

Answer worse(const Answer& a, const Answer& b) {
  return b.status > a.status ? b : a;
}

}  // namespace

void DiscreteAccess::bind(const PortTable& table, std::span<const subsystem::PortIndex> ports,
                          subsystem::DiscreteValues values) {
  integers_.clear();
  booleans_.clear();
  strings_.clear();
  for (const subsystem::PortIndex port : ports) {
    const fmi2::ValueReference reference = table.references[port];
    switch (table.description.ports[port].type) {
      case core::Type::real:
        break;
      case core::Type::integer:
      case core::Type::enumeration:
        integers_.push_back(reference);
        break;
      case core::Type::boolean:
        booleans_.push_back(reference);
        break;
      case core::Type::string:
        strings_.push_back(reference);
        break;
    }
  }
  if (values.integers.size() != integers_.size() || values.booleans.size() != booleans_.size() ||
      values.strings.size() != strings_.size())
    throw core::InternalError("The arrays for discrete values do not fit the bound ports.");
  pointers_.resize(strings_.size());
  values_ = values;
}

Answer DiscreteAccess::set(fmi2::Component component, const Functions& functions) {
  Answer worst;
  if (!integers_.empty())
    worst = {functions.setInteger(component, integers_.data(), integers_.size(), values_.integers.data()),
             "fmi2SetInteger"};
  if (!booleans_.empty() && !worst.bad())
    worst = worse(worst, {functions.setBoolean(component, booleans_.data(), booleans_.size(), values_.booleans.data()),
                          "fmi2SetBoolean"});
  if (!strings_.empty() && !worst.bad()) {
    std::ranges::transform(values_.strings, pointers_.begin(), &std::string::c_str);
    worst = worse(
        worst, {functions.setString(component, strings_.data(), strings_.size(), pointers_.data()), "fmi2SetString"});
  }
  return worst;
}

Answer DiscreteAccess::get(fmi2::Component component, const Functions& functions) {
  Answer worst;
  if (!integers_.empty())
    worst = {functions.getInteger(component, integers_.data(), integers_.size(), values_.integers.data()),
             "fmi2GetInteger"};
  if (!booleans_.empty() && !worst.bad()) {
    worst = worse(worst, {functions.getBoolean(component, booleans_.data(), booleans_.size(), values_.booleans.data()),
                          "fmi2GetBoolean"});
    for (std::int32_t& value : values_.booleans) value = value != 0 ? 1 : 0;
  }
  if (!strings_.empty() && !worst.bad()) {
    std::ranges::fill(pointers_, nullptr);
    worst = worse(
        worst, {functions.getString(component, strings_.data(), strings_.size(), pointers_.data()), "fmi2GetString"});
    if (worst.bad()) return worst;
    // The FMU may reuse its strings at the next call, so they are copied now.
    for (std::size_t i = 0; i < pointers_.size(); ++i) values_.strings[i] = pointers_[i] != nullptr ? pointers_[i] : "";
  }
  return worst;
}

}  // namespace koppla::fmi::detail
