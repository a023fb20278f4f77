#include "bad_input.hpp"

namespace koppla::test {

namespace {

/// The project with another line in place of `step = 0.1`, which is line 4.
BadInput badTimes(std::string name, const std::string& lines, std::vector<std::string> says) {
  return badProject(std::move(name), "format = 1\n[simulation]\nend = 1.0\n" + lines + "\n" + subsystem("a", "Gain"),
                    std::move(says));
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

BadInput withFeedThrough(std::string name, const std::string& parameters, std::vector<std::string> says) {
  return badLines(std::move(name), subsystem("f", "FeedThrough") + "[subsystems.parameters]\n" + parameters + "\n",
                  std::move(says));
}

}  // namespace

std::vector<BadInput> projectCases() {
  return {
      {"Missing", {"run", "nope.toml"}, {"nope.toml cannot be read: No such file", "Check the path."}},
      {"IsAFolder", {"run", "fmus"}, {"fmus is a folder, not a file.", "Name a file."}},
      {"IsADevice", {"check", "/dev/zero"}, {"/dev/zero cannot be read", "Check the path."}},
      badProject("Empty", "",
                 {"project.toml: There is no 'format'", "Write format = 1", "There is no 'end'", "There is no 'step'",
                  "There is nothing to simulate: no [[subsystems]].", "path of an FMU"}),
      badProject("Binary", "\xff\xfe\x01\x02",
                 {"project.toml:1:1: This is not TOML", "0xFF", "Save the file as UTF-8"}),
      badProject("Latin1", "format = 1\n# W\xe4rme\n",
                 {"project.toml:2:4: This is not TOML: the byte 0xE4 is not UTF-8 text.", "Save the file as UTF-8"}),
      badProject("Utf16WithoutMark", std::string("f\0o\0", 4), {"project.toml:1:2:", "Save the file as UTF-8"}),
      badProject("NulByte", std::string("format = 1\0\n", 12), {"project.toml:1:11: This is not TOML"}),
      badProject("UnclosedBracket", "format = 1\n[simulation\nend = 1\n", {"project.toml:2:", "This is not TOML"}),
      badProject("UnclosedQuote", "format = 1\nname = \"a\n", {"project.toml:2:", "This is not TOML", "quotes"}),
      badProject("DoubleKey", "format = 1\nformat = 1\n", {"project.toml:2:", "This is not TOML", "double keys"}),
      badProject("ManyBrackets", "a = " + repeated("[", 100000), {"project.toml:1:", "This is not TOML", "nested"}),
      badProject("ManyBraces", "a = " + repeated("{a=", 100000), {"project.toml:1:", "This is not TOML", "nested"}),
      badProject("DeepKey", "format = 1\n" + repeated("a.", 100000) + "a = 1\n",
                 {"project.toml:2:200: This key has more than 100 parts."}),
      badProject("DeepSection", "[" + repeated("a.", 100000) + "a]\n", {"project.toml:1:201: This key has more than"}),
      badProject("DeepQuotedKey", repeated("\"#\".", 100000) + "a = 1\n", {"project.toml:1:", "more than 100 parts"}),
      badProject("HugeNumber", "format = 1\n[simulation]\nend = 1e999\n", {"project.toml:3:", "1e999"}),

      badProject("FormatMissing", project().substr(11), {"project.toml: There is no 'format'", "Write format = 1"}),
      badProject("FormatAsText", "format = \"1\"\n" + project().substr(11),
                 {"project.toml:1:10: 'format' in the project file is the string '1'; expected is a whole number."}),
      badProject("FormatZero", "format = 0\n" + project().substr(11), {"project.toml:1:10:", "must be at least 1"}),
      badProject(
          "FormatOfALaterKoppla", "format = 2\nfuture = true\n",
          {"project.toml:1:10: The format 2 is newer than this Koppla, which knows format 1.", "Use a newer Koppla."}),

      badLines("ModelUnknown", "[[subsystems]]\nname = \"n\"\nmodel = \"oscilator-body\"\n",
               {"project.toml:10:9: There is no model 'oscilator-body'.", "Did you mean 'oscillator-body'?"}),
      badLines("ModelAndFmu", "[[subsystems]]\nname = \"n\"\nfmu = \"a.fmu\"\nmodel = \"rod\"\n",
               {"project.toml:11:9: A subsystem is either an FMU or a native model or a program.",
                "Remove 'fmu' or 'model'."}),
      badLines("FormulaWithAMistake", "[[subsystems]]\nname = \"n\"\nmodel = \"expressions\"\noutputs = {y = \"2*\"}\n",
               {"project.toml:10:9: The model of 'n' cannot be used:", "output 'y'"}),
      badLines("FormulaThatAssigns",
               "[[subsystems]]\nname = \"n\"\nmodel = \"expressions\"\noutputs = {y = \"t = 3\"}\n",
               {"project.toml:10:9: The model of 'n' cannot be used:", "output 'y'"}),
      badLines("EndlessRod", "[[subsystems]]\nname = \"n\"\nmodel = \"rod\"\nelements = 2000000000\n",
               {"project.toml:10:9: The model of 'n' cannot be used:"}),
      badLines("ConditionOfNobody",
               "[[conditions]]\nname = \"c\"\nkind = \"spring-damper\"\nstiffness = 1\nbetween = [\"x.p\", "
               "\"y.p\"]\n",
               {"project.toml:12:12: There is no subsystem 'x'.", "project.toml:12:19: There is no subsystem 'y'."}),
      badLines("DegreeTooHigh", "[algorithm]\ndegree = 7\n", {"project.toml:9:10: 'degree' in [algorithm] is 7"}),
      badLines("AnalyticWithoutReference", "[algorithm]\ndegree = 1\nstart_up = \"analytic\"\n",
               {"project.toml:10:12: An analytic start needs an exact solution.", "Write [reference]"}),
      badLines("UnknownSection", "[algoritm]\nkind = \"newton\"\n",
               {"project.toml:8:2: 'algoritm' is not an option", "Did you mean 'algorithm'?"}),
      badTimes("UnknownInSimulation", "step = 0.1\nstrat = 1",
               {"project.toml:5:1: 'strat' is not an option of [simulation].", "Did you mean 'start'?"}),
      badLines("UnknownInAlgorithm", "[algorithm]\nknd = \"newton\"\n",
               {"project.toml:9:1: 'knd' is not an option of [algorithm].", "Did you mean 'kind'?"}),
      badLines("UnknownInStepControl", "[step_control]\nminstep = 1\n",
               {"project.toml:9:1: 'minstep' is not an option of [step_control].", "Did you mean 'min_step'?"}),
      badLines("UnknownInResults", "[results]\nfoler = \"x\"\n",
               {"project.toml:9:1: 'foler' is not an option of [results].", "Did you mean 'folder'?"}),
      badLines("UnknownInSubsystem", "loging = true\n",
               {"project.toml:8:1: 'loging' is not an option of [[subsystems]].", "Did you mean 'logging'?"}),
      badLines("UnknownInConnection", "[[connections]]\nfrom = \"a.y\"\nto = \"a.u\"\nscael = 2\n",
               {"project.toml:11:1: 'scael' is not an option of [[connections]].", "Did you mean 'scale'?"}),
      badLines("OptionOfAnotherSection", "[results]\nrtol = 1e-3\n",
               {"project.toml:9:1: 'rtol' is not an option of [results].", "It belongs to [algorithm]."}),

      badLines("SectionAsArray", "[[algorithm]]\nkind = \"jacobi\"\n",
               {"project.toml:8:1: 'algorithm' in the project file is an array; expected is a table.",
                "Write [algorithm] on a line of its own."}),
      badLines("ConnectionsAsTable", "[connections]\nfrom = \"a.y\"\nto = \"a.u\"\n",
               {"project.toml:8:1:", "expected is an array of tables.", "Write [[connections]]"}),
      badTimes("StepAsText", "step = \"fast\"",
               {"project.toml:4:8: 'step' in [simulation] is the string 'fast'", "without quotes"}),
      badTimes("StepAsDate", "step = 2020-01-01", {"project.toml:4:8:", "a date or a time", "expected is a number."}),
      badLines("VariablesAsText", "[results]\nvariables = \"a.y\"\n",
               {"project.toml:9:13:", "expected is an array of strings.", "Write [\"...\", \"...\"]."}),
      badLines("VariablesEmpty", "[results]\nvariables = []\n",
               {"project.toml:9:13: 'variables' in [results] is an empty array: nothing would be recorded.",
                "leave it out to record all outputs"}),
      badLines("LoggingAsNumber", "logging = 1\n", {"project.toml:8:11:", "Write true or false, without quotes."}),
      badLines("IterationsNotWhole", "[algorithm]\nkind = \"newton\"\nmax_iterations = 1.5\n",
               {"project.toml:10:18:", "is the real 1.5; expected is a whole number."}),
      badLines("FmuAsNumber", "[[subsystems]]\nname = \"b\"\nfmu = 3\n",
               {"project.toml:10:7: 'fmu' in [[subsystems]] is the integer 3", "Put it in quotes."}),

      badTimes("StepNan", "step = nan", {"project.toml:4:8: 'step' in [simulation] is nan; it must be finite."}),
      badTimes("StepInfinite", "step = inf", {"project.toml:4:8: 'step' in [simulation] is inf; it must be finite."}),
      badTimes("StepZero", "step = 0", {"project.toml:4:8: 'step' in [simulation] is 0; it must be above 0."}),
      badTimes("StepNegative", "step = -0.1",
               {"project.toml:4:8: 'step' in [simulation] is -0.1; it must be above 0."}),
      badTimes("StepLongerThanTheRun", "step = 5.0",
               {"project.toml:4:8: The step, 5 s, is longer than the whole run, 1 s.", "Choose a shorter step"}),
      badTimes("EndBeforeStart", "step = 0.1\nstart = 2.0",
               {"project.toml:3:7: The end, 1 s, is not after the start, 2 s.", "Choose a later end."}),
      badTimes("StartSoLateThatStepsVanish", "step = 1e-17\nstart = -1e3",
               {"project.toml:4:8: The step, 1e-17 s, is lost in the rounding of times as large as 1000 s."}),
      badTimes("ExplosionLimitZero", "step = 0.1\nexplosion_limit = 0", {"project.toml:5:19:", "must be above 0"}),
      badLines("IterationsZero", "[algorithm]\nkind = \"newton\"\nmax_iterations = 0\n",
               {"project.toml:10:18: 'max_iterations' in [algorithm] is 0; it must be at least 1."}),
      badLines("BothTolerancesZero", "[algorithm]\nkind = \"newton\"\nrtol = 0\natol = 0\n",
               {"project.toml:11:8: rtol and atol are both 0", "Make at least one of them positive."}),
      badLines("ShrinkThatDoesNot", "[step_control]\nkind = \"double-step\"\nmin_step = 2\nmax_step = 1\ngrow = 0.5\n",
               {"project.toml:10:12: min_step, 2 s, is longer than max_step, 1 s.", "project.toml:12:8: 'grow'",
                "is 0.5; it must be at least 1."}),
      badLines("IntervalNegative", "[results]\ninterval = -1\n",
               {"project.toml:9:12:", "is -1; it must be at least 0."}),

      badLines("UnknownAlgorithm", "[algorithm]\nkind = \"gaus-seidel\"\n",
               {"project.toml:9:8: 'gaus-seidel' is no value of 'kind'", "Did you mean 'gauss-seidel'?"}),
      badLines(
          "UnknownNorm", "[algorithm]\nkind = \"newton\"\nnorm = \"mean\"\n",
          {"project.toml:10:8: 'mean' is no value of 'norm'", "Known here: rms, max, nicolai, field-rms, field-max."}),
      badTimes("UnknownReactionToDiscard", "step = 0.1\non_discard = \"shrten\"",
               {"project.toml:5:14: 'shrten' is no value of 'on_discard'", "Did you mean 'shorten'?"}),
      badLines("UnknownStepControl", "[step_control]\nkind = \"doublestep\"\nmin_step = 1e-3\n",
               {"project.toml:9:8: 'doublestep' is no value of 'kind'", "Did you mean 'double-step'?"}),
      badLines(
          "ConvergenceWithoutIteration", "[step_control]\nkind = \"convergence\"\n",
          {"project.toml:9:8: Step control by convergence needs an algorithm that iterates; 'gauss-seidel' does not",
           "Choose an iterated algorithm"}),

      badProject("NothingToSimulate", "format = 1\nsimulation = { end = 1, step = 1 }\n",
                 {"project.toml: There is nothing to simulate", "Write [[subsystems]]"}),
      badLines("NameUsedTwice", subsystem("a", "Gain"),
               {"project.toml:9:8: The name 'a' is used already in line 6.", "a name of its own"}),
      badLines("NameWithDot", subsystem("b.c", "Gain"),
               {"project.toml:9:8: 'b.c' cannot be the name of a subsystem.", "without dots and blanks"}),
      badLines("NoFmu", "[[subsystems]]\nname = \"b\"\n",
               {"project.toml:8:1: The subsystem 'b' has neither FMU nor model nor program.", "Write fmu = "}),
      badLines("OrderWithUnknownName", "[algorithm]\norder = [\"a\", \"z\"]\n",
               {"project.toml:9:15: There is no subsystem 'z' to be put in order.", "Did you mean 'a'?"}),
      badLines("OrderWithMissingName", subsystem("b", "Gain") + "[algorithm]\norder = [\"a\"]\n",
               {"project.toml:12:10: The order does not say when 'b' is evaluated.", "or leave 'order' out"}),
      badLines("OrderWithDoubleName", "[algorithm]\norder = [\"a\", \"a\"]\n",
               {"project.toml:9:15: 'a' stands twice in the order.", "Remove one of the two."}),
      badLines("ResultsWithoutFolder", "[results]\nfolder = \"\"\n",
               {"project.toml:9:10: The folder for results has no name."}),
  };
}

std::vector<BadInput> couplingCases() {
  const std::string all = R"([[subsystems]]
name = "f"
fmu = "fmus/FeedThrough.fmu"
parameters = { fixedInteger = 1.5, constantReal = 1.0 }
[[connections]]
from = "f.realOtu"
to = "a.uu"
[[connections]]
from = "x.y"
to = "f.realIn"
[results]
intervall = 1
)";
  return {
      badLines("EveryMistakeInTheOrderOfLines", all,
               {"project.toml:11:31: 'f.fixedInteger' (integer) is the real 1.5",
                "project.toml:11:36: 'f.constantReal' cannot be set",
                "project.toml:13:8: 'f' has no output 'realOtu'. Did you mean 'realOut'?",
                "project.toml:14:6: 'a' has no input 'uu'. Did you mean 'u'?",
                "project.toml:16:8: There is no subsystem 'x'.", "project.toml:19:1: 'intervall' is not an option"}),
      badLines("ConnectionWithoutTo", "[[connections]]\nfrom = \"a.y\"\n",
               {"project.toml:8:1: There is no 'to' in [[connections]].", "Write to = \"subsystem.port\"."}),
      badLines("ConnectionWithoutPort", connection("a", "a.u"),
               {"project.toml:9:8: 'a' names no port.", "Write \"subsystem.port\"."}),
      badLines("ConnectionFromUnknownSubsystem", connection("gian.y", "a.u"),
               {"project.toml:9:8: There is no subsystem 'gian'.", "Known here: a."}),
      badLines("ConnectionFromUnknownOutput", connection("a.yy", "a.u"),
               {"project.toml:9:8: 'a' has no output 'yy'.", "Did you mean 'y'?"}),
      badLines("ConnectionToUnknownInput", subsystem("m", "Math003Part2") + connection("a.y", "m.x7"),
               {"project.toml:13:6: 'm' has no input 'x7'.", "Did you mean 'x1'?"}),
      badLines("ConnectionToASubsystemWithoutInputs", subsystem("m", "Math003Part1") + connection("a.y", "m.u"),
               {"project.toml:13:6: 'm' has no input 'u'.", "It has no inputs at all."}),
      badLines("ConnectionTheWrongWayRound", connection("a.u", "a.y"),
               {"project.toml:9:8: This connection leads from the input 'a.u' to the output 'a.y'.", "Swap"}),
      badLines("ConnectionFromAParameter", connection("a.k", "a.u"),
               {"project.toml:9:8: 'a.k' is a parameter; a connection begins at an output."}),
      badLines("ConnectionToAParameter", connection("a.y", "a.k"),
               {"project.toml:10:6: 'a.k' is a parameter; a connection ends at an input.", "[subsystems.parameters]"}),
      badLines("InputConnectedTwice", subsystem("b", "Gain") + connection("b.y", "a.u") + connection("a.y", "a.u"),
               {"project.toml:16:6: The input 'a.u' is connected already in line 13.", "Remove one of the two"}),
      badLines("TypesThatDiffer", subsystem("f", "FeedThrough") + connection("a.y", "f.integerIn"),
               {"project.toml:13:6: 'a.y' and 'f.integerIn' have different types: real and integer."}),
      badLines("ScaleOfIntegers",
               subsystem("f", "FeedThrough") + connection("f.integerOut", "f.integerIn") + "scale = 2\n",
               {"project.toml:14:9: 'scale' and 'offset' are for reals;", "Remove them."}),
      badLines("ScaleNan", connection("a.y", "a.u") + "scale = nan\n",
               {"project.toml:11:9: 'scale' in [[connections]] is nan; it must be finite."}),

      badLines("ParameterUnknown", "parameters = { kk = 1 }\n",
               {"project.toml:8:16: 'a' has no parameter or start value 'kk'.", "Did you mean 'k'?"}),
      badLines("ParameterThatIsAnOutput", "parameters = { y = 1 }\n",
               {"project.toml:8:16: 'a.y' cannot be set: the model calculates it or declares it constant."}),
      badLines("ParameterThatIsADate", "parameters = { k = 2020-01-01 }\n",
               {"project.toml:8:20: The parameter 'k' holds a date or a time; expected is a number"}),
      badLines("ParameterOfTwoValues", "parameters = { k = [1, 2] }\n",
               {"project.toml:8:21: Values given for 'a.k': 2; expected: 1."}),
      badLines("ParameterNan", "parameters = { k = nan }\n",
               {"project.toml:8:20: 'a.k' (real) is not a number (nan)."}),
      withFeedThrough("ConstantAsParameter", "constantReal = 3.0",
                      {"project.toml:12:1: 'f.constantReal' cannot be set", "constant"}),
      withFeedThrough(
          "BooleanAsNumber", "tunableBoolean = 1",
          {"project.toml:12:18: 'f.tunableBoolean' (boolean) is the integer 1; expected is true or false."}),
      withFeedThrough("IntegerBeyond32Bits", "fixedInteger = 99999999999",
                      {"project.toml:12:16:", "99999999999", "Choose a value from -2147483648 to 2147483647."}),
      withFeedThrough(
          "UnknownItem", "enumerationIn = \"gren\"",
          {"project.toml:12:17: 'f.enumerationIn' (enumeration) has no item 'gren'.", "Did you mean 'green'?"}),
      withFeedThrough("ItemNumberUnknown", "enumerationIn = 5",
                      {"project.toml:12:17:", "has no item of number 5.", "Known here: red, green, blue, violet."}),
      withFeedThrough("StringAsNumber", "fixedString = 4",
                      {"project.toml:12:15:", "expected is a string.", "in quotes"}),

      badLines("PatternThatFitsNothing", "[results]\nvariables = [\"a.*\", \"b.*\"]\n",
               {"project.toml:9:21: There is no variable 'b.*' to be recorded.", "Known here: a.u, a.y, a.k, a.b."}),
      badLines("VariableUnknown", "[results]\nvariables = [\"a.yy\"]\n",
               {"project.toml:9:14: There is no variable 'a.yy' to be recorded.", "Did you mean 'a."}),

      badLines("NewtonWithoutRestore",
               subsystem("n", "NoRestore") + connection("a.y", "n.u") + connection("n.y", "a.u") +
                   "[algorithm]\nkind = \"newton\"\n",
               {"cannot restore a saved state: n.", "Algorithms that remain: jacobi, gauss-seidel, master-slave"}),
      badLines("DoubleStepWithoutRestore", subsystem("n", "NoRestore") + "[step_control]\nkind = \"double-step\"\n",
               {"Step control repeats steps", "cannot restore a saved state: n.", "Step control that remains: fixed"}),
      badProject(
          "StepsOfOneLengthThatDoNotFit",
          "format = 1\nsimulation = { end = 1.0, step = 0.3, on_discard = \"stop\" }\n" + subsystem("n", "NoRestore"),
          {"The step of 0.3 s does not divide the interval", "take steps of one length only: n.",
           "a whole number of steps"}),
  };
}

}  // namespace koppla::test
