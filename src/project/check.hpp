#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "koppla/project/findings.hpp"
#include "koppla/project/project.hpp"

namespace koppla::project {

/// Finds subsystems by name; of double names the first. Belongs to the project as it was when the index was made.
class SubsystemIndex {
 public:
  explicit SubsystemIndex(const Project& project);

  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
  /// Whether a name is nobody's, and cannot be meant for a subsystem that could not be read.
  [[nodiscard]] bool isNobodys(std::string_view name) const;
  /// All names in the order of the file.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  std::unordered_map<std::string, std::size_t> byName_;
  std::vector<std::string> names_;
  bool namesAreMissing_;
  std::vector<std::string> unread_;
};

/// One element of a port, as "position[2]" names it.
struct ElementName {
  std::string port;
  std::size_t number;  ///< counted from 1
};
/// Absent for all other names. An FMU may have scalars with names of this form.
std::optional<ElementName> parseElement(std::string_view name);

/// What can be wrong with subsystems and connections before any FMU is opened: missing, impossible and double names,
/// connections, conditions and orders that speak of unknown subsystems, inputs that are connected twice.
Findings checkEntries(const Project& project);

}  // namespace koppla::project
