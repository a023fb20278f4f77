#include "koppla/project/parameters.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "koppla/core/suggest.hpp"
#include "koppla/project/check.hpp"
#include "koppla/project/overrides.hpp"

namespace koppla::project {

namespace {

std::optional<Placed<RawValue>> scalar(const Node& node) {
  struct Reader {
    std::optional<RawValue> operator()(bool value) const { return value; }
    std::optional<RawValue> operator()(std::int64_t value) const { return value; }
    std::optional<RawValue> operator()(double value) const { return value; }
    std::optional<RawValue> operator()(const std::string& value) const { return value; }
    std::optional<RawValue> operator()(const Moment&) const { return std::nullopt; }
    std::optional<RawValue> operator()(const Array&) const { return std::nullopt; }
    std::optional<RawValue> operator()(const Table&) const { return std::nullopt; }
  };
  std::optional<RawValue> value = std::visit(Reader{}, node.value);
  if (!value) return std::nullopt;
  return Placed<RawValue>{std::move(*value), node.place};
}

std::optional<Parameter> readParameter(Placed<std::string> port, const Node& node, Findings& findings) {
  Parameter parameter{std::move(port), {}};
  const auto add = [&](const Node& element) {
    if (std::optional<Placed<RawValue>> value = scalar(element)) {
      parameter.values.push_back(std::move(*value));
      return true;
    }
    findings.mistake(element.place, "The parameter '" + parameter.port.value + "' holds " + inWords(element) +
                                        "; expected is a number, a boolean, a string or a flat array of them.");
    return false;
  };
  const auto* array = std::get_if<Array>(&node.value);
  if (array == nullptr) return add(node) ? std::optional(std::move(parameter)) : std::nullopt;
  for (const Node& element : *array)
    if (!add(element)) return std::nullopt;
  return parameter;
}

class ParameterReader {
 public:
  explicit ParameterReader(Findings& findings) : findings_(findings) {}

  void read(const Table& table, const Placed<std::string>& prefix) {
    for (const Entry& entry : table) {
      Placed<std::string> port{prefix.value + entry.key, entry.place};
      if (!prefix.value.empty() && prefix.place.line == entry.place.line) port.place = prefix.place;
      if (const auto* nested = std::get_if<Table>(&entry.node.value))
        read(*nested, {port.value + ".", port.place});
      else
        add(std::move(port), entry.node);
    }
  }

  std::vector<Parameter> result() && { return std::move(parameters_); }

 private:
  void add(Placed<std::string> port, const Node& node) {
    const auto known = std::ranges::find(parameters_, port.value, [](const Parameter& p) { return p.port.value; });
    if (known != parameters_.end()) {
      findings_.mistake(port.place, "The parameter '" + port.value + "' is set already in line " +
                                        std::to_string(known->port.place.line) + ".");
      return;
    }
    if (std::optional<Parameter> parameter = readParameter(std::move(port), node, findings_))
      parameters_.push_back(std::move(*parameter));
  }

  Findings& findings_;
  std::vector<Parameter> parameters_;
};

/// An option without its section is the usual slip.
std::string whatWasMeant(const Override& change, std::span<const std::string> options,
                         const std::vector<std::string>& subsystems) {
  const OverrideName name = split(change);
  if (name.target.empty())
    for (const std::string& option : options)
      if (option.ends_with("." + change.name)) return "Did you mean '" + option + "'?";
  std::vector<std::string> candidates;
  const std::string section = name.target.empty() ? change.name + "." : change.name;
  std::ranges::copy_if(options, std::back_inserter(candidates),
                       [&](const std::string& option) { return option.starts_with(section); });
  if (!candidates.empty()) return core::suggestion({}, candidates);
  candidates.assign(options.begin(), options.end());
  if (!name.target.empty() && !name.key.empty())
    for (const std::string& subsystem : subsystems) candidates.push_back(subsystem + "." + std::string(name.key));
  return core::suggestion(change.name, candidates);
}

}  // namespace

std::vector<Parameter> readParameters(const Table& table, Findings& findings) {
  ParameterReader reader(findings);
  reader.read(table, {});
  return std::move(reader).result();
}

void applyToParameters(Project& project, std::span<const Override> overrides, std::span<const std::string> options,
                       Findings& findings) {
  const SubsystemIndex index(project);
  for (const Override& change : overrides) {
    const OverrideName name = split(change);
    const std::optional<std::size_t> member = index.find(name.target);
    if (!member || name.key.empty()) {
      if (name.target.empty() || name.key.empty() || index.isNobodys(name.target))
        findings.mistake(change.place, "'" + change.name + "' names neither an option nor a subsystem's parameter.",
                         whatWasMeant(change, options, index.names()));
      continue;
    }
    const Node node = parseValue(change.value, change.place);
    std::optional<Parameter> parameter = readParameter({std::string(name.key), change.place}, node, findings);
    if (!parameter) continue;
    std::vector<Parameter>& parameters = project.subsystems[*member].parameters;
    std::erase_if(parameters, [&](const Parameter& old) { return old.port.value == name.key; });
    parameters.push_back(std::move(*parameter));
  }
}

}  // namespace koppla::project
