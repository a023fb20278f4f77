// Options of programs in project files, at the edges of what they take.

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/core/file.hpp"
#include "koppla/project/reader.hpp"

#include "problem_list.hpp"

namespace koppla::project::program_reader_test {
namespace {

using program::ProgramSettings;
using program::Take;
using test::mistakes;
using test::ProblemList;
using test::warnings;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class ProgramReaderTest : public testing::Test {
 protected:
  /// The lines stand from line 6 on.
  [[nodiscard]] Reading readingOf(const std::string& lines) const {
    return parse(
        "format = 1\nsimulation = { end = 1.0, step = 0.5 }\n[[subsystems]]\nname = \"a\"\nprogram = \"true\"\n" +
            lines,
        folder_.path() / "loop.toml");
  }
  [[nodiscard]] ProblemList problemsIn(const std::string& lines) const { return mistakes(readingOf(lines)); }
  [[nodiscard]] ProgramSettings settingsOf(const std::string& lines) const {
    const Reading reading = readingOf(lines);
    EXPECT_THAT(mistakes(reading), IsEmpty()) << lines;
    return reading.project.subsystems.at(0).program->settings;
  }
  [[nodiscard]] program::Reading outputOf(const std::string& options) const {
    return settingsOf("outputs.y = { file = \"y\", " + options + " }\n").outputs.at(0).reading;
  }
  void write(const char* name, std::string_view text) const { core::writeWhole(folder_.path() / name, text); }

  core::TemporaryFolder folder_{"program-reader"};
};

TEST_F(ProgramReaderTest, EveryPortHasItsOwnOptions) {
  const ProgramSettings settings = settingsOf(
      "inputs.x = { file = \"x.csv\", unit = \"N\", nominal = 2.0, description = \"load\", start = [1, 2], size = 2 }\n"
      "inputs.z = { file = \"z.csv\" }\ninputs.w = {}\n"
      "outputs.y = { file = \"y.csv\", unit = \"K\", components = 3 }\noutputs.v = { file = \"v.csv\", ids = [4, -2] "
      "}\n"
      "parameters = { k = 2, w = 9.0, b = [1, 2.5, 3], y = 7 }\n");
  ASSERT_EQ(settings.inputs.size(), 3U);
  EXPECT_EQ(settings.inputs[0].file, "x.csv");
  EXPECT_EQ(settings.inputs[1].file, "z.csv");
  EXPECT_EQ(settings.inputs[2].file, "");
  EXPECT_EQ(settings.inputs[0].unit, "N");
  EXPECT_EQ(settings.inputs[0].description, "load");
  EXPECT_EQ(settings.inputs[0].nominal, 2.0);
  EXPECT_THAT(settings.inputs[0].start, ElementsAre(1.0, 2.0));
  EXPECT_THAT(settings.inputs[0].field.ids, ElementsAre(1, 2));
  EXPECT_FALSE(settings.inputs[0].field.numbered);
  ASSERT_EQ(settings.outputs.size(), 2U);
  EXPECT_EQ(settings.outputs[0].port.field.components, 3U);
  EXPECT_THAT(settings.outputs[0].port.field.ids, ElementsAre(1));
  EXPECT_EQ(settings.outputs[0].reading.unit, "K");
  EXPECT_EQ(settings.outputs[1].reading.unit, "");
  EXPECT_THAT(settings.outputs[1].port.field.ids, ElementsAre(4, -2));
  EXPECT_TRUE(settings.outputs[1].port.field.numbered);
  ASSERT_EQ(settings.parameters.size(), 2U) << "the others are ports";
  EXPECT_EQ(settings.parameters[0].field.name, "k");
  EXPECT_THAT(settings.parameters[0].start, ElementsAre(2.0));
  EXPECT_THAT(settings.parameters[1].start, ElementsAre(1.0, 2.5, 3.0));
  EXPECT_THAT(settings.parameters[1].field.ids, ElementsAre(1, 2, 3));
}

TEST_F(ProgramReaderTest, IdsStandInAFileOrInAnArray) {
  write("nodes", "7 , 0.5\n3\n");
  write("wrong", "7\nx\n");
  const std::string head = "inputs.x = { file = \"x.csv\", ids = ";
  EXPECT_THAT(settingsOf(head + "\"nodes\" }\noutputs.y = { file = \"y\" }\n").inputs.at(0).field.ids,
              ElementsAre(7, 3));
  EXPECT_THAT(problemsIn(head + "\"none\" }\n"), Contains(HasSubstr("6:36 There is no file ")));
  EXPECT_THAT(problemsIn(head + "\"wrong\" }\n"), Contains(HasSubstr("The ids cannot be read: ")));
  EXPECT_THAT(problemsIn(head + "\"wrong\" }\n"), Contains(HasSubstr("wrong:2: 'x' is no id, a whole number.")));
  EXPECT_THAT(problemsIn(head + "[1, 'a'] }\n"),
              Contains(HasSubstr("6:36 An id is the string 'a'; expected is a whole number.")));
  EXPECT_THAT(problemsIn(head + "\"nodes\", size = 2 }\n"),
              Contains(HasSubstr("'size' and 'ids' exclude each other.")));
}

TEST_F(ProgramReaderTest, ColumnsAndSeparatorsAreOfTables) {
  const program::Reading reading =
      outputOf("reader = \"columns\", columns = [2, \"T\"], components = 2, id_column = 1, separator = \"|\"");
  ASSERT_EQ(reading.columns.size(), 2U);
  EXPECT_EQ(reading.columns[0], program::Column(std::size_t{2}));
  EXPECT_EQ(reading.columns[1], program::Column(std::string("T")));
  EXPECT_EQ(std::get<std::size_t>(reading.idColumn), 1U);
  EXPECT_EQ(reading.separator, '|');
  EXPECT_EQ(std::get<std::string>(outputOf("reader = \"block\", begin = \"b\", id_column = \"node\"").idColumn),
            "node");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(outputOf("reader = \"columns\"").idColumn));
  EXPECT_EQ(outputOf("reader = \"columns\", separator = \"\"").separator, '\0');
  EXPECT_THAT(problemsIn("outputs.y = { file = \"y\", reader = \"columns\", separator = \"||\" }\n"),
              ElementsAre(HasSubstr("'||' is no separator of columns. Write one character.")));
  for (const char* column : {"0", "-1", "1.5", "true"})
    EXPECT_THAT(problemsIn("outputs.y = { file = \"y\", columns = [" + std::string(column) + "] }\n"),
                ElementsAre(HasSubstr("A column is the ")))
        << column;
  EXPECT_EQ(outputOf("columns = [1]").columns.at(0), program::Column(std::size_t{1}));
  EXPECT_THAT(problemsIn("outputs.y = { file = \"y\", reader = \"key-value\", columns = [1] }\n"),
              ElementsAre(HasSubstr("Key and value have no columns.")));
}

TEST_F(ProgramReaderTest, OptionsBelongToTheirReader) {
  struct Option {
    const char* line;
    std::vector<std::string> used;
  };
  const std::vector<Option> options{{"separator = \";\"", {"columns", "block"}},
                                    {"id_column = 1", {"columns", "block"}},
                                    {"id_column = \"n\"", {"columns", "block"}},
                                    {"key = \"k\"", {"key-value"}},
                                    {"begin = \"b\"", {"block"}},
                                    {"end = \"e\"", {"block"}},
                                    {"quantity = \"q\"", {"calculix-dat"}},
                                    {"set = \"s\"", {"calculix-dat"}},
                                    {"point = 1", {"calculix-dat"}},
                                    {"take = \"first\"", {"key-value", "block", "calculix-dat"}},
                                    {"digits = 1", {"csv", "columns", "key-value", "block", "calculix-dat"}},
                                    {"open_end = true", {"csv", "columns", "key-value", "block", "calculix-dat"}}};
  for (const std::string reader : {"csv", "columns", "key-value", "block", "calculix-dat"})
    for (const Option& option : options) {
      const std::string line = option.line;
      std::string output = "outputs.y = { file = \"y\", reader = \"" + reader + "\", " + line;
      if (reader == "block" && !line.starts_with("begin")) output += ", begin = \"b\"";
      if (reader == "calculix-dat" && !line.starts_with("quantity")) output += ", quantity = \"q\"";
      const Reading reading = readingOf(output + " }\n");
      const bool used = std::ranges::find(option.used, reader) != option.used.end();
      EXPECT_THAT(mistakes(reading), IsEmpty()) << reader << ": " << line;
      EXPECT_EQ(warnings(reading).empty(), used) << reader << ": " << line;
    }
  for (const char* reader : {"block", "key-value"})
    EXPECT_THAT(problemsIn("outputs.y = { file = \"y\", begin = \"b\", reader = \"" + std::string(reader) +
                           "\", take = \"time\" }\n"),
                ElementsAre(HasSubstr("Only tables of CalculiX tell their time.")));
  EXPECT_EQ(outputOf("reader = \"calculix-dat\", quantity = \"q\", take = \"time\", set = \"s\", point = 3").take,
            Take::atTime);
  EXPECT_THAT(problemsIn("outputs.y = { file = \"y\", reader = \"calculix-dat\" }\n"),
              ElementsAre(HasSubstr("There is no 'quantity' in y.")));
}

TEST_F(ProgramReaderTest, NumbersHaveTheirLimits) {
  const auto ofOutput = [this](const std::string& option) {
    return problemsIn("outputs.y = { file = \"y\", " + option + " }\n");
  };
  EXPECT_THAT(ofOutput("digits = 17"), IsEmpty());
  EXPECT_EQ(outputOf("digits = 17").digits, 17U);
  EXPECT_THAT(ofOutput("digits = 18"), ElementsAre(HasSubstr("it must be at most 17.")));
  for (const char* option : {"digits = 0", "components = 0", "size = 0", "point = 0", "id_column = 0"})
    EXPECT_THAT(ofOutput(option), ElementsAre(HasSubstr("it must be at least 1."))) << option;
  EXPECT_THAT(ofOutput("nominal = 0"), ElementsAre(HasSubstr("it must be above 0.")));
  const std::string output = "outputs.y = { file = \"y\" }\n";
  EXPECT_THAT(settingsOf("ok_status = [0, 255]\n" + output).okStatus, ElementsAre(0, 255));
  EXPECT_THAT(settingsOf("ok_status = [7]\n" + output).okStatus, ElementsAre(7));
  EXPECT_THAT(settingsOf(output).okStatus, ElementsAre(0));
  for (const char* status : {"-1", "256", "1.0", "\"1\""})
    EXPECT_THAT(problemsIn("ok_status = [" + std::string(status) + "]\n" + output),
                ElementsAre(HasSubstr("They go from 0 to 255.")))
        << status;
  EXPECT_EQ(settingsOf("retries = 0\n" + output).retries, 0U);
  EXPECT_EQ(settingsOf("memory_limit = 1e-6\n" + output).limits.memoryBytes, 1U);
  EXPECT_EQ(settingsOf("memory_limit = 1e300\n" + output).limits.memoryBytes, 1'000'000'000'000'000'000U) << "10^12 MB";
  EXPECT_EQ(settingsOf(output).limits.memoryBytes, 0U);
  EXPECT_THAT(problemsIn("file_size_limit = 0\n" + output), ElementsAre(HasSubstr("it must be above 0.")));
}

TEST_F(ProgramReaderTest, CommandsAreLinesOrWords) {
  const ProgramSettings settings =
      settingsOf("before = [\"a b\", \"c\"]\nafter = \"x | y\"\noutputs.y = { file = \"y\" }\n");
  EXPECT_EQ(settings.command, program::Command(std::string("true")));
  EXPECT_EQ(settings.before, program::Command(std::vector<std::string>{"a b", "c"}));
  EXPECT_EQ(settings.after, program::Command(std::string("x | y")));
  EXPECT_TRUE(program::isEmpty(settingsOf("outputs.y = { file = \"y\" }\n").before));
  EXPECT_THAT(problemsIn("before = 3\noutputs.y = { file = \"y\" }\n"),
              ElementsAre(HasSubstr("6:10 'before' in [[subsystems]] is the integer 3;")));
}

TEST_F(ProgramReaderTest, RestartFilesAreOfTransientPrograms) {
  write("begin", "");
  const std::string output = "outputs.y = { file = \"y\" }\n";
  const ProgramSettings settings = settingsOf(
      "transient = true\nrestart_files = [{ write = \"w\", start = \"begin\" }, { write = \"v\", read = \"r\" }]\n" +
      output);
  ASSERT_EQ(settings.restart.size(), 2U);
  EXPECT_EQ(settings.restart[0].write, "w");
  EXPECT_EQ(settings.restart[0].start, folder_.path() / "begin");
  EXPECT_EQ(settings.restart[0].read, "");
  EXPECT_EQ(settings.restart[1].read, "r");
  EXPECT_EQ(settings.restart[1].start, "");
  EXPECT_THAT(problemsIn("restart_files = [{ write = \"w\" }]\n" + output),
              ElementsAre(StartsWith("6:17 A static program has no steps to begin from files of the step before.")));
  EXPECT_THAT(problemsIn("transient = true\nrestart_files = [{ write = \"w\", start = \"none\" }]\n" + output),
              ElementsAre(HasSubstr("There is no file ")));
  EXPECT_THAT(problemsIn("restart_files = []\n" + output), IsEmpty());
  EXPECT_THAT(problemsIn("transient = true\nrestart_files = [{ write = \"w\", wriet = 1 }]\n" + output),
              ElementsAre(HasSubstr("'wriet' is not an option of [[restart_files]].")));
}

TEST_F(ProgramReaderTest, LinksAreOfAFolder) {
  std::filesystem::create_directory(folder_.path() / "model");
  const std::string output = "outputs.y = { file = \"y\" }\n";
  EXPECT_THAT(warnings(readingOf("link = true\n" + output)),
              ElementsAre("6:1 'link' in [[subsystems]] has no effect: there is no 'folder' to be linked."));
  EXPECT_THAT(warnings(readingOf("folder = \"model\"\nlink = true\n" + output)), IsEmpty());
  EXPECT_EQ(settingsOf("folder = \"model\"\n" + output).folder, folder_.path() / "model");
  EXPECT_THAT(problemsIn("inputs.x = { fiel = \"x\" }\noutputs.y = { file = \"y\", fiel = \"y\" }\n"),
              ElementsAre(HasSubstr("'fiel' is not an option of x."), HasSubstr("'fiel' is not an option of y.")));
}

}  // namespace
}  // namespace koppla::project::program_reader_test
