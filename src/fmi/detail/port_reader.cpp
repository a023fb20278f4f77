#include "koppla/fmi/detail/port_reader.hpp"

#include <type_traits>

#include <fmt/format.h>

namespace koppla::fmi::detail {

using core::Type;
using subsystem::PortIndex;

namespace {

core::Value zeroOf(Type type) {
  switch (type) {
    case Type::real:
      return 0.0;
    case Type::boolean:
      return false;
    case Type::string:
      return std::string();
    case Type::integer:
    case Type::enumeration:
      break;
  }
  return std::int32_t{0};
}

}  // namespace

core::Value PortReader::startOf(PortIndex port) const {
  if (const auto found = set_.find(port); found != set_.end()) return found->second;
  const subsystem::Port& declared = instance_.ports().description.ports[port];
  return declared.start ? *declared.start : zeroOf(declared.type);
}

template <typename Getter, typename Wire>
Answer PortReader::readInput(PortIndex port, const Getter& function, const char* call, Wire& value) {
  const fmi2::ValueReference reference = instance_.ports().references[port];
  const Answer answer{function(instance_.component(), &reference, 1, &value), call};
  const subsystem::Port& declared = instance_.ports().description.ports[port];
  if (!answer.bad() || answer.status == fmi2::Status::fatal || declared.causality != subsystem::Causality::input)
    return answer;
  const core::Value start = startOf(port);
  std::visit(
      [&]<typename T>(const T& v) {
        if constexpr (std::is_same_v<T, std::string>) {
          if constexpr (std::is_same_v<Wire, fmi2::String>) value = (startTexts_[port] = v).c_str();
        } else if constexpr (!std::is_same_v<Wire, fmi2::String>) {
          value = static_cast<Wire>(v);
        }
      },
      start);
  instance_.log().write(core::Severity::info,
                        fmt::format("The input '{}' cannot be read before the first step: its start value {} is taken.",
                                    declared.name, core::text(start)));
  return {};
}

template <typename Getter, typename Wire, typename IsOfType>
Answer PortReader::readType(std::span<const PortIndex> ports, IsOfType&& isOfType, const Getter& function,
                            const char* call, std::vector<Wire>& values) {
  const PortTable& table = instance_.ports();
  chosen_.clear();
  references_.clear();
  for (const PortIndex port : ports)
    if (isOfType(table.description.ports.at(port).type)) {
      chosen_.push_back(port);
      references_.push_back(table.references[port]);
    }
  if (references_.empty()) return {};
  const std::size_t before = values.size();
  values.resize(before + references_.size());
  const Answer answer{function(instance_.component(), references_.data(), references_.size(), values.data() + before),
                      call};
  if (!answer.bad() || answer.status == fmi2::Status::fatal || instance_.phase() != Phase::initialising) return answer;
  for (std::size_t i = 0; i < chosen_.size(); ++i)
    if (const Answer single = readInput(chosen_[i], function, call, values[before + i]); single.bad()) return single;
  return {};
}

Answer PortReader::read(std::span<const PortIndex> ports, core::Values& into) {
  const Functions& f = instance_.functions();
  Answer worst;
  const auto bad = [&worst](const Answer& answer) {
    if (answer.status > worst.status) worst = answer;
    return worst.bad();
  };
  if (bad(readType(
          ports, [](Type type) { return type == Type::real; }, f.getReal, "fmi2GetReal", into.reals)))
    return worst;
  if (bad(readType(
          ports, [](Type type) { return type == Type::integer || type == Type::enumeration; }, f.getInteger,
          "fmi2GetInteger", into.integers)))
    return worst;
  const std::size_t booleans = into.booleans.size();
  if (bad(readType(
          ports, [](Type type) { return type == Type::boolean; }, f.getBoolean, "fmi2GetBoolean", into.booleans)))
    return worst;
  for (std::size_t i = booleans; i < into.booleans.size(); ++i) into.booleans[i] = into.booleans[i] != 0 ? 1 : 0;
  strings_.clear();
  if (bad(readType(
          ports, [](Type type) { return type == Type::string; }, f.getString, "fmi2GetString", strings_)))
    return worst;
  for (const fmi2::String string : strings_) into.strings.emplace_back(string != nullptr ? string : "");
  return worst;
}

}  // namespace koppla::fmi::detail
