#pragma once

#include <array>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "koppla/project/document.hpp"
#include "koppla/project/findings.hpp"
#include "koppla/project/placed.hpp"
#include "koppla/project/words.hpp"

namespace koppla::project {

/// Lower bound of a number; numbers are finite in any case.
struct Range {
  double least = std::numeric_limits<double>::lowest();
  bool open = false;  ///< the bound itself is excluded
};

inline constexpr Range kPositive{0.0, true};
inline constexpr Range kNotNegative{0.0, false};
constexpr Range above(double bound) {
  return {bound, true};
}
constexpr Range atLeast(double bound) {
  return {bound, false};
}

inline constexpr unsigned kMostCount = std::numeric_limits<int>::max();

/// Circumstances of an option.
struct Rule {
  std::string required{};  ///< what to write if the option is missing; empty: it may be missing
  std::string idle{};      ///< why the option has no effect here; empty: it has
};

/// What all readers of one document share.
struct Reports {
  struct Option {
    std::string section;
    std::string key;
  };

  Findings findings;
  std::vector<Option> options;  ///< every option that was asked for, present or not
};

/// Reads the options of one table. Each is asked for once, with the variable that takes its value; a mistake leaves the
/// variable as it is. What nobody asked for is reported in the end.
class TableReader {
 public:
  /// `title` names the table in messages, such as "[simulation]". The table and the reports outlive the reader.
  TableReader(const Table* table, core::Place place, std::string title, Reports& reports);

  void real(std::string_view key, double& into, Range range = {}, const Rule& rule = {});
  void optionalReal(std::string_view key, std::optional<Placed<double>>& into);
  void optionalReal(std::string_view key, std::optional<double>& into, Range range, const Rule& rule);
  void reals(std::string_view key, std::vector<double>& into, const Rule& rule = {});
  /// One number, or an array of them.
  void realOrReals(std::string_view key, std::vector<double>& into, const Rule& rule = {});
  /// An array of rows.
  void matrix(std::string_view key, std::vector<std::vector<double>>& into, const Rule& rule = {});
  void count(std::string_view key, unsigned& into, unsigned least, const Rule& rule = {}, unsigned most = kMostCount);
  void optionalCount(std::string_view key, std::optional<unsigned>& into, unsigned least, const Rule& rule,
                     unsigned most);
  void flag(std::string_view key, bool& into, const Rule& rule = {});
  void text(std::string_view key, Placed<std::string>& into, const Rule& rule = {});
  void texts(std::string_view key, std::vector<Placed<std::string>>& into);
  /// A table whose keys are the user's names: numbers or texts, in the order of the file.
  std::vector<std::pair<Placed<std::string>, double>> namedReals(std::string_view key, const Rule& rule = {});
  std::vector<std::pair<Placed<std::string>, Placed<std::string>>> namedTexts(std::string_view key,
                                                                              const Rule& rule = {});

  template <typename T, std::size_t N>
  void word(std::string_view key, T& into, const std::array<Word<T>, N>& words, const Rule& rule = {}) {
    Placed<std::string> typed;
    text(key, typed, rule);
    if (!given(key) || !sound({key})) return;
    for (const Word<T>& word : words) {
      if (word.text != typed.value) continue;
      into = word.value;
      return;
    }
    unknownWord(key, typed, project::texts(words));
  }

  /// The table under this key; an empty one if there is none.
  TableReader table(std::string_view key);
  /// The tables written as [[key]].
  std::vector<TableReader> tables(std::string_view key);
  /// The tables in the table under this key, whose names are the user's: the titles of the readers.
  std::vector<TableReader> namedTables(std::string_view key);
  /// The table under this key whose keys are the user's own; an empty one if there is none.
  const Table& freeTable(std::string_view key, const Rule& rule = {});
  /// The array under this key whose elements may have any type; an empty one if there is none.
  const Array& freeArray(std::string_view key);

  /// An option that has no sense here, and why: a mistake if it is given.
  void refuse(std::string_view key, const std::string& why);
  [[nodiscard]] bool given(std::string_view key) const { return find(key) != nullptr; }
  [[nodiscard]] bool isText(std::string_view key) const;
  /// Whether nothing is wrong with these options, so that they may be compared with each other.
  [[nodiscard]] bool sound(std::initializer_list<std::string_view> keys) const;
  /// Of an option's value; of the table itself if the option is missing.
  [[nodiscard]] core::Place place(std::string_view key) const;
  [[nodiscard]] const core::Place& place() const { return place_; }
  [[nodiscard]] const std::string& title() const { return title_; }

  /// A mistake in the value of an option.
  void mistake(std::string_view key, std::string message, std::string remedy = {});
  /// Reports the keys that nobody asked for. To be called when all tables of the document have been read.
  void finish();

 private:
  [[nodiscard]] const Entry* find(std::string_view key) const;
  const Node* take(std::string_view key, const Rule& rule);
  void wrongType(std::string_view key, const Node& found, std::string_view expected, std::string remedy = {});
  void outOfRange(std::string_view key, const std::string& found, const std::string& expected);
  void refuseNumber(std::string_view key, const Node& node);
  std::optional<double> number(std::string_view key, const Node& node, Range range);
  std::optional<std::vector<double>> numbers(std::string_view key, const Node& node);
  void unknownWord(std::string_view key, const Placed<std::string>& typed, const std::vector<std::string>& known);
  [[nodiscard]] std::string belongsElsewhere(std::string_view key) const;

  const Table* table_;
  core::Place place_;
  std::string title_;
  Reports* reports_;
  std::vector<std::string> known_;
  std::vector<std::string> unsound_;
};

}  // namespace koppla::project
