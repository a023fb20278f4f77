#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "problem_list.hpp"

namespace koppla::test {

using Words = std::vector<std::string>;

/// An option, a value for it, and the kinds with which it has an effect.
struct Option {
  std::string line;
  Words used;
};

inline std::string nameOf(const Option& option) {
  return option.line.substr(0, option.line.find(' '));
}

/// Each option with each kind: nothing is wrong, and those that are not used are warned of.
template <typename Read>
void expectEffects(const Words& kinds, const std::vector<Option>& options, Read read) {
  for (const std::string& kind : kinds)
    for (const Option& option : options) {
      const project::Reading reading = read(kind, option.line);
      const std::string said = "'" + nameOf(option) + "' in ";
      EXPECT_THAT(mistakes(reading), testing::IsEmpty()) << kind << ": " << option.line;
      if (std::ranges::find(option.used, kind) != option.used.end())
        EXPECT_THAT(warnings(reading), testing::Not(testing::Contains(testing::HasSubstr(said))))
            << kind << ": " << option.line;
      else
        EXPECT_THAT(warnings(reading),
                    testing::Contains(testing::AllOf(testing::HasSubstr(said), testing::HasSubstr("has no effect: "))))
            << kind << ": " << option.line;
    }
}

}  // namespace koppla::test
