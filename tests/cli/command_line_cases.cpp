#include "bad_input.hpp"

namespace koppla::test {

namespace {

const std::string kHelp = "'koppla --help' and 'koppla COMMAND --help' tell more.";

BadInput words(std::string name, std::vector<std::string> arguments, std::vector<std::string> says) {
  return {std::move(name), std::move(arguments), std::move(says)};
}

/// `koppla run` of a sound project with further arguments.
BadInput runWith(std::string name, std::vector<std::string> more, std::vector<std::string> says,
                 const std::string& lines = {}) {
  std::vector<std::string> arguments{"run", "project.toml"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return {std::move(name), std::move(arguments), std::move(says), {{"project.toml", project(lines)}}};
}

}  // namespace

std::vector<BadInput> commandLineCases() {
  return {
      words("NoCommand", {},
            {"No command is given.", "Known here: run, resume, status, study, stability, check", kHelp}),
      words("UnknownCommand", {"rnu", "project.toml"}, {"There is no command 'rnu'.", "Did you mean 'run'?", kHelp}),
      words("UnknownCommandNearNone", {"simulate"},
            {"There is no command 'simulate'.", "Known here: run, resume, status, study, stability, check"}),
      words("EmptyCommand", {""}, {"There is no command ''."}),
      words("UnknownOptionBeforeACommand", {"--frob", "run"}, {"There is no option '--frob'", "--help", kHelp}),
      words("UnknownOption", {"run", "project.toml", "--edn", "5"},
            {"'koppla run' has no option '--edn'.", "Did you mean '--end'?"}),
      words("UnknownOptionWithItsValue", {"run", "project.toml", "--edn=5"},
            {"'koppla run' has no option '--edn'.", "Did you mean '--end'?"}),
      words("OneArgumentTooMany", {"check", "a.toml", "b.toml"},
            {"'koppla check' has no place for 'b.toml'.", "'koppla check --help'"}),
      words("ArgumentAfterTheEndOfOptions", {"check", "a.toml", "--", "b.toml"},
            {"'koppla check' has no place for 'b.toml'."}),
      words("NoProject", {"run"}, {"'koppla run': project is required.", "'koppla run --help'"}),
      words("NoReference", {"compare", "a.csv"}, {"'koppla compare': reference is required."}),
      words("NoFmus", {"new"}, {"'koppla new': fmus is required."}),
      words("OptionWithoutValue", {"run", "project.toml", "--end"}, {"'koppla run': --end:", "TIME missing"}),
      words("EmptyFolderName", {"run", "project.toml", "--folder", ""}, {"--folder: the name is empty."}),
      words("EmptyOutputName", {"new", "fmus/Gain.fmu", "-o", ""}, {"--output: the name is empty."}),
      words("EmptyPictureName", {"plot", "a.csv", "--svg", ""}, {"--svg: the name is empty."}),
      words("InspectedModelOfTheProject", {"inspect", "expressions"},
            {"The native model 'expressions' has no ports of its own: they come from the project file.",
             "'koppla check'"}),
      words("TwoCommands", {"check", "a.toml", "run", "b.toml"}, {"'koppla check' has no place for 'run'."}),
      words("OneSettingForEachSetOfRun", {"run", "a.toml", "--set", "a.k=1", "a.b=2"},
            {"'koppla run' has no place for 'a.b=2'."}),
      words("OneSettingForEachSetOfResume", {"resume", "a.run", "--set", "a.k=1", "a.b=2"},
            {"'koppla resume' has no place for 'a.b=2'."}),
      words("OneSettingForEachSetOfStudy", {"study", "a.toml", "--set", "a.k=1", "a.b=2"},
            {"'koppla study' has no place for 'a.b=2'."}),
      words("OneSettingForEachSetOfStability", {"stability", "a.toml", "--set", "a.k=1", "a.b=2"},
            {"'koppla stability' has no place for 'a.b=2'."}),
      words("OneSettingForEachSetOfCheck", {"check", "a.toml", "--set", "a.k=1", "a.b=2"},
            {"'koppla check' has no place for 'a.b=2'."}),
      words("TooManyJobs", {"study", "a.toml", "--jobs", "1025"}, {"'koppla study': --jobs", "not in range 1 to 1024"}),
      words("TooManyCombinationsAtOnce", {"stability", "a.toml", "--jobs", "1025"},
            {"'koppla stability': --jobs", "not in range 1 to 1024"}),
      words("WidthOutOfRange", {"plot", "a.csv", "--width", "3"},
            {"'koppla plot': --width:", "3", "not in range 20 to 500"}),
      words("HeightOutOfRange", {"plot", "a.csv", "--height", "4"},
            {"'koppla plot': --height:", "4", "not in range 5 to 500"}),
      words("HeightNotANumber", {"plot", "a.csv", "--height", "tall"}, {"'koppla plot': --height:", "tall"}),
      words("RelativeToleranceNan", {"compare", "a.csv", "b.csv", "--rtol", "nan"},
            {"--rtol: 'nan' is no number that is 0 or more."}),
      words("RelativeToleranceInfinite", {"compare", "a.csv", "b.csv", "--rtol", "inf"}, {"--rtol: 'inf'"}),
      words("AbsoluteToleranceNegative", {"compare", "a.csv", "b.csv", "--atol", "-1"},
            {"--atol: '-1' is no number that is 0 or more."}),
      words("AbsoluteToleranceWithAUnit", {"compare", "a.csv", "b.csv", "--atol", "1m"}, {"--atol: '1m'"}),

      runWith("SetWithoutEquals", {"--set", "foo"}, {"command line: 'foo' is no setting.", "Write name=value"}),
      runWith("SetWithoutName", {"--set", "=5"}, {"command line: '=5' is no setting.", "Write name=value"}),
      runWith("SetInUnknownSection", {"--set", "simulaton.end=4"},
              {"command line: 'simulaton.end' names neither", "Did you mean 'simulation.end'?"}),
      runWith("SetWithoutSection", {"--set", "end=4"}, {"'end' names neither", "Did you mean 'simulation.end'?"}),
      runWith("SetASectionAsAWhole", {"--set", "algorithm=newton"},
              {"'algorithm' names neither", "Known here: algorithm.kind, ", "algorithm.max_iterations"}),
      runWith("SetUnknownOption", {"--set", "simulation.ned=4"},
              {"command line: 'ned' is not an option of [simulation].", "Did you mean 'end'?"}),
      runWith("SetUnknownSubsystem", {"--set", "b.k=1"}, {"'b.k' names neither", "Did you mean 'a.k'?"}),
      runWith("SetUnknownParameter", {"--set", "a.kk=1"},
              {"command line: 'a' has no parameter or start value 'kk'.", "Did you mean 'k'?"}),
      runWith("SetParameterWithoutName", {"--set", "a.=1"}, {"'a.' names neither"}),
      runWith("SetUnknownWord", {"--set", "algorithm.kind=newtn"},
              {"command line: 'newtn' is no value of 'kind'", "Did you mean 'newton'?"}),
      runWith("SetParameterOfWrongType", {"--set", "a.k=fast"},
              {"command line: 'a.k' (real) is the string 'fast'; expected is a number."}),
      runWith("SetTextThatLooksLikeANumber", {"--set", "f.tunableString=5"},
              {"'f.tunableString' (string) is the integer 5", "in two pairs, 'name=\"text\"'"},
              subsystem("f", "FeedThrough")),
      runWith("SetFormat", {"--set", "format=2"}, {"'format' names neither an option"}),
      runWith("EndNotANumber", {"--end", "soon"},
              {"command line: 'end' in [simulation] is the string 'soon'; expected is a number.", "such as 0.1"}),
      runWith("EndTwice", {"--end", "2", "--set", "simulation.end=3"},
              {"command line: --end 2 and --set simulation.end=3 were both given. Give one of them."}),
      runWith("StepTwice", {"--set", "simulation.step=0.2", "--step", "0.1"},
              {"command line: --step 0.1 and --set simulation.step=0.2 were both given."}),
      runWith("EndNan", {"--end", "nan"}, {"command line: 'end' in [simulation] is nan; it must be finite."}),
      runWith("EndNegative", {"--end", "-1"}, {"The end, -1 s, is not after the start, 0 s.", "later end"}),
      runWith("EndBeyondADouble", {"--end", "1e400"},
              {"command line: 'end' in [simulation] is 1e400; it must be a finite number, at most 1.8e+308."}),
      runWith("EndWithBracketsAndAComment", {"--end", "5] #"}, {"'end' in [simulation] is the string '5] #'"}),
      runWith("StepZero", {"--step", "0"}, {"command line: 'step' in [simulation] is 0; it must be above 0."}),
      runWith("StepAnArray", {"--step", "[1, 2]"}, {"'step' in [simulation] is an array; expected is a number."}),
      runWith("StepThatIsAllRounding", {"--step", "1e-300"},
              {"command line: The step, 1e-300 s, is lost in the rounding", "Choose a step of 8.8"}),
      runWith("EndBeyondTheNumberOfSteps", {"--end", "1e308"},
              {"project.toml:4:8: The step, 0.1 s, is lost in the rounding of times as large as 1e+308 s."}),
      runWith("CheckOverrideToo", {"--set", "results.folder="}, {"command line: The folder for results has no name."}),
  };
}

}  // namespace koppla::test
