#include "bad_input.hpp"

namespace koppla::test {

namespace {

const std::string kGood = "\"time\",\"a.y\",\"a.name\"\n0,1,\"x\"\n1,2,\"y\"\n";

BadInput compared(std::string name, std::string reference, std::vector<std::string> says) {
  return {std::move(name),
          {"compare", "good.csv", "bad.csv"},
          std::move(says),
          {{"good.csv", kGood}, {"bad.csv", std::move(reference)}}};
}

BadInput plotted(std::string name, std::vector<std::string> arguments, std::vector<std::string> says) {
  arguments.insert(arguments.begin(), "plot");
  return {std::move(name), std::move(arguments), std::move(says), {{"good.csv", kGood}, {"folder/file", "x"}}};
}

/// `koppla run` of a sound project, with something in the way of its run folder.
BadInput inTheWay(std::string name, std::vector<TextFile> files, std::vector<std::string> more,
                  std::vector<std::string> says) {
  std::vector<std::string> arguments{"run", "project.toml"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  files.push_back({"project.toml", project()});
  return {std::move(name), std::move(arguments), std::move(says), std::move(files)};
}

}  // namespace

std::vector<BadInput> runFolderCases() {
  return {
      inTheWay("Exists", {{"project.run/results.csv", "mine"}}, {},
               {"The run folder ", "project.run exists already.", "choose another with --folder", "--overwrite"}),
      inTheWay("IsAFile", {{"project.run", "mine"}}, {"--overwrite"},
               {"The run folder ", "project.run is a file.", "Choose another with --folder."}),
      inTheWay("IsBelowAFile", {{"notes", "mine"}}, {"--folder", "notes/run"},
               {"The run folder ", "notes/run cannot be made: Not a directory.", "Choose another with --folder."}),
      inTheWay("HasAnImpossibleName", {}, {"--folder", std::string(300, 'x')},
               {"xxx cannot be made: File name too long.", "Choose another with --folder."}),
      inTheWay("HoldsTheProject", {{"results.csv", "mine"}}, {"--folder", ".", "--overwrite"},
               {"The run folder ", "holds the project itself: ", "project.toml would be overwritten.", "--folder"}),
      inTheWay("HoldsAFolderInPlaceOfTheResults", {{"project.run/results.csv/file", "mine"}}, {"--overwrite"},
               {"project.run/results.csv is a folder; a file of the run would take its place.", "Remove it"}),
      inTheWay("HoldsAFolderInPlaceOfTheLog",
               {{"project.run/results.csv", "mine"}, {"project.run/run.log/file", "mine"}}, {"--overwrite"},
               {"project.run/run.log is a folder", "Remove it"}),
      inTheWay("TakesNoFiles", {}, {"--folder", "/proc/self/task", "--overwrite"},
               {"/proc/self/task/run.log", "Choose a folder that you may write to."}),
  };
}

std::vector<BadInput> resultsCases() {
  return {
      {"ComparedFileMissing", {"compare", "nope.csv", "nope.csv"}, {"nope.csv cannot be read: No such file", "Check"}},
      {"ComparedFolderWithoutResults",
       {"compare", "folder", "folder"},
       {"The folder folder holds neither results.csv nor results.h5,", "Name the folder of a run"},
       {{"folder/file", "x"}}},
      compared("NoCsv", project(), {"bad.csv:2:1: '[simulation]' is not a number.", "Every row of this column"}),
      compared("NoCsvButBytes",
               "\x7f"
               "ELF\x02\x01\x01,\n\x01\n",
               {"bad.csv:2:1:"}),
      compared("BrokenLine", "time,y\n0,1\n1,x\n", {"bad.csv:3:3: 'x' is not a number."}),
      compared("MissingValue", "time,y\n0,1\n1,\n", {"bad.csv:3:3: '' is not a number.", "Fill in the missing value."}),
      compared("DecimalCommas", "time;y\n0;1\n1;2,5\n", {"bad.csv:3:3: '2,5'", "with a decimal point"}),
      compared("OnlyDecimalCommas", "time;a.y\n0;1,0\n1;2,0\n", {"bad.csv:2:3: '1,0'", "with a decimal point"}),
      compared("UnclosedQuote", "time,y\n0,1\n1,\"2\n", {"bad.csv:3:3: A quote is opened here and never closed."}),
      compared("ShortRow", "time,y\n0,1\n1\n", {"bad.csv:3:1: The row has 1 fields, the first line names 2 columns."}),
      compared("NoHeader", "0,1\n1,2\n", {"bad.csv:1:1: The file begins with numbers.", "must name the columns"}),
      compared("TimeThatGoesBack", "time,y\n1,1\n0,2\n", {"bad.csv:3:1: Time goes from 1 s to 0 s."}),
      compared("UnknownUnitOfTime", "time [fortnight],y\n0,1\n",
               {"bad.csv:1:1: Time is given in 'fortnight'", "Known are"}),
      compared("ComparedFileEmpty", "", {"bad.csv:1:1: The file is empty.", "right one"}),
      {"ComparedPatternFitsNothing",
       {"compare", "good.csv", "good.csv", "--variables", "a.z"},
       {"good.csv: No variable fits 'a.z'.", "Did you mean 'a.y'?"},
       {{"good.csv", kGood}}},

      plotted("PlottedFileMissing", {"nope.run"}, {"nope.run cannot be read: No such file", "Check the path."}),
      plotted("PlottedVariableUnknown", {"good.csv", "a.z"},
              {"good.csv: No variable fits 'a.z'.", "Did you mean 'a.y'?"}),
      plotted("PlottedVariableIsAText", {"good.csv", "a.name"},
              {"good.csv: 'a.name' holds texts, which cannot be drawn.", "Leave it out."}),
      plotted("PictureInAFolderThatIsNotThere", {"good.csv", "a.y", "--svg", "nowhere/a.svg"},
              {"nowhere/a.svg cannot be written: No such file or directory."}),
      plotted("PictureOverAFolder", {"good.csv", "a.y", "--svg", "folder"},
              {"folder cannot be written: Is a directory."}),
      {"PlottedFileEmpty", {"plot", "empty.csv"}, {"empty.csv:1:1: The file is empty."}, {{"empty.csv", ""}}},
      {"PlottedFileWithoutRows",
       {"plot", "empty.csv"},
       {"empty.csv: There are no rows to draw.", "Run"},
       {{"empty.csv", "\"time\",\"a\"\n"}}},
  };
}

}  // namespace koppla::test
