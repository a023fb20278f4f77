#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

#include "koppla/fmi/findings.hpp"

namespace koppla::fmi::detail {

/// Finds the line and the column of a byte in a text; in an empty text every position is unknown.
class Lines {
 public:
  explicit Lines(std::string_view text);
  [[nodiscard]] Position at(std::ptrdiff_t offset) const;

 private:
  std::vector<std::ptrdiff_t> starts_;
};

/// What a reader of one file carries along. `errors` make the file unusable.
struct Reading {
  Lines lines;
  Findings errors;
  Findings warnings;
};

/// An XML element whose attributes are read with a type. What is there and cannot be read is a warning and counts as
/// absent.
class Element {
 public:
  Element(pugi::xml_node node, Reading& reading) : node_(node), reading_(&reading) {}

  [[nodiscard]] bool there() const { return !node_.empty(); }
  [[nodiscard]] std::string_view name() const { return node_.name(); }
  [[nodiscard]] Position position() const { return reading_->lines.at(node_.offset_debug()); }
  [[nodiscard]] Element child(const char* name) const { return {node_.child(name), *reading_}; }
  [[nodiscard]] std::vector<Element> children() const;
  [[nodiscard]] std::vector<Element> children(std::string_view name) const;

  [[nodiscard]] bool has(const char* attribute) const { return !node_.attribute(attribute).empty(); }
  [[nodiscard]] std::string text(const char* attribute) const { return node_.attribute(attribute).value(); }
  [[nodiscard]] std::optional<double> real(const char* attribute) const;
  [[nodiscard]] std::optional<std::int32_t> integer(const char* attribute) const;
  [[nodiscard]] std::optional<std::uint32_t> natural(const char* attribute) const;
  [[nodiscard]] std::optional<bool> boolean(const char* attribute) const;
  [[nodiscard]] bool flag(const char* attribute) const { return boolean(attribute).value_or(false); }

  void warn(const Rule& rule, std::string culprit = {}) const;
  void refuse(const Rule& rule, std::string culprit = {}) const;
  /// Warns about attributes other than these (foreign name spaces aside).
  void warnOfOtherAttributes(std::initializer_list<std::string_view> known) const;

 private:
  [[nodiscard]] std::string quoted(const char* attribute) const;

  pugi::xml_node node_;
  Reading* reading_;
};

}  // namespace koppla::fmi::detail
