// The inputs that an FMU gets which takes values only, and its outputs at the end of a step, against their definitions.

#include "koppla/fmi/detail/end_outputs.hpp"

#include <array>
#include <limits>

#include "played_fmu.hpp"

namespace koppla::fmi::test::end_outputs_test {
namespace {

using detail::EndOutputs;
using fmi2::Status;
using subsystem::Slot;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// --- Which degree is taken -------------------------------------------------------------------------------------------

subsystem::Description description(core::Type input, core::Type output, bool feedsThrough, bool saves = true,
                                   unsigned derivatives = 0) {
  subsystem::Description result;
  result.ports.resize(2);
  result.ports[0].name = "u";
  result.ports[0].type = input;
  result.ports[0].causality = subsystem::Causality::input;
  result.ports[1].name = "y";
  result.ports[1].type = output;
  result.ports[1].causality = subsystem::Causality::output;
  using Ports = std::vector<subsystem::PortIndex>;
  result.dependencies[1] = feedsThrough ? Ports{0} : Ports{};
  result.capabilities.saveRestore = saves;
  result.capabilities.inputDerivatives = derivatives;
  result.indexNames();
  return result;
}

TEST(EndOutputs, ALineIsTakenWhereARealOutputIsFedByARealInput) {
  using enum core::Type;
  EXPECT_EQ(EndOutputs::degreeOf(description(real, real, true)), 1U);
  EXPECT_EQ(EndOutputs::degreeOf(description(real, real, false)), 0U);
  EXPECT_EQ(EndOutputs::degreeOf(description(integer, real, true)), 0U);
  EXPECT_EQ(EndOutputs::degreeOf(description(real, integer, true)), 0U);
  EXPECT_EQ(EndOutputs::degreeOf(description(real, real, true, false)), 0U) << "it cannot go back";
  for (const bool saves : {true, false})
    EXPECT_EQ(EndOutputs::degreeOf(description(real, real, true, saves, 3)), 3U) << "it takes more itself";
  EXPECT_EQ(EndOutputs::degreeOf(description(real, real, true, true, 1)), 1U);
  // An output is no input, although it may be given as what another one depends on.
  subsystem::Description odd = description(real, real, true);
  odd.ports[0].causality = subsystem::Causality::local;
  EXPECT_EQ(EndOutputs::degreeOf(odd), 0U);
}

// --- Whether it remembers --------------------------------------------------------------------------------------------

/// Of one output: what the end makes more than the mean, over a whole step and over half of one.
bool remembers(double whole, double half, double size = 0.0) {
  return EndOutputs::remembers({{size + whole}, {size}}, {{size + half}, {size}});
}

/// Who depends on its inputs alone answers by as much, who integrates by half; a difference quotient by twice as much.
TEST(EndOutputs, WhoAnswersMoreInHalfAStepRemembers) {
  EXPECT_FALSE(remembers(10.0, 10.0));
  EXPECT_FALSE(remembers(10.0, -10.0)) << "magnitudes count";
  EXPECT_FALSE(remembers(10.0, 5.0));
  EXPECT_FALSE(remembers(10.0, 0.0));
  EXPECT_FALSE(remembers(10.0, 11.0)) << "a tenth more is what states add";
  EXPECT_TRUE(remembers(10.0, 11.001));
  EXPECT_TRUE(remembers(-10.0, 12.0));
  EXPECT_TRUE(remembers(10.0, 20.0));
  EXPECT_FALSE(remembers(0.0, 0.0));
  EXPECT_TRUE(remembers(0.0, 1.0));
  EXPECT_TRUE(remembers(std::numeric_limits<double>::quiet_NaN(), 1.0)) << "nothing is known";
}

/// Rounding is a billionth of the larger of both answers over half a step.
TEST(EndOutputs, RoundingIsNoMemory) {
  EXPECT_FALSE(remembers(0.0, 0.5, 1e9));
  EXPECT_FALSE(remembers(0.0, -0.5, 1e9));
  EXPECT_FALSE(remembers(0.0, 0.5, -1e9));
  EXPECT_TRUE(remembers(0.0, 1.5, 1e9));
}

TEST(EndOutputs, EveryOutputCounts) {
  for (std::size_t which = 0; which < 3; ++which) {
    EndOutputs::Answers whole{{1.0, 2.0, 3.0}, {0.0, 0.0, 0.0}};
    EndOutputs::Answers half{{1.0, 2.0, 3.0}, {0.0, 0.0, 0.0}};
    EXPECT_FALSE(EndOutputs::remembers(whole, half));
    half.ends[which] *= 2.0;
    EXPECT_TRUE(EndOutputs::remembers(whole, half)) << which;
  }
}

// --- Inputs and outputs of steps -------------------------------------------------------------------------------------

/// Inputs u, v, w (discrete), outputs y by u, z by v, x by nothing and n, an integer, by u. It keeps what it is set.
struct Fed {
  enum Reference : unsigned { u = 1, v, w, y, z, x, n, free };

