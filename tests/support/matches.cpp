#include "support/matches.hpp"

#include <regex>

namespace koppla::test {

std::vector<Match> matches(const std::string& text, const std::string& expression) {
  const std::regex pattern(expression, std::regex::ECMAScript | std::regex::multiline);
  std::vector<Match> result;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
    Match& match = result.emplace_back();
    for (const std::ssub_match& group : *it) match.push_back(group.str());
  }
  return result;
}

std::string replaced(const std::string& text, const std::string& expression, const std::string& with) {
  return std::regex_replace(text, std::regex(expression, std::regex::ECMAScript | std::regex::multiline), with);
}

}  // namespace koppla::test
