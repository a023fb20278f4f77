#include "koppla/fmi/detail/xml_element.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "koppla/fmi/text.hpp"

namespace koppla::fmi::detail {

namespace {

constexpr Rule kNoNumber{"2.2", "a number cannot be read", "It is taken as absent."};
constexpr Rule kNoBoolean{"2.2", "a boolean is neither 'true' nor 'false'", "It is taken as absent."};
constexpr Rule kNoInteger{"2.2", "an integer is written as a real", "It is read all the same."};
constexpr Rule kUnknownAttribute{"2.2", "an attribute is unknown", "It is ignored."};

}  // namespace

Lines::Lines(std::string_view text) {
  if (text.empty()) return;
  starts_.push_back(0);
  for (std::size_t i = text.find('\n'); i != std::string_view::npos; i = text.find('\n', i + 1))
    starts_.push_back(static_cast<std::ptrdiff_t>(i) + 1);
}

Position Lines::at(std::ptrdiff_t offset) const {
  if (offset < 0 || starts_.empty()) return {};
  const auto after = std::ranges::upper_bound(starts_, offset);
  return {static_cast<std::size_t>(after - starts_.begin()), static_cast<std::size_t>(offset - *std::prev(after)) + 1};
}

std::vector<Element> Element::children() const {
  std::vector<Element> result;
  for (const pugi::xml_node node : node_.children())
    if (node.type() == pugi::node_element) result.emplace_back(node, *reading_);
  return result;
}

std::vector<Element> Element::children(std::string_view name) const {
  std::vector<Element> result = children();
  std::erase_if(result, [&](const Element& element) { return element.name() != name; });
  return result;
}

std::optional<double> Element::real(const char* attribute) const {
  if (!has(attribute)) return std::nullopt;
  const std::optional<double> value = readReal(text(attribute));
  if (!value) warn(kNoNumber, quoted(attribute));
  return value;
}

std::optional<std::int32_t> Element::integer(const char* attribute) const {
  if (!has(attribute)) return std::nullopt;
  if (const auto value = readInteger(text(attribute))) return value;
  const std::optional<double> real = readReal(text(attribute));
  if (real && std::trunc(*real) == *real && std::fabs(*real) <= std::numeric_limits<std::int32_t>::max()) {
    warn(kNoInteger, quoted(attribute));
    return static_cast<std::int32_t>(*real);
  }
  warn(kNoNumber, quoted(attribute));
  return std::nullopt;
}

std::optional<std::uint32_t> Element::natural(const char* attribute) const {
  if (!has(attribute)) return std::nullopt;
  const std::optional<std::uint32_t> value = readUnsigned(text(attribute));
  if (!value) warn(kNoNumber, quoted(attribute));
  return value;
}

std::optional<bool> Element::boolean(const char* attribute) const {
  if (!has(attribute)) return std::nullopt;
  const std::string value = text(attribute);
  const std::string_view word = trimmed(value);
  if (word == "true" || word == "1") return true;
  if (word == "false" || word == "0") return false;
  warn(kNoBoolean, quoted(attribute));
  return std::nullopt;
}

void Element::warn(const Rule& rule, std::string culprit) const {
  reading_->warnings.add(rule, position(), std::move(culprit));
}

void Element::refuse(const Rule& rule, std::string culprit) const {
  reading_->errors.add(rule, position(), std::move(culprit));
}

void Element::warnOfOtherAttributes(std::initializer_list<std::string_view> known) const {
  for (const pugi::xml_attribute attribute : node_.attributes()) {
    const std::string_view name = attribute.name();
    if (name.starts_with("xmlns") || name.find(':') != std::string_view::npos) continue;
    if (std::ranges::find(known, name) == known.end())
      warn(kUnknownAttribute, fmt::format("{} of {}", name, node_.name()));
  }
}

std::string Element::quoted(const char* attribute) const {
  return fmt::format("{}=\"{}\" of {}", attribute, text(attribute), node_.name());
}

}  // namespace koppla::fmi::detail
