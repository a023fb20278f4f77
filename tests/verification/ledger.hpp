#pragma once

#include <string>
#include <string_view>
#include <vector>

/// What the theory notes demand, compared with what the tests report: the mechanism of `make verification`.
namespace koppla::verification {

/// A requirement of a theory note and the names of the figures that show it, or what keeps it from being shown.
struct Requirement {
  std::string id;      ///< "N4"
  std::string demand;  ///< in the note's words, on one line
  std::vector<std::string> figures;
  std::string missing;  ///< the feature that it still needs; not empty: at best open
  std::string reason;   ///< why it cannot be met; not empty: fails whatever the figures say
};

/// The requirement list of a theory note.
struct Note {
  std::string name;    ///< "nicolai"
  std::string source;  ///< the publication
  std::vector<Requirement> requirements;
};

/// Reads a requirement list (TOML). Throws core::InputError with the file where something is missing, of another type
/// or there twice, and for a requirement that has neither figures nor says what is missing or why it fails.
Note readNote(std::string_view toml, const std::string& file);

/// A figure that a test reported by test::showFigure.
struct Figure {
  std::string requirement;  ///< "nicolai N4"
  std::string name;
  bool holds = false;
  std::string demanded;
  std::string obtained;
  bool known = false;     ///< does not hold, and the test knows
  std::string complaint;  ///< about the test that reported it; a figure with one shows nothing
};

/// Reads a ledger: one line a figure, and one more for every test that has ended. Throws core::InputError with the
/// number of a line that is neither. A figure of a test that has failed, was skipped or never ended gets a complaint.
std::vector<Figure> readLedger(std::string_view text);

enum class Verdict : unsigned char {
  pass,  ///< every figure of the requirement was reported by a test that passed, and holds
  fail,  ///< a figure is missing or does not hold, its test failed, or the list says why the requirement is not met
  open,  ///< the list names the feature that is missing
};

std::string_view word(Verdict verdict);

/// One requirement and what came of it.
struct Row {
  std::string note;
  std::string id;
  Verdict verdict = Verdict::open;
  std::string demanded;
  std::string obtained;      ///< the figures and what the list says, or "-"
  bool unexplained = false;  ///< fails, and not for the reason in the list
};

struct Judgement {
  std::vector<Row> rows;
  std::vector<std::string> unlisted;  ///< reported figures that no list knows, "nicolai N4 steps"; each is an error

  /// Nothing failed but what the lists give a reason for.
  [[nodiscard]] bool passed() const;
};

Judgement judge(const std::vector<Note>& notes, const std::vector<Figure>& figures);

/// One line per requirement: note, id, verdict, then what is demanded and what was obtained with a bar between them.
std::string lines(const Judgement& judgement);

/// The same as a page with a table per note.
std::string markdown(const std::vector<Note>& notes, const Judgement& judgement);

}  // namespace koppla::verification
