#include "ledger.hpp"

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"

namespace koppla::verification {
namespace {

const std::vector<Note> kNotes{
    {"note", "A paper", {{"A1", "two figures", {"steps", "calls"}}, {"A2", "nothing yet", {}}}}};

std::string line(const std::string& figure, const std::string& verdict, const std::string& obtained) {
  return "note A1\t" + figure + "\t" + verdict + "\tmuch\t" + obtained + "\n";
}

Row first(const std::string& ledger) {
  return judge(kNotes, readLedger(ledger)).rows.at(0);
}

std::string mistake(const std::string& toml) {
  try {
    readNote(toml, "list.toml");
    return "";
  } catch (const core::InputError& error) {
    return error.what();
  }
}

TEST(Ledger, ARequirementPassesWhenAllItsFiguresHold) {
  const std::string ledger = line("steps", "pass", "101") + line("calls", "pass", "116/159");
  EXPECT_EQ(first(ledger).verdict, Verdict::pass);
  EXPECT_EQ(first(ledger).obtained, "steps: 101; calls: 116/159");
  EXPECT_TRUE(judge(kNotes, readLedger(ledger)).passed());
}

TEST(Ledger, AMissingFigureFails) {
  const Judgement judgement = judge(kNotes, readLedger(line("steps", "pass", "101")));
  EXPECT_EQ(judgement.rows.at(0).verdict, Verdict::fail);
  EXPECT_EQ(judgement.rows.at(0).obtained, "steps: 101; calls: missing");
  EXPECT_FALSE(judgement.passed());
}

TEST(Ledger, AFigureThatDoesNotHoldFailsAndTellsWhatIsDemanded) {
  const Row row = first(line("steps", "fail", "102") + line("calls", "pass", "0"));
  EXPECT_EQ(row.verdict, Verdict::fail);
  EXPECT_EQ(row.obtained, "steps: 102 (demanded: much); calls: 0");
}

TEST(Ledger, AFigureReportedTwiceMustHoldBothTimes) {
  const std::string good = line("steps", "pass", "101") + line("calls", "pass", "0");
  EXPECT_EQ(first(good + good).verdict, Verdict::pass);
  EXPECT_EQ(first(line("steps", "fail", "7") + good).verdict, Verdict::fail);
  EXPECT_EQ(first(good + line("steps", "fail", "7")).verdict, Verdict::fail);
}

TEST(Ledger, ARequirementWithoutFiguresIsOpenAndNoFailure) {
  const Judgement judgement = judge({{"note", "A paper", {{"A2", "nothing yet", {}}}}}, {});
  EXPECT_EQ(judgement.rows.at(0).verdict, Verdict::open);
  EXPECT_TRUE(judgement.passed());
}

TEST(Ledger, AFigureThatNoListHasIsAnError) {
  const std::string ledger = line("steps", "pass", "101") + line("calls", "pass", "0");
  for (const std::string stranger : {"note A1\tspeed", "note A2\tsteps", "other A1\tsteps"}) {
    const Judgement judgement = judge(kNotes, readLedger(ledger + stranger + "\tpass\t\t\n"));
    EXPECT_EQ(judgement.unlisted.size(), 1U) << stranger;
    EXPECT_FALSE(judgement.passed()) << stranger;
  }
}

TEST(Ledger, ALineThatIsNoFigureIsAnError) {
  EXPECT_TRUE(readLedger("").empty());
  EXPECT_THROW(readLedger("note A1\tsteps\tpass\n"), core::InputError);
  EXPECT_THROW(readLedger("note A1\tsteps\tperhaps\t\t\n"), core::InputError);
}

TEST(Ledger, LinesHoldNoteIdVerdictDemandedAndObtained) {
  const Judgement judgement =
      judge(kNotes, readLedger(line("steps", "pass", "2.50548480000123") + line("calls", "pass", "a|b")));
  EXPECT_EQ(lines(judgement),
            "note A1 pass two figures | steps: 2.5054848; calls: a|b\n"
            "note A2 open nothing yet | -\n");
  const std::string page = markdown(kNotes, judgement);
  EXPECT_NE(page.find("2 requirements: 1 pass, 0 fail, 1 open."), std::string::npos) << page;
  EXPECT_NE(page.find("| A1 | pass | two figures | steps: 2.5054848; calls: a\\|b |\n"), std::string::npos) << page;
}

TEST(Note, IsReadFromToml) {
  const Note note = readNote(R"(note = "lu"
source = "Lu"
[[requirements]]
id = "L1"
demand = """
two
  lines"""
figures = ["a", "b"]
)",
                             "list.toml");
  EXPECT_EQ(note.name, "lu");
  EXPECT_EQ(note.source, "Lu");
  ASSERT_EQ(note.requirements.size(), 1U);
  EXPECT_EQ(note.requirements[0].id, "L1");
  EXPECT_EQ(note.requirements[0].demand, "two lines");
  EXPECT_EQ(note.requirements[0].figures, (std::vector<std::string>{"a", "b"}));
}

TEST(Note, MistakesAreNamedWithTheirPlace) {
  const std::string head = "note = \"lu\"\nsource = \"Lu\"\n";
  const std::string requirement = "[[requirements]]\nid = \"L1\"\ndemand = \"d\"\n";
  EXPECT_EQ(mistake(head + requirement + "figures = []\n"), "");
  EXPECT_NE(mistake(head + requirement).find("list.toml:3:1: The array 'figures' is missing."), std::string::npos);
  EXPECT_NE(mistake(head + requirement + "figures = [1]\n").find("list.toml:6:12"), std::string::npos);
  EXPECT_NE(mistake(head + requirement + "figures = [\"a\", \"a\"]\n").find("'a' is there twice"), std::string::npos);
  EXPECT_NE(mistake(head + requirement + "figure = []\n").find("'figure' has no meaning here"), std::string::npos);
  EXPECT_NE(mistake(head + requirement + "figures = []\n" + requirement + "figures = []\n").find("'L1' is there twice"),
            std::string::npos);
  EXPECT_NE(mistake("note = ").find("list.toml:1:"), std::string::npos);
}

}  // namespace
}  // namespace koppla::verification
