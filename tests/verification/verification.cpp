// Compares the figures of a ledger with the requirement lists of the theory notes.
// Usage: koppla_verification <ledger> <page to write> <requirement list>...
// Exit code: 0 no requirement fails but for a reason that its list gives, 1 one does, 2 ledger or lists are wrong.

#include <cstdio>
#include <exception>
#include <set>
#include <string>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"

#include "ledger.hpp"

namespace {

using namespace koppla;

std::vector<verification::Note> readNotes(int count, char** files) {
  std::vector<verification::Note> notes;
  std::set<std::string> names;
  for (int i = 0; i < count; ++i) {
    notes.push_back(verification::readNote(core::readWhole(files[i]), files[i]));
    if (!names.insert(notes.back().name).second)
      throw core::InputError("Two lists are of the note '" + notes.back().name + "'.",
                             "Give every note a name of its own.");
  }
  return notes;
}

int verify(int argc, char** argv) {
  if (argc < 4)
    throw core::InputError("Too few arguments.", "koppla_verification <ledger> <page> <requirement list>...");
  const auto notes = readNotes(argc - 3, argv + 3);
  const auto judgement = verification::judge(notes, verification::readLedger(core::readWhole(argv[1])));
  std::fputs(verification::lines(judgement).c_str(), stdout);
  core::writeWhole(argv[2], verification::markdown(notes, judgement));
  for (const std::string& name : judgement.unlisted)
    std::fprintf(stderr, "A test reports the figure '%s', which no list in tests/verification has.\n", name.c_str());
  if (!judgement.unlisted.empty()) return 2;
  return judgement.passed() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return verify(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "koppla_verification: %s\n", error.what());
    return 2;
  }
}
