#include "ledger.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "koppla/core/error.hpp"

namespace koppla::verification {

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

/// Eight digits of a number are enough to compare it with what is demanded; other texts stay as they are.
std::string compact(const std::string& obtained) {
  double number = 0.0;
  const char* end = obtained.data() + obtained.size();
  const auto [rest, error] = std::from_chars(obtained.data(), end, number);
  if (error != std::errc{} || rest != end) return obtained;
  return fmt::format("{:.8g}", number);
}

std::string describe(const Figure& figure) {
  std::string text = figure.name + ": " + compact(figure.obtained);
  if (!figure.holds) text += " (demanded: " + figure.demanded + ")";
  if (!figure.complaint.empty()) text += " (" + figure.complaint + ")";
  return text;
}

bool shows(const Figure& figure) {
  return figure.holds && figure.complaint.empty();
}

/// A figure that was reported several times holds only if it holds every time; the first that does not is shown.
const Figure* find(const std::vector<Figure>& figures, const std::string& requirement, const std::string& name) {
  const Figure* found = nullptr;
  for (const Figure& figure : figures) {
    if (figure.requirement != requirement || figure.name != name) continue;
    if (!shows(figure)) return &figure;
    found = &figure;
  }
  return found;
}

Row judge(const std::string& note, const Requirement& requirement, const std::vector<Figure>& figures) {
  const bool fails = !requirement.reason.empty();
  Row row{note, requirement.id, Verdict::pass, requirement.demand, "-"};
  std::vector<std::string> obtained;
  for (const std::string& name : requirement.figures) {
    const Figure* figure = find(figures, note + " " + requirement.id, name);
    obtained.push_back(figure == nullptr ? name + ": missing" : describe(*figure));
    if (figure != nullptr && (shows(*figure) || (fails && figure->known && figure->complaint.empty()))) continue;
    row.verdict = Verdict::fail;
    row.unexplained = true;
  }
  if (fails) row.verdict = Verdict::fail;
  if (!requirement.missing.empty() && row.verdict == Verdict::pass) row.verdict = Verdict::open;
  if (fails) obtained.push_back("fails: " + requirement.reason);
  if (!requirement.missing.empty()) obtained.push_back("missing: " + requirement.missing);
  if (!obtained.empty()) row.obtained = fmt::format("{}", fmt::join(obtained, "; "));
  return row;
}

}  // namespace

std::vector<Figure> readLedger(std::string_view text) {
  std::vector<Figure> figures;
  std::vector<std::string> tests;               // of the figures
  std::map<std::string, std::string> outcomes;  // by test; who fails once has failed
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (line.empty()) continue;
    const auto fields = split(line, '\t');
    if (fields.size() == 3 && fields[0] == "end" && isOneOf(fields[2], {"pass", "fail", "skip"})) {
      std::string& outcome = outcomes[std::string(fields[1])];
      if (outcome.empty() || outcome == "pass") outcome = fields[2];
      continue;
    }
    if (fields.size() != 6 || !isOneOf(fields[2], {"pass", "fail", "unmet"}))
      throw core::InputError(
          fmt::format("Line {} of the ledger is neither a figure nor the end of a test: '{}'.", number, line),
          "A figure is 'requirement, name, pass or fail or unmet, demanded, obtained, test' with tabs between them, "
          "the "
          "end of a test is 'end, test, pass or fail or skip'.");
    figures.push_back({std::string(fields[0]), std::string(fields[1]), fields[2] == "pass", std::string(fields[3]),
                       std::string(fields[4]), fields[2] == "unmet", ""});
    tests.emplace_back(fields[5]);
  }
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const auto outcome = outcomes.find(tests[i]);
    if (outcome == outcomes.end())
      figures[i].complaint = tests[i] + " did not end";
    else if (outcome->second == "fail")
      figures[i].complaint = tests[i] + " failed";
    else if (outcome->second == "skip")
      figures[i].complaint = tests[i] + " was skipped";
  }
  return figures;
}

std::string_view word(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::fail:
      return "fail";
    case Verdict::open:
      return "open";
  }
  return {};
}

bool Judgement::passed() const {
  return unlisted.empty() && std::ranges::none_of(rows, &Row::unexplained);
}

Judgement judge(const std::vector<Note>& notes, const std::vector<Figure>& figures) {
  Judgement judgement;
  std::set<std::string> listed;
  for (const Note& note : notes)
    for (const Requirement& requirement : note.requirements) {
      judgement.rows.push_back(judge(note.name, requirement, figures));
      for (const std::string& name : requirement.figures) listed.insert(note.name + " " + requirement.id + " " + name);
    }
  std::set<std::string> unlisted;
  for (const Figure& figure : figures)
    if (const std::string name = figure.requirement + " " + figure.name; !listed.contains(name)) unlisted.insert(name);
  judgement.unlisted.assign(unlisted.begin(), unlisted.end());
  return judgement;
}

}  // namespace koppla::verification
