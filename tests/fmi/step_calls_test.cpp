// What an FMU is given and asked in a step, to the last argument, and what its answers make of the step.

#include <algorithm>
#include <cctype>

#include "played_fmu.hpp"

namespace koppla::fmi::test::step_calls_test {
namespace {

using fmi2::Status;
using subsystem::Step;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kAll =
    std::string(PlayedFmu::kStepsAndStates) +
    R"( canInterpolateInputs="true" maxOutputDerivativeOrder="1" providesDirectionalDerivative="true")";

/// Inputs u0, u1, ... with references from 100 on and one output y, 1.
DescriptionText manyInputs(unsigned count) {
  std::string variables;
  for (unsigned i = 0; i < count; ++i)
    variables += variable("u" + std::to_string(i), 100 + i, "input", "Real", "start=\"0\"");
  return described(variables + variable("y", 1, "output"), outputsDepending({{static_cast<int>(count) + 1, ""}}));
}

std::vector<std::string> namesOfInputs(unsigned count) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < count; ++i) names.push_back("u" + std::to_string(i));
  return names;
}

// --- Derivatives of inputs -------------------------------------------------------------------------------------------

/// With s = (t - t0) / h the derivative of order k at t0 is k! c_k / h^k; order by order, of all inputs.
TEST(StepCalls, DerivativesOfInputsAreThoseOfThePolynomials) {
  for (const unsigned inputs : {1U, 2U, 3U, 7U, 8U, 12U}) {
    PlayedFmu fmu(manyInputs(inputs), kAll);
    TypedInstance one(fmu.file);
    one.bindAll(namesOfInputs(inputs), {"y"});
    one.initialise();
    for (const unsigned degree : {1U, 2U, 3U, 4U, 5U}) {
      std::vector<double> c;
      for (unsigned k = 0; k <= degree; ++k)
        for (unsigned i = 0; i < inputs; ++i) c.push_back(1.5 + i - 3.0 * k);
      for (const bool told : {false, true}) {  // by the caller, who need not be asked for the same
        Step step{2.0, 2.5, true};
        if (told) step.perSecond = 4.0;
        ASSERT_EQ(one.system->advance(step, {c.data(), inputs, degree}, one.y).status, subsystem::Status::ok);
        std::vector<Player::Derivative> expected;
        double factor = 1.0;
        for (unsigned k = 1; k <= degree; ++k) {
          factor *= k * (told ? 4.0 : 2.0);
          for (unsigned i = 0; i < inputs; ++i)
            expected.push_back({100 + i, static_cast<int>(k), factor * c[k * inputs + i]});
        }
        EXPECT_THAT(fmu.player.derivatives, ElementsAreArray(expected)) << inputs << " inputs, degree " << degree;
        for (unsigned i = 0; i < inputs; ++i) EXPECT_EQ(fmu.player.values.reals[100 + i], c[i]);
      }
    }
  }
}