  Fed() : one(fmu.file) {}
  void initialise(const std::vector<std::string>& inputs = {"u", "v", "w"},
                  const std::vector<std::string>& outputs = {"x", "n", "z", "y"}) {
    one.bindAll(inputs, outputs);
    one.initialise();
    fmu.player.calls.clear();
  }
  /// A step of 0.5 s from t with coefficients of the bound real inputs, power by power.
  subsystem::StepResult take(const std::vector<double>& coefficients, unsigned degree, double t = 0.0) {
    return one.system->advance({t, t + 0.5, true},
                               {coefficients.data(), static_cast<std::uint32_t>(one.u.size()), degree}, one.y);
  }

  PlayedFmu fmu{described(variable("u", u, "input", "Real", "start=\"0\"") +
                              variable("v", v, "input", "Real", "start=\"0\"") +
                              R"(<ScalarVariable name="w" valueReference="3" causality="input" variability="discrete">
                                 <Real start="0"/></ScalarVariable>)" +
                              variable("y", y, "output") + variable("z", z, "output") + variable("x", x, "output") +
                              variable("n", n, "output", "Integer") + variable("free", free, "output"),
                          outputsDepending({{4, "1"}, {5, "2"}, {6, ""}, {7, "1"}, {8, ""}}))};
  TypedInstance one;
};

/// u = 2 + 3 s + 4 s^2, v = 5 - 6 s + 9 s^2, w = 1 + 1 s + 1 s^2: at the end 9, 8, 3, in the mean 2 + 3/2 + 4/3, 5 - 3
/// + 3 = 5 and, since w is discrete, 3. y and z are those of the end, x and n of the step that counts.
TEST(EndOutputs, InputsAreMeansAndOutputsThoseOfTheEnd) {
  Fed fed;
  fed.initialise();
  std::vector<std::array<double, 3>> inputs;
  auto& reals = fed.fmu.player.values.reals;
  fed.fmu.player.step = [&](const Player::Step&) {
    inputs.push_back({reals[Fed::u], reals[Fed::v], reals[Fed::w]});
    reals[Fed::y] = 10.0 * reals[Fed::u];
    reals[Fed::z] = 100.0 * reals[Fed::v];
    reals[Fed::x] += 1.0;
    fed.fmu.player.values.integers[Fed::n] = static_cast<int>(reals[Fed::u]);
  };
  ASSERT_EQ(fed.take({2.0, 5.0, 1.0, 3.0, -6.0, 1.0, 4.0, 9.0, 1.0}, 2).status, subsystem::Status::ok);
  ASSERT_EQ(inputs.size(), 7U) << "whole and half steps with ends and means, the trial, and the step, which is checked";
  const double mean = 2.0 + 3.0 / 2.0 + 4.0 / 3.0;
  for (const std::size_t i : {0U, 2U, 4U}) EXPECT_THAT(inputs[i], ElementsAre(9.0, 8.0, 3.0)) << i;
  for (const std::size_t i : {1U, 3U, 5U, 6U})
    EXPECT_THAT(inputs[i], ElementsAre(::testing::DoubleEq(mean), 5.0, 3.0)) << i;
  EXPECT_THAT(fed.one.y, ElementsAre(1.0, 800.0, 90.0));
  EXPECT_EQ(fed.one.out.integers[0], 4) << "of the mean";
  // Recorded values are the same, bound or not, behind what is there already.
  core::Values values;
  values.reals = {-1.0, -2.0};
  const std::vector<subsystem::PortIndex> ports{fed.one.port("n"), fed.one.port("y"), fed.one.port("x"),
                                                fed.one.port("z")};
  fed.one.system->observe(ports, values);
  EXPECT_THAT(values.reals, ElementsAre(-1.0, -2.0, 90.0, 1.0, 800.0));
  EXPECT_THAT(values.integers, ElementsAre(4));
}

/// The whole and the half step begin at the same time; all but the half ones are as long as the step.
TEST(EndOutputs, TrialsAreStepsOfTheSameBeginning) {
  Fed fed;
  fed.initialise();
  ASSERT_EQ(fed.take({2.0, 5.0, 1.0, 3.0, -6.0, 1.0}, 1, 4.0).status, subsystem::Status::ok);
  using Step = Player::Step;
  const Step whole{4.0, 0.5, true};
  const Step half{4.0, 0.25, true};
  // The last one twice: going back is tried where a state is relied upon for the first time.
  ASSERT_GE(fed.fmu.player.steps.size(), 6U);
  EXPECT_THAT(std::vector(fed.fmu.player.steps.begin(), fed.fmu.player.steps.begin() + 6),
              ElementsAre(whole, whole, half, half, whole, whole));
}

/// Each input is compared once: when it changes by more than a millionth of itself for the first time.
TEST(EndOutputs, EachInputIsComparedOnce) {
  const auto stepsOf = [](Fed& fed, const std::vector<double>& coefficients) {
    const std::size_t before = fed.fmu.player.steps.size();
    EXPECT_EQ(fed.take(coefficients, 1).status, subsystem::Status::ok);
    return fed.fmu.player.steps.size() - before;
  };
  Fed fed;
  fed.initialise();
  EXPECT_EQ(stepsOf(fed, {2.0, 5.0, 1.0, 0.0, 0.0, 0.0}), 3U) << "the trial, and the step, which is checked";
  const auto halves = [&] {
    std::size_t count = 0;
    for (const Player::Step& step : fed.fmu.player.steps) count += step.h == 0.25 ? 1 : 0;
    return count;
  };
  EXPECT_EQ(halves(), 0U) << "nothing changes";
  stepsOf(fed, {2.0, 5.0, 1.0, 0.0, 0.0, 7.0});
  EXPECT_EQ(halves(), 0U) << "a discrete one has no mean";
  stepsOf(fed, {2.0, 5.0, 1.0, 3e-6, -9e-6, 0.0});  // half of that is the distance from the mean
  EXPECT_EQ(halves(), 0U) << "rounding";
  stepsOf(fed, {2.0, 5.0, 1.0, 0.0, -1.1e-5, 0.0});
  EXPECT_EQ(halves(), 2U) << "the second one";
  stepsOf(fed, {2.0, 5.0, 1.0, 0.0, -6.0, 0.0});
  EXPECT_EQ(halves(), 2U) << "known already";
  stepsOf(fed, {2.0, 5.0, 1.0, 1.0, -6.0, 0.0});
  EXPECT_EQ(halves(), 4U) << "the first one";
  stepsOf(fed, {2.0, 5.0, 1.0, 1.0, -6.0, 1.0});
  EXPECT_EQ(halves(), 4U);
}

/// Values of one degree are held: no trial, and outputs as they are read.
TEST(EndOutputs, HeldInputsAreNotTried) {
  Fed fed;
  fed.initialise();
  fed.fmu.player.step = [&](const Player::Step&) {
    fed.fmu.player.values.reals[Fed::y] = 10.0 * fed.fmu.player.values.reals[Fed::u];
  };
  ASSERT_EQ(fed.take({2.0, 5.0, 1.0}, 0).status, subsystem::Status::ok);
  EXPECT_EQ(fed.fmu.player.steps.size(), 1U);
  EXPECT_EQ(fed.one.y[2], 20.0);
  ASSERT_EQ(fed.take({2.0, 5.0, 1.0, 1.0, 0.0, 0.0}, 1).status, subsystem::Status::ok);
  EXPECT_EQ(fed.one.y[2], 30.0) << "of the end";
  ASSERT_EQ(fed.take({4.0, 5.0, 1.0}, 0).status, subsystem::Status::ok);
  EXPECT_EQ(fed.one.y[2], 40.0) << "what was tried before is forgotten";
}

/// Where no bound input feeds an output there is nothing to try: it gets the mean alone.
TEST(EndOutputs, WithoutFeedThroughOnlyTheMeanIsSet) {
  Fed fed;
  fed.initialise({"w", "v"}, {"free"});
  ASSERT_EQ(fed.take({1.0, 5.0, 1.0, -6.0}, 1).status, subsystem::Status::ok);
  EXPECT_GT(fed.fmu.player.steps.size(), 1U) << "z depends on v, though nobody is connected to it";
  Fed without;
  without.initialise({"w"}, {"free", "y"});
  ASSERT_EQ(without.take({1.0, 1.0}, 1).status, subsystem::Status::ok);
  EXPECT_EQ(without.fmu.player.steps.size(), 1U);
  EXPECT_EQ(without.fmu.player.values.reals[Fed::w], 2.0);
}

/// What was tried belongs to the state that is saved after the step, and comes back with it.
TEST(EndOutputs, ComeBackWithTheState) {
  Fed fed;
  fed.initialise();
  auto& reals = fed.fmu.player.values.reals;
  fed.fmu.player.step = [&](const Player::Step&) {
    reals[Fed::y] = 10.0 * reals[Fed::u];
    reals[Fed::z] = 100.0 * reals[Fed::v];
  };
  ASSERT_EQ(fed.take({2.0, 5.0, 1.0, 2.0, 2.0, 0.0}, 1).status, subsystem::Status::ok);
  EXPECT_EQ(fed.one.observe("y"), 40.0);
  ASSERT_EQ(fed.one.system->save(Slot::iteration), subsystem::Status::ok);
  ASSERT_EQ(fed.take({6.0, 7.0, 1.0, 2.0, 2.0, 0.0}, 1, 0.5).status, subsystem::Status::ok);
  ASSERT_EQ(fed.one.system->save(Slot::macroStep), subsystem::Status::ok);
  EXPECT_EQ(fed.one.observe("y"), 80.0);
  ASSERT_EQ(fed.one.system->restore(Slot::iteration), subsystem::Status::ok);
  EXPECT_EQ(fed.one.observe("y"), 40.0);
  EXPECT_EQ(fed.one.observe("z"), 700.0);
  ASSERT_EQ(fed.one.system->restore(Slot::macroStep), subsystem::Status::ok);
  EXPECT_EQ(fed.one.observe("y"), 80.0);
  EXPECT_EQ(fed.one.observe("z"), 900.0);
}

/// Of ports that were bound before nothing is left.
TEST(EndOutputs, AreThoseOfThePortsThatAreBoundLast) {
  Fed fed;
  fed.one.bindAll({"u", "w"}, {"x", "y"});
  fed.initialise({"w", "v"}, {"z", "free"});
  auto& reals = fed.fmu.player.values.reals;
  reals[Fed::free] = 7.0;
  fed.fmu.player.step = [&](const Player::Step&) { reals[Fed::z] = 100.0 * reals[Fed::v]; };
  ASSERT_EQ(fed.take({1.0, 5.0, 2.0, -6.0}, 1).status, subsystem::Status::ok);
  EXPECT_EQ(reals[Fed::w], 3.0) << "of the end, since it is discrete";
  EXPECT_EQ(reals[Fed::v], 2.0) << "the mean";
  EXPECT_THAT(fed.one.y, ElementsAre(-100.0, 7.0));
}

/// A difference quotient holds the values of the end from then on, without trials, and says so.
TEST(EndOutputs, WhoRemembersGetsTheValuesOfTheEnd) {
  Fed fed;
  fed.initialise({"u"}, {"y"});
  auto& reals = fed.fmu.player.values.reals;
  double last = 0.0;
  fed.fmu.player.step = [&](const Player::Step& step) { reals[Fed::y] = (reals[Fed::u] - last) / step.h; };
  ASSERT_EQ(fed.take({0.0, 1.0}, 1).status, subsystem::Status::ok);
  EXPECT_EQ(reals[Fed::u], 1.0) << "the end, not the mean";
  EXPECT_THAT(fed.one.y, ElementsAre(2.0));
  EXPECT_THAT(fed.one.kept.messages("one"), Contains(HasSubstr("y answer the more to a change of them the shorter")));
  last = 1.0;
  fed.fmu.player.steps.clear();
  ASSERT_EQ(fed.take({1.0, 1.0}, 1, 0.5).status, subsystem::Status::ok);
  EXPECT_LE(fed.fmu.player.steps.size(), 2U) << "no trial; going back may be checked";
  EXPECT_EQ(reals[Fed::u], 2.0);
}

/// Who takes steps of one length only cannot be asked over half of one: the same, with other words.
TEST(EndOutputs, WhoTakesNoShorterStepsGetsTheValuesOfTheEnd) {
  const std::string variables = variable("u", 1, "input", "Real", "start=\"0\"") + variable("y", 2, "output");
  PlayedFmu fmu(described(variables, outputsDepending({{2, "1"}})), R"(canGetAndSetFMUstate="true")");
  TypedInstance one(fmu.file);
  one.bindAll({"u"}, {"y"});
  one.initialise();
  const std::vector<double> line{0.0, 1.0};
  ASSERT_EQ(one.system->advance({0.0, 0.5, true}, {line.data(), 1, 1}, one.y).status, subsystem::Status::ok);
  EXPECT_EQ(fmu.player.values.reals[1], 1.0);
  for (const Player::Step& step : fmu.player.steps) EXPECT_EQ(step.h, 0.5);
  EXPECT_THAT(one.kept.messages("one"), Contains(HasSubstr("cannot be found out, since it takes no shorter steps")));
}

/// A trial that fails fails the step as that would; in the comparison a failure is no answer, unless it is fatal.
TEST(EndOutputs, TrialsThatFailEndTheStep) {
  struct Row {
    std::string call;
    std::size_t nth;
    Status answer;
    subsystem::Status expected;
    std::string words;
  };
  // getFMUstate; setReal, doStep, getReal, setFMUstate for ends and means of whole and half steps (1 to 4); the trial
  // (5); the step, twice for the check of going back.
  const std::vector<Row> rows{
      {"getFMUstate", 1, Status::discard, subsystem::Status::error, "fmi2GetFMUstate"},
      {"getFMUstate", 1, Status::fatal, subsystem::Status::fatal, "fmi2GetFMUstate"},
      {"getFMUstate", 1, Status::warning, subsystem::Status::ok, ""},
      {"setReal", 1, Status::error, subsystem::Status::ok, ""},
      {"setReal", 1, Status::fatal, subsystem::Status::fatal, "fmi2SetReal"},
      {"doStep", 2, Status::discard, subsystem::Status::ok, ""},
      {"doStep", 2, Status::fatal, subsystem::Status::fatal, "fmi2DoStep"},
      {"getReal", 3, Status::error, subsystem::Status::ok, ""},
      {"getReal", 4, Status::fatal, subsystem::Status::fatal, "fmi2GetReal"},
      {"setFMUstate", 1, Status::discard, subsystem::Status::error, "fmi2SetFMUstate"},
      {"setFMUstate", 4, Status::fatal, subsystem::Status::fatal, "fmi2SetFMUstate"},
      {"setReal", 5, Status::error, subsystem::Status::error, "fmi2SetReal"},
      {"doStep", 5, Status::discard, subsystem::Status::discard, "fmi2DoStep(t = 0 s, h = 0.5 s)"},
      {"doStep", 5, Status::error, subsystem::Status::error, "fmi2DoStep(t = 0 s, h = 0.5 s)"},
      {"getReal", 5, Status::error, subsystem::Status::error, "fmi2GetReal"},
      {"setFMUstate", 5, Status::error, subsystem::Status::error, "fmi2SetFMUstate"},
      {"setFMUstate", 5, Status::warning, subsystem::Status::ok, ""},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.call + " " + std::to_string(row.nth) + " " + std::to_string(static_cast<int>(row.answer)));
    Fed fed;
    fed.initialise({"u"}, {"y"});
    Player& player = fed.fmu.player;
    player.answer = [&](const std::string& call) {
      return call == row.call && player.count(call) == row.nth ? row.answer : Status::ok;
    };
    EXPECT_EQ(fed.take({0.0, 1.0}, 1).status, row.expected) << fed.one.system->failure();
    EXPECT_THAT(fed.one.system->failure(), HasSubstr(row.words));
    player.answer = [](const auto&) { return Status::ok; };
  }
}

/// Told once, with the names of the outputs that are meant.
TEST(EndOutputs, AreToldOnce) {
  Fed fed;
  fed.initialise();
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(fed.take({0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, 1, 0.5 * i).status, subsystem::Status::ok);
  EXPECT_THAT(
      fed.one.kept.messages("one"),
      Contains(HasSubstr("It takes values of inputs only, and y, z may depend on them at the same instant")).Times(1));
}

}  // namespace
}  // namespace koppla::fmi::test::end_outputs_test
