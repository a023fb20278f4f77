#include "ledger.hpp"

#include <algorithm>
#include <charconv>
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

/// Eight digits of a number are enough to compare it with what is demanded; other texts stay as they are.
std::string compact(const std::string& obtained) {
  double number = 0.0;
  const char* end = obtained.data() + obtained.size();
  const auto [rest, error] = std::from_chars(obtained.data(), end, number);
  if (error != std::errc{} || rest != end) return obtained;
  return fmt::format("{:.8g}", number);
}

std::string describe(const Figure& figure) {
  const std::string text = figure.name + ": " + compact(figure.obtained);
  return figure.holds ? text : text + " (demanded: " + figure.demanded + ")";
}

/// A figure that was reported several times holds only if it holds every time; the first that does not is shown.
const Figure* find(const std::vector<Figure>& figures, const std::string& requirement, const std::string& name) {
  const Figure* found = nullptr;
  for (const Figure& figure : figures) {
    if (figure.requirement != requirement || figure.name != name) continue;
    if (!figure.holds) return &figure;
    found = &figure;
  }
  return found;
}

Row judge(const std::string& note, const Requirement& requirement, const std::vector<Figure>& figures) {
  Row row{note, requirement.id, Verdict::open, requirement.demand, "-"};
  if (requirement.figures.empty()) return row;
  row.verdict = Verdict::pass;
  std::vector<std::string> obtained;
  for (const std::string& name : requirement.figures) {
    const Figure* figure = find(figures, note + " " + requirement.id, name);
    if (figure == nullptr || !figure->holds) row.verdict = Verdict::fail;
    obtained.push_back(figure == nullptr ? name + ": missing" : describe(*figure));
  }
  row.obtained = fmt::format("{}", fmt::join(obtained, "; "));
  return row;
}

}  // namespace

std::vector<Figure> readLedger(std::string_view text) {
  std::vector<Figure> figures;
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (line.empty()) continue;
    const auto fields = split(line, '\t');
    if (fields.size() != 5 || (fields[2] != "pass" && fields[2] != "fail"))
      throw core::InputError(
          fmt::format("Line {} of the ledger is no figure: '{}'.", number, line),
          "A figure is 'requirement, name, pass or fail, demanded, obtained' with tabs between them.");
    figures.push_back({std::string(fields[0]), std::string(fields[1]), fields[2] == "pass", std::string(fields[3]),
                       std::string(fields[4])});
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
  return unlisted.empty() && std::ranges::none_of(rows, [](const Row& row) { return row.verdict == Verdict::fail; });
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