/// An FMU keeps what it was told: orders that are not given any more become 0, once.
TEST(StepCalls, HigherDerivativesOfInputsAreTakenBack) {
  PlayedFmu fmu(manyInputs(2), kAll);
  TypedInstance one(fmu.file);
  one.bindAll(namesOfInputs(2), {"y"});
  one.initialise();
  const std::vector<double> c{1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
  const auto told = [&](unsigned degree) {
    fmu.player.derivatives.clear();
    EXPECT_EQ(one.system->advance({0.0, 1.0, true}, {c.data(), 2, degree}, one.y).status, subsystem::Status::ok);
    return fmu.player.derivatives;
  };
  using D = Player::Derivative;
  EXPECT_THAT(told(2), ElementsAre(D{100, 1, 3.0}, D{101, 1, 4.0}, D{100, 2, 10.0}, D{101, 2, 12.0}));
  EXPECT_THAT(told(1), ElementsAre(D{100, 1, 3.0}, D{101, 1, 4.0}, D{100, 2, 0.0}, D{101, 2, 0.0}));
  EXPECT_THAT(told(1), ElementsAre(D{100, 1, 3.0}, D{101, 1, 4.0}));
  EXPECT_THAT(told(0), ElementsAre(D{100, 1, 0.0}, D{101, 1, 0.0}));
  EXPECT_THAT(told(0), IsEmpty());
  EXPECT_THAT(told(1), ElementsAre(D{100, 1, 3.0}, D{101, 1, 4.0}));
}

/// No more of them than was chosen.
TEST(StepCalls, DerivativesOfInputsAreGivenAsFarAsTheOptionsAllow) {
  for (const unsigned allowed : {0U, 1U, 4U, 5U, 9U}) {
    PlayedFmu fmu(manyInputs(1), kAll);
    Options options;
    options.inputDerivatives = allowed;
    const TypedInstance one(fmu.file, "one", options);
    EXPECT_EQ(one.system->describe().capabilities.inputDerivatives, std::min(allowed, subsystem::kMaxDegree));
    EXPECT_EQ(one.fmu->describe().capabilities.inputDerivatives, subsystem::kMaxDegree);
  }
}

/// Who takes none because the options say so is given the line between both ends where an output may depend on it.
TEST(StepCalls, WithoutDerivativesFeedThroughIsTried) {
  PlayedFmu fmu(DescriptionText{}, kAll);
  Options options;
  options.inputDerivatives = 0;
  TypedInstance one(fmu.file, "one", options);
  EXPECT_EQ(one.system->describe().capabilities.inputDerivatives, 1U);
  one.bindAll({"u"}, {"y"});
  one.initialise();
  const std::vector<double> c{1.0, 2.0};
  EXPECT_EQ(one.system->advance({0.0, 1.0, true}, {c.data(), 1, 1}, one.y).status, subsystem::Status::ok);
  EXPECT_EQ(fmu.player.count("setRealInputDerivatives"), 0U);
  EXPECT_EQ(fmu.player.values.reals[0], 2.0) << "the mean";
}

// --- Derivatives of outputs ------------------------------------------------------------------------------------------

/// They stand behind the values; before the first step there is none (FMI 2.0.4, 4.2.4).
TEST(StepCalls, DerivativesOfOutputsStandBehindTheirValues) {
  PlayedFmu fmu(described(variable("y", 1, "output") + variable("z", 2, "output") + variable("x", 3, "output")), kAll);
  TypedInstance one(fmu.file);
  one.bindAll({}, {"z", "x", "y"}, true);
  fmu.player.values.reals = {{1, 10.0}, {2, 20.0}, {3, 30.0}};
  fmu.player.outputDerivatives = {{{1, 1}, 0.1}, {{2, 1}, 0.2}, {{3, 1}, 0.3}};
  one.system->enterInitialisation({0.0, 1.0, std::nullopt});
  one.system->leaveInitialisation();
  ASSERT_EQ(one.system->readOutputs(one.y), subsystem::Status::ok);
  EXPECT_THAT(one.y, ElementsAre(20.0, 30.0, 10.0, ::testing::IsNan(), ::testing::IsNan(), ::testing::IsNan()));
  ASSERT_EQ(one.take({0.0, 0.5, true}).status, subsystem::Status::ok);
  EXPECT_THAT(one.y, ElementsAre(20.0, 30.0, 10.0, 0.2, 0.3, 0.1));
  fmu.player.answer = [](const std::string& call) {
    return call == "getRealOutputDerivatives" ? Status::discard : Status::ok;
  };
  EXPECT_EQ(one.take({0.5, 1.0, true}).status, subsystem::Status::discard);
  EXPECT_THAT(one.system->failure(), HasSubstr("fmi2GetRealOutputDerivatives(t = 1 s) returned fmi2Discard"));
}

// --- Directional derivatives -----------------------------------------------------------------------------------------

TEST(StepCalls, DirectionalDerivativesAreColumns) {
  PlayedFmu fmu(
      described(variable("a", 1, "input", "Real", "start=\"0\"") + variable("b", 2, "input", "Real", "start=\"0\"") +
                variable("y", 3, "output") + variable("z", 4, "output")),
      kAll);
  TypedInstance one(fmu.file);
  one.bindAll({"a", "b"}, {"y", "z"});
  fmu.player.partials = {{{3, 1}, 31.0}, {{3, 2}, 32.0}, {{4, 1}, 41.0}, {{4, 2}, 42.0}};
  std::vector<double> dy(2);
  EXPECT_EQ(one.system->differentiate(0, dy), subsystem::Status::error) << "not before initialisation";
  one.system->enterInitialisation({0.0, 1.0, std::nullopt});
  EXPECT_EQ(one.system->differentiate(0, dy), subsystem::Status::ok);
  EXPECT_THAT(dy, ElementsAre(31.0, 41.0));
  one.system->leaveInitialisation();
  EXPECT_EQ(one.system->differentiate(1, dy), subsystem::Status::ok) << "between steps as well";
  EXPECT_THAT(dy, ElementsAre(32.0, 42.0));
  EXPECT_EQ(one.system->differentiate(2, dy), subsystem::Status::error) << "there is no third input";
  one.system->terminate();
  EXPECT_EQ(one.system->differentiate(0, dy), subsystem::Status::error) << "nor after the end";
  EXPECT_EQ(fmu.player.count("getDirectionalDerivative"), 2U);
}

// --- Ports of other types alone --------------------------------------------------------------------------------------

/// Whichever way a step takes, what is bound is moved: values of one type and one direction alone as well.
TEST(StepCalls, PortsOfEveryTypeAloneAreMoved) {
  for (const std::string type : {"Integer", "Boolean", "String", "Enumeration"})
    for (const bool inward : {true, false}) {
      SCOPED_TRACE(type + (inward ? " in" : " out"));
      PlayedFmu fmu(described(variable("u", 1, "input", type, "start=\"1\"") + variable("y", 2, "output", type)));
      TypedInstance one(fmu.file);
      one.bindAll(inward ? std::vector<std::string>{"u"} : std::vector<std::string>{},
                  inward ? std::vector<std::string>{} : std::vector<std::string>{"y"});
      one.initialise();
      for (int i = 2; i < 4; ++i) {
        Player::Values& v = fmu.player.values;
        for (std::int32_t& value : one.in.integers) value = i;
        for (std::int32_t& value : one.in.booleans) value = i % 2;
        for (std::string& value : one.in.strings) value = std::to_string(i);
        v.integers[2] = 10 * i;
        v.booleans[2] = 10 * (i % 2);
        v.strings[2] = std::to_string(10 * i);
        ASSERT_EQ(one.take({0.5 * i, 0.5 * i + 0.5, true}).status, subsystem::Status::ok);
        const bool integer = type == "Integer" || type == "Enumeration";
        if (inward) {
          EXPECT_EQ(v.integers[1], integer ? i : 0);
          EXPECT_EQ(v.booleans[1], type == "Boolean" ? i % 2 : 0);
          EXPECT_EQ(v.strings[1], type == "String" ? std::to_string(i) : "");
        } else {
          EXPECT_EQ(one.out.integers, std::vector<std::int32_t>(integer ? 1 : 0, 10 * i));
          EXPECT_EQ(one.out.booleans, std::vector<std::int32_t>(type == "Boolean" ? 1 : 0, i % 2)) << "of any but 0";
          EXPECT_EQ(one.out.strings, std::vector<std::string>(type == "String" ? 1 : 0, std::to_string(10 * i)));
        }
      }
      EXPECT_EQ(fmu.player.steps.size(), 2U);
      EXPECT_EQ(fmu.player.count("setReal") + fmu.player.count("getReal"), 0U);
    }
}

/// Strings that an FMU answers by NULL are empty, at whatever place.
TEST(StepCalls, StringsThatAreNullAreEmpty) {
  PlayedFmu fmu(described(variable("a", 1, "output", "String") + variable("b", 2, "output", "String") +
                          variable("c", 3, "output", "String")));
  TypedInstance one(fmu.file);
  one.bindAll({}, {"a", "b", "c"});
  one.initialise();
  fmu.player.values.strings = {{1, "A"}, {2, "B"}, {3, "C"}};
  for (const unsigned null : {1U, 2U, 3U}) {
    fmu.player.nulls = {null};
    ASSERT_EQ(one.take({0.0, 0.5, true}).status, subsystem::Status::ok);
    EXPECT_THAT(one.out.strings, ElementsAre(null == 1 ? "" : "A", null == 2 ? "" : "B", null == 3 ? "" : "C"));
    core::Values values;
    const std::vector<subsystem::PortIndex> ports{0, 1, 2};
    one.system->observe(ports, values);
    EXPECT_EQ(values.strings, one.out.strings);
  }
}

/// Each type needs an array of its size.
TEST(StepCalls, ArraysOfEveryTypeMustFit) {
  PlayedFmu fmu(described(variable("i", 1, "output", "Integer") + variable("b", 2, "output", "Boolean") +
                          variable("s", 3, "output", "String")));
  TypedInstance one(fmu.file);
  std::vector<std::int32_t> two(2);
  std::vector<std::string> strings(2);
  const auto bind = [&](std::size_t i, std::size_t b, std::size_t s) {
    subsystem::Binding binding;
    binding.outputs = {0, 1, 2};
    binding.discreteOutputs = {std::span(two).first(i), std::span(two).first(b), std::span(strings).first(s)};
    one.system->bind(std::move(binding));
  };
  EXPECT_NO_THROW(bind(1, 1, 1));
  EXPECT_THROW(bind(0, 1, 1), core::InternalError);
  EXPECT_THROW(bind(1, 0, 1), core::InternalError);
  EXPECT_THROW(bind(1, 1, 0), core::InternalError);
  EXPECT_THROW(bind(2, 1, 1), core::InternalError);
  EXPECT_THROW(bind(1, 2, 1), core::InternalError);
  EXPECT_THROW(bind(1, 1, 2), core::InternalError);
  EXPECT_NO_THROW(bind(1, 1, 1)) << "bound anew, nothing is left";
}

// --- Answers that are not ok -----------------------------------------------------------------------------------------

/// Real, integer, boolean and string inputs and outputs.
DescriptionText allTypes() {
  std::string variables;
  unsigned reference = 1;
  for (const char* type : {"Real", "Integer", "Boolean", "String"}) {
    const std::string letter(1, static_cast<char>(std::tolower(type[0])));
    variables += variable(letter + "In", reference++, "input", type, "start=\"0\"");
    variables += variable(letter + "Out", reference++, "output", type);
  }
  return described(variables, outputsDepending({{2, ""}, {4, ""}, {6, ""}, {8, ""}}));
}

/// One FMU for many instances, one after the other.
struct Opened {
  PlayedFmu fmu{allTypes(), kAll};
  core::Log log;
  std::shared_ptr<Fmu> shared = Fmu::open(fmu.file, log);
};

/// The calls of one step in which one call is answered so.
struct Answered {
  Answered(Opened& opened, const std::string& call, Status answer, bool discretely, unsigned degree)
      : one(opened.shared) {
    Player& player = opened.fmu.player;
    if (discretely)
      one.bindAll({"rIn", "iIn", "bIn", "sIn"}, {"rOut", "iOut", "bOut", "sOut"});
    else
      one.bindAll({"rIn"}, {"rOut"});
    one.initialise();
    player.calls.clear();
    player.answer = [call, answer](const std::string& now) { return now == call ? answer : Status::ok; };
    const std::vector<double> line{1.0, 2.0};
    result = one.system->advance({0.5, 1.0, true}, {line.data(), 1, degree}, one.y);
    player.answer = [](const auto&) { return Status::ok; };
    calls = player.calls;
  }

  TypedInstance one;
  subsystem::StepResult result{};
  std::vector<std::string> calls;
};

/// A warning is told, with the first of the calls that warn, and the step goes on; anything worse ends it at once.
TEST(StepCalls, TheWorstAnswerIsThatOfTheStep) {
  const std::vector<std::string> plain{"setReal", "doStep", "getReal"};
  const std::vector<std::string> line{"setReal", "setRealInputDerivatives", "doStep", "getReal"};
  const std::vector<std::string> discrete{"setReal", "setInteger", "setBoolean", "setString", "doStep",
                                          "getReal", "getInteger", "getBoolean", "getString"};
  const std::vector<std::string> both{"setReal", "setInteger", "setBoolean", "setString",  "setRealInputDerivatives",
                                      "doStep",  "getReal",    "getInteger", "getBoolean", "getString"};
  Opened opened;
  for (const bool discretely : {false, true})
    for (const unsigned degree : {0U, 1U}) {
      const auto& expected = discretely ? (degree == 0 ? discrete : both) : (degree == 0 ? plain : line);
      EXPECT_THAT(Answered(opened, "", Status::ok, discretely, degree).calls, ElementsAreArray(expected));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        SCOPED_TRACE(expected[i] + " " + std::to_string(degree));
        std::string name = "fmi2" + expected[i];
        name[4] = static_cast<char>(std::toupper(name[4]));
        const Answered warned(opened, expected[i], Status::warning, discretely, degree);
        EXPECT_EQ(warned.result.status, subsystem::Status::warning);
        EXPECT_EQ(warned.result.reached, 1.0);
        EXPECT_THAT(warned.calls, ElementsAreArray(expected));
        EXPECT_THAT(warned.one.kept.messages("one"), Contains(HasSubstr(name + "(t = 0.5 s) returned fmi2Warning.")));
        for (const Status bad : {Status::discard, Status::error, Status::fatal}) {
          const Answered ended(opened, expected[i], bad, discretely, degree);
          EXPECT_EQ(ended.result.status, bad == Status::discard ? subsystem::Status::discard
                                         : bad == Status::error ? subsystem::Status::error
                                                                : subsystem::Status::fatal);
          EXPECT_EQ(std::vector(ended.calls.begin(), ended.calls.begin() + static_cast<std::ptrdiff_t>(i) + 1),
                    std::vector(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(i) + 1));
          for (std::size_t k = i + 1; k < expected.size(); ++k) EXPECT_THAT(ended.calls, Not(Contains(expected[k])));
          EXPECT_THAT(ended.one.system->failure(), HasSubstr(name + "("));
          EXPECT_EQ(ended.one.system->failure().find("It may take lower orders only") != std::string::npos,
                    expected[i] == "setRealInputDerivatives");
        }
      }
    }
}

/// Where outputs cannot be read the FMU stands at the end of the step; where inputs cannot be set, at its beginning.
TEST(StepCalls, ADiscardedStepTellsWhereTheFmuStands) {
  Opened opened;
  for (const bool discretely : {false, true}) {
    EXPECT_EQ(Answered(opened, "setReal", Status::discard, discretely, 0).result.reached, 0.5);
    EXPECT_EQ(Answered(opened, "getReal", Status::discard, discretely, 0).result.reached, 1.0);
  }
  EXPECT_EQ(Answered(opened, "getString", Status::discard, true, 0).result.reached, 1.0);
}

}  // namespace
}  // namespace koppla::fmi::test::step_calls_test
