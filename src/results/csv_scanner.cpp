#include "koppla/results/csv_scanner.hpp"

#include <algorithm>

namespace koppla::results {

std::string Field::text() const {
  if (!quoted) return std::string(raw);
  std::string result;
  result.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    result += raw[i];
    if (raw[i] == '"') ++i;  // the second of a doubled quote
  }
  return result;
}

bool CsvScanner::nextRow(std::vector<Field>& fields) {
  fields.clear();
  while (at_ < text_.size() && (text_[at_] == '\n' || text_.substr(at_, 2) == "\r\n"))
    at_ += text_[at_] == '\n' ? 1 : 2;
  if (at_ >= text_.size()) return false;
  do scan(fields.emplace_back());
  while (!fields.back().lastOfRow);
  return true;
}

void CsvScanner::scan(Field& field) {
  if (at_ < text_.size() && text_[at_] == ' ') {  // spaces before a quote mean nothing
    const std::size_t quote = text_.find_first_not_of(' ', at_);
    if (quote != std::string_view::npos && text_[quote] == '"') at_ = quote;
  }
  field.offset = at_;
  if (at_ < text_.size() && text_[at_] == '"')
    scanQuoted(field);
  else
    scanBare(field);
  finish(field);
}

void CsvScanner::scanQuoted(Field& field) {
  field.quoted = true;
  const std::size_t begin = ++at_;
  while (true) {
    at_ = std::min(text_.find('"', at_), text_.size());
    if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
      at_ += 2;
      continue;
    }
    break;
  }
  field.raw = text_.substr(begin, at_ - begin);
  field.closed = at_ < text_.size();
  if (field.closed) ++at_;
}

void CsvScanner::scanBare(Field& field) {
  const std::size_t begin = at_;
  while (at_ < text_.size() && text_[at_] != delimiter_ && text_[at_] != '\n') ++at_;
  field.raw = text_.substr(begin, at_ - begin);
  if (at_ < text_.size() && text_[at_] == '\n' && field.raw.ends_with('\r')) field.raw.remove_suffix(1);
}

void CsvScanner::finish(Field& field) {
  if (field.quoted && text_.substr(at_, 2) == "\r\n") ++at_;
  if (at_ >= text_.size()) {
    field.lastOfRow = true;
    field.complete = false;
    return;
  }
  if (text_[at_] != delimiter_ && text_[at_] != '\n')
    throw mistake(at_, "Text follows a closing quote.",
                  "Double the quotes that belong to the text, and close it right before the delimiter.");
  field.lastOfRow = text_[at_] == '\n';
  ++at_;
}

core::InputError CsvScanner::mistake(std::size_t offset, std::string message, std::string remedy) const {
  const std::string_view before = text_.substr(0, offset);
  const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::size_t lineBreak = before.rfind('\n');
  const std::size_t column = lineBreak == std::string_view::npos ? offset + 1 : offset - lineBreak;
  return core::InputError(std::vector{core::Problem{{file_, line, column}, std::move(message), std::move(remedy)}});
}

char delimiterOf(std::string_view text) {
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == ',' || c == ';' || c == '\t') return c;
    if (c == '\n') break;
  }
  return ',';
}

}  // namespace koppla::results
