#include "ledger.hpp"

#include <cstdlib>
#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"
#include "koppla/core/file.hpp"

namespace koppla::verification {
namespace {

const std::vector<Note> kNotes{{"note",
                                "A paper",
                                {{"A1", "two figures", {"steps", "calls"}, "", ""},
                                 {"A2", "nothing yet", {}, "a spring", ""},
                                 {"A3", "too much", {"weight"}, "", "springs have mass"}}}};

std::string line(const std::string& figure, const std::string& verdict, const std::string& obtained,
                 const std::string& test = "Steps.Are", const std::string& requirement = "note A1") {
  return requirement + "\t" + figure + "\t" + verdict + "\tmuch\t" + obtained + "\t" + test + "\n";
}

std::string end(const std::string& test, const std::string& outcome) {
  return "end\t" + test + "\t" + outcome + "\n";
}

const std::string kEnd = end("Steps.Are", "pass");
const std::string kWeight = line("weight", "pass", "1", "Steps.Are", "note A3");

Judgement judgementOf(const std::string& ledger) {
  return judge(kNotes, readLedger(ledger + kWeight + kEnd));
}

Row first(const std::string& ledger) {
  return judgementOf(ledger).rows.at(0);
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
  EXPECT_TRUE(judgementOf(ledger).passed());
}

TEST(Ledger, AMissingFigureFails) {
  const Judgement judgement = judgementOf(line("steps", "pass", "101"));
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

TEST(Ledger, AFigureOfATestThatFailedElsewhereShowsNothing) {
  const std::string other = line("calls", "pass", "0", "Calls.Are");
  const auto verdictWith = [&](const std::string& outcome) {
    return first(line("steps", "pass", "101") + other + outcome);
  };
  EXPECT_EQ(verdictWith(end("Calls.Are", "pass")).verdict, Verdict::pass);
  for (const std::string outcome : {"fail", "skip"})
    EXPECT_EQ(verdictWith(end("Calls.Are", outcome)).verdict, Verdict::fail);
  EXPECT_EQ(verdictWith(end("Calls.Are", "fail")).obtained, "steps: 101; calls: 0 (Calls.Are failed)");
  EXPECT_EQ(verdictWith(end("Calls.Are", "skip")).obtained, "steps: 101; calls: 0 (Calls.Are was skipped)");
  EXPECT_EQ(verdictWith(end("Calls.Are", "fail") + end("Calls.Are", "pass")).verdict, Verdict::fail)
      << "once is enough";
}

TEST(Ledger, AFigureOfATestThatDiedShowsNothing) {
  const Row row = first(line("steps", "pass", "101") + line("calls", "pass", "0", "Calls.Are"));
  EXPECT_EQ(row.verdict, Verdict::fail);
  EXPECT_EQ(row.obtained, "steps: 101; calls: 0 (Calls.Are did not end)");
}

TEST(Ledger, ARequirementWhoseFeatureIsMissingIsOpenAndNoFailure) {
  const std::vector<Figure> held = readLedger(line("steps", "pass", "101") + kEnd);
  const std::vector<Figure> broken = readLedger(line("steps", "fail", "102") + kEnd);
  const auto judged = [](const std::vector<std::string>& names, const std::vector<Figure>& figures) {
    return judge({{"note", "A paper", {{"A1", "half", names, "a spring", ""}}}}, figures);
  };
  EXPECT_EQ(judged({}, {}).rows.at(0).verdict, Verdict::open);
  EXPECT_EQ(judged({}, {}).rows.at(0).obtained, "missing: a spring");
  EXPECT_TRUE(judged({}, {}).passed());
  EXPECT_EQ(judged({"steps"}, held).rows.at(0).verdict, Verdict::open);
  EXPECT_EQ(judged({"steps"}, held).rows.at(0).obtained, "steps: 101; missing: a spring");
  EXPECT_EQ(judged({"steps"}, broken).rows.at(0).verdict, Verdict::fail);
  EXPECT_FALSE(judged({"steps"}, broken).passed());
}

TEST(Ledger, ARequirementWithAReasonFailsAndSaysItWhateverItsFiguresAre) {
  const auto judged = [](const std::string& verdict) {
    return judge({{"note", "A paper", {{"A3", "too much", {"weight"}, "", "springs have mass"}}}},
                 readLedger(line("weight", verdict, "1", "Steps.Are", "note A3") + kEnd));
  };
  EXPECT_EQ(judged("pass").rows.at(0).verdict, Verdict::fail);
  EXPECT_EQ(judged("pass").rows.at(0).obtained, "weight: 1; fails: springs have mass");
  EXPECT_TRUE(judged("pass").passed()) << "the reason is known";
  EXPECT_EQ(judged("unmet").rows.at(0).obtained, "weight: 1 (demanded: much); fails: springs have mass");
  EXPECT_TRUE(judged("unmet").passed());
  EXPECT_FALSE(judged("fail").passed()) << "not what was known";
}

TEST(Ledger, AnUnmetFigureNeedsAReasonInTheList) {
  const Judgement judgement = judgementOf(line("steps", "unmet", "101") + line("calls", "pass", "0"));
  EXPECT_EQ(judgement.rows.at(0).verdict, Verdict::fail);
  EXPECT_FALSE(judgement.passed());
}

TEST(Ledger, AFigureThatNoListHasIsAnError) {
  const std::string ledger = line("steps", "pass", "101") + line("calls", "pass", "0");
  for (const std::string stranger : {"note A1\tspeed", "note A2\tsteps", "other A1\tsteps"}) {
    const Judgement judgement = judgementOf(ledger + stranger + "\tpass\t\t\tSteps.Are\n");
    EXPECT_EQ(judgement.unlisted.size(), 1U) << stranger;
    EXPECT_FALSE(judgement.passed()) << stranger;
  }
}

TEST(Ledger, ALineThatIsNeitherFigureNorEndIsAnError) {
  EXPECT_TRUE(readLedger("").empty());
  EXPECT_TRUE(readLedger(kEnd).empty());
  EXPECT_THROW(readLedger("note A1\tsteps\tpass\n"), core::InputError);
  EXPECT_THROW(readLedger("note A1\tsteps\tpass\t\t\n"), core::InputError);
  EXPECT_THROW(readLedger("note A1\tsteps\tperhaps\t\t\tSteps.Are\n"), core::InputError);
  EXPECT_THROW(readLedger(end("Steps.Are", "perhaps")), core::InputError);
}

TEST(Ledger, LinesHoldNoteIdVerdictDemandedAndObtained) {
  const Judgement judgement = judgementOf(line("steps", "pass", "2.50548480000123") + line("calls", "pass", "a|b"));
  EXPECT_EQ(lines(judgement),
            "note A1 pass two figures | steps: 2.5054848; calls: a|b\n"
            "note A2 open nothing yet | missing: a spring\n"
            "note A3 fail too much | weight: 1; fails: springs have mass\n");
  const std::string page = markdown(kNotes, judgement);
  EXPECT_NE(page.find("3 requirements: 1 pass, 1 fail, 1 open."), std::string::npos) << page;
  EXPECT_NE(page.find("| A1 | pass | two figures | steps: 2.5054848; calls: a\\|b |\n"), std::string::npos) << page;
}

/// What a test program leaves in its ledger.
class OwnLedger : public testing::Test {
 protected:
  /// Runs one test of ledger_probe.cpp in a process of its own.
  std::vector<Figure> figuresOf(const std::string& test) {
    const std::string ledger = (folder_.path() / "ledger.tsv").string();
    std::filesystem::remove(ledger);
    const std::string command =
        "KOPPLA_LEDGER='" + ledger + "' '" KOPPLA_LEDGER_PROBE "' --gtest_filter='Probe." + test + "' >/dev/null 2>&1";
    status_ = std::system(command.c_str());  // NOLINT(concurrency-mt-unsafe)
    return readLedger(core::readWhole(ledger));
  }

  core::TemporaryFolder folder_{"ledger"};
  int status_ = 0;
};

TEST_F(OwnLedger, TellsHowTheTestOfAFigureEnded) {
  const std::map<std::string, std::string> complaints{
      {"Passes", ""}, {"FailsElsewhere", " failed"}, {"IsSkipped", " was skipped"}, {"Dies", " did not end"}};
  for (const auto& [name, complaint] : complaints) {
    const std::vector<Figure> figures = figuresOf(name);
    ASSERT_EQ(figures.size(), 1U) << name;
    EXPECT_TRUE(figures[0].holds) << name;
    const std::string test = "ledger_probe.Probe." + name;
    EXPECT_EQ(figures[0].complaint, complaint.empty() ? "" : test + complaint);
  }
}

TEST_F(OwnLedger, HoldsNoFigureThatIsNotANumber) {
  const std::vector<Figure> figures = figuresOf("HasNoNumber");
  EXPECT_NE(status_, 0);
  ASSERT_EQ(figures.size(), 1U);
  EXPECT_FALSE(figures[0].holds);
}

TEST_F(OwnLedger, TellsOfAFigureThatIsKnownToBeUnmetWithoutFailing) {
  const std::vector<Figure> figures = figuresOf("KnowsThatItIsTooMuch");
  EXPECT_EQ(status_, 0);
  ASSERT_EQ(figures.size(), 1U);
  EXPECT_TRUE(figures[0].known);
  EXPECT_FALSE(figures[0].holds);
  EXPECT_EQ(figures[0].complaint, "");
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
  EXPECT_EQ(mistake(head + requirement + "figures = [\"a\"]\n"), "");
  EXPECT_EQ(mistake(head + requirement + "figures = []\nmissing = \"a spring\"\n"), "");
  EXPECT_EQ(mistake(head + requirement + "figures = []\nreason = \"springs have mass\"\n"), "");
  EXPECT_NE(mistake(head + requirement + "figures = []\n").find("'L1' has no figures and says neither"),
            std::string::npos);
  EXPECT_NE(mistake(head + requirement + "figures = [\"a\"]\nmissing = \"\"\n").find("'missing' is missing"),
            std::string::npos);
  EXPECT_NE(mistake(head + requirement).find("list.toml:3:1: The array 'figures' is missing."), std::string::npos);
  EXPECT_NE(mistake(head + requirement + "figures = [1]\n").find("list.toml:6:12"), std::string::npos);
  EXPECT_NE(mistake(head + requirement + "figures = [\"a\", \"a\"]\n").find("'a' is there twice"), std::string::npos);
  EXPECT_NE(mistake(head + requirement + "figure = []\n").find("'figure' has no meaning here"), std::string::npos);
  EXPECT_NE(mistake(head + requirement + "figures = [\"a\"]\n" + requirement + "figures = [\"a\"]\n")
                .find("'L1' is there twice"),
            std::string::npos);
  EXPECT_NE(mistake("note = ").find("list.toml:1:"), std::string::npos);
}

}  // namespace
}  // namespace koppla::verification
