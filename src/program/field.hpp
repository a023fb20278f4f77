#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "koppla/program/standard_csv.hpp"

namespace koppla::program {

/// The shape of a port's values: ids one after the other, the components of each together.
struct Field {
  std::string name;
  std::vector<Id> ids;         ///< each once; at least one
  std::size_t components = 1;  ///< values per id
  bool numbered = false;       ///< the ids are the user's, not just 1, 2, 3 ...

  [[nodiscard]] std::size_t size() const { return ids.size() * components; }
};

}  // namespace koppla::program
