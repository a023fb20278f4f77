#include <algorithm>

#include <fmt/format.h>

#include "ledger.hpp"

namespace koppla::verification {

namespace {

std::string counts(const std::vector<Row>& rows) {
  const auto count = [&](Verdict verdict) { return std::ranges::count(rows, verdict, &Row::verdict); };
  return fmt::format("{} requirements: {} pass, {} fail, {} open", rows.size(), count(Verdict::pass),
                     count(Verdict::fail), count(Verdict::open));
}

/// A bar would end the cell.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
  return result;
}

}  // namespace

std::string lines(const Judgement& judgement) {
  std::string text;
  for (const Row& row : judgement.rows)
    text += fmt::format("{} {} {} {} | {}\n", row.note, row.id, word(row.verdict), row.demanded, row.obtained);
  return text;
}

std::string markdown(const std::vector<Note>& notes, const Judgement& judgement) {
  std::string text =
      "# Verification\n\n"
      "What the theory notes demand and what Koppla obtains. This page is generated: `make verification` runs all "
      "tests\n"
      "and measurements and writes it anew. `pass`: every figure of the requirement was reported in that run by a "
      "test\n"
      "that passed, and holds; `fail`: one is missing, does not hold or its test failed, or the reason is given why "
      "the\n"
      "requirement is not met; `open`: a feature is missing, which is named. Which figures belong to a requirement is "
      "written\n"
      "in `tests/verification/*.toml`.\n\n";
  text += counts(judgement.rows) + ".\n";
  for (const Note& note : notes) {
    std::vector<Row> rows;
    std::ranges::copy_if(judgement.rows, std::back_inserter(rows),
                         [&](const Row& row) { return row.note == note.name; });
    text += fmt::format("\n## {}\n\n{}\n\n{}.\n\n", note.name, note.source, counts(rows));
    text += "| requirement | verdict | demanded | obtained |\n|---|---|---|---|\n";
    for (const Row& row : rows)
      text += fmt::format("| {} | {} | {} | {} |\n", row.id, word(row.verdict), cell(row.demanded), cell(row.obtained));
  }
  return text;
}

}  // namespace koppla::verification
