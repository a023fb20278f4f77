#include "koppla/native/detail/formula.hpp"

#include <algorithm>
#include <iterator>
#include <numbers>
#include <utility>

#include <fmt/format.h>
#include <muParser.h>

#include "koppla/core/suggest.hpp"
#include "koppla/native/detail/names.hpp"

namespace koppla::native::detail {

class OurParser : public mu::Parser {
 public:
  OurParser() { DefineConst("pi", std::numbers::pi); }
};

namespace {

bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

constexpr std::string_view kSigns = " \t\n+-*/^(),.?:<>=!&|";

bool isAllowed(char c) {
  return isLetter(c) || isDigit(c) || kSigns.find(c) != std::string_view::npos;
}

/// '=' that is no part of ==, !=, <=, >=. muParser would store a value into the variable before it.
bool isAssignment(std::string_view text, std::size_t at) {
  if (text[at] != '=') return false;
  const char before = at > 0 ? text[at - 1] : ' ';
  const char after = at + 1 < text.size() ? text[at + 1] : ' ';
  return after != '=' && std::string_view("=!<>").find(before) == std::string_view::npos;
}

struct Mistake {
  std::size_t position;  ///< from 1
  std::string message;
  std::string remedy;
};

/// The text may be megabytes long and hold anything; the message does not.
std::string quoted(const std::string& text) {
  constexpr std::size_t kShown = 60;
  std::string shown = text.substr(0, kShown);
  std::ranges::replace_if(
      shown, [](char c) { return !isAllowed(c) && (c < ' ' || c > '~'); }, '?');
  return "\"" + shown + (text.size() > kShown ? "...\"" : "\"");
}

[[noreturn]] void fail(const std::string& what, const std::string& text, const Mistake& mistake) {
  throw core::InputError(fmt::format("The formula of {}, {}, is wrong at character {}: {}", what, quoted(text),
                                     mistake.position, mistake.message),
                         mistake.remedy);
}

/// What must not reach the parser.
void checkText(const std::string& what, const std::string& text) {
  if (text.size() > kLongestFormula)
    throw core::InputError(
        fmt::format("The formula of {}, {}, has {} characters.", what, quoted(text), text.size()),
        fmt::format("At most {} are read; divide it into several outputs or states.", kLongestFormula));
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!isAllowed(text[at]))
      fail(what, text,
           {at + 1, "this character has no meaning in a formula.",
            "Formulas hold numbers, names, operators and parentheses."});
    if (isAssignment(text, at)) fail(what, text, {at + 1, "a formula assigns nothing.", "Write == to compare."});
    if (text[at] == '(' && ++depth > kDeepestFormula)
      fail(what, text,
           {at + 1, fmt::format("more than {} parentheses are open.", kDeepestFormula),
            "Divide it into several outputs or states."});
    if (text[at] == ')' && depth > 0) --depth;
  }
}

template <typename Map>
void appendKeys(std::vector<std::string>& names, const Map& map) {
  std::ranges::transform(map, std::back_inserter(names), [](const auto& entry) { return entry.first; });
}

/// muParser's words without the place, which it counts from 0 and we from 1.
std::string withoutPlace(std::string words) {
  for (const std::string_view place : {" found at position", " at position", " at expression position"})
    words = words.substr(0, words.find(place));
  return words.ends_with('.') || words.ends_with('!') ? words : words + ".";
}

Mistake toMistake(const mu::ParserError& error, const mu::Parser& parser, const std::string& text) {
  const auto position = static_cast<std::size_t>(std::clamp<long>(error.GetPos(), 0, static_cast<long>(text.size())));
  Mistake mistake{position + 1, withoutPlace(error.GetMsg()), "Correct the formula."};
  if (error.GetCode() == mu::ecUNASSIGNABLE_TOKEN && isIdentifier(error.GetToken())) {
    std::vector<std::string> known;
    appendKeys(known, parser.GetVar());
    appendKeys(known, parser.GetConst());
    appendKeys(known, parser.GetFunDef());
    mistake.remedy = core::suggestion(error.GetToken(), known);
  }
  return mistake;
}

}  // namespace

class Formula::Parser : public OurParser {};

Formula::Formula(const std::string& what, const std::string& text, const Variables& variables)
    : parser_(std::make_unique<Parser>()) {
  checkText(what, text);
  try {
    for (std::size_t i = 0; i < variables.names.size(); ++i)
      parser_->DefineVar(variables.names[i], &variables.values[i]);
    parser_->SetExpr(text);
    parser_->Eval();
    for (const auto& [name, variable] : parser_->GetUsedVar())
      used_.push_back(static_cast<std::size_t>(variable - variables.values.data()));
    // GetUsedVar makes muParser read the text anew at the next evaluation, with allocations; so that one is here.
    parser_->Eval();
  } catch (const mu::ParserError& error) {
    fail(what, text, toMistake(error, *parser_, text));
  }
  if (parser_->GetNumResults() != 1)
    fail(what, text, {text.find(',') + 1, "it has several results.", "Write one expression."});
  std::ranges::sort(used_);
}

Formula::~Formula() = default;
Formula::Formula(Formula&&) noexcept = default;
Formula& Formula::operator=(Formula&&) noexcept = default;

double Formula::value() const {
  return parser_->Eval();
}

bool isIdentifier(std::string_view name) {
  constexpr std::size_t kLongestName = 100;
  return !name.empty() && name.size() <= kLongestName && isLetter(name[0]) &&
         std::ranges::all_of(name, [](char c) { return isLetter(c) || isDigit(c); });
}

std::vector<core::Problem> variableProblems(const std::string& model, const std::vector<std::string>& names) {
  std::vector<core::Problem> problems = nameProblems(model, names);
  std::vector<std::string> taken;
  const OurParser parser;
  appendKeys(taken, parser.GetFunDef());
  appendKeys(taken, parser.GetConst());
  taken.emplace_back("t");
  for (const std::string& name : names) {
    if (!name.empty() && !isIdentifier(name))
      problems.push_back({{},
                          fmt::format("{}: {} cannot be a name in formulas.", model, quoted(name)),
                          "Use letters, digits and underscores, no digit first, at most 100 characters."});
    else if (std::ranges::find(taken, name) != taken.end())
      problems.push_back({{},
                          fmt::format("{}: the name '{}' has a meaning in formulas already.", model, name),
                          "Choose another one."});
  }
  return problems;
}

}  // namespace koppla::native::detail
