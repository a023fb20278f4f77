#include "koppla/fmi/co_simulation.hpp"

#include <cmath>

#include "helpers.hpp"

namespace koppla::fmi::test {
namespace {

using subsystem::Slot;
using subsystem::Status;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// T y' = k u - y with u held: y(h) = k u + (y - k u) exp(-h/T).
TEST(CoSimulationTest, StepsALag) {
  Instance lag(fmuFile("FirstOrderLag"));
  lag.set("T", 2.0);
  lag.set("k", 3.0);
  lag.set("x0", 1.0);
  lag.bind({"u"}, {"y"});
  lag.system->enterInitialisation({0.0, 1.0, 1e-6});
  lag.u = {5.0};
  EXPECT_EQ(lag.system->evaluate(0.0, lag.u, lag.y), Status::ok);
  EXPECT_EQ(lag.y[0], 1.0);
  lag.system->leaveInitialisation();
  const subsystem::StepResult result = lag.advance(0.0, 0.5);
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_EQ(result.reached, 0.5);
  EXPECT_DOUBLE_EQ(lag.y[0], 15.0 - 14.0 * std::exp(-0.25));
  EXPECT_EQ(lag.observe("y"), lag.y[0]);
  EXPECT_EQ(lag.observe("T"), 2.0);
}

TEST(CoSimulationTest, MovesValuesOfAllTypes) {
  Instance all(fmuFile("FeedThrough"));
  std::vector<std::int32_t> integersIn{-7, 3};
  std::vector<std::int32_t> booleansIn{1};
  std::vector<std::string> stringsIn{"three \xc3\xa4"};
  std::vector<std::int32_t> integersOut(2);
  std::vector<std::int32_t> booleansOut(1);
  std::vector<std::string> stringsOut(1);
  subsystem::Binding binding;
  for (const char* name : {"realIn", "integerIn", "booleanIn", "stringIn", "enumerationIn", "discreteIn"})
    binding.inputs.push_back(all.port(name));
  for (const char* name : {"enumerationOut", "realOut", "integerOut", "booleanOut", "stringOut", "discreteOut", "x"})
    binding.outputs.push_back(all.port(name));
  binding.discreteInputs = {integersIn, booleansIn, stringsIn};
  binding.discreteOutputs = {integersOut, booleansOut, stringsOut};
  all.system->bind(binding);
  all.u = {0.5, 2.0};
  all.y = {0.0, 0.0, -1.0};
  const auto expectAll = [&] {
    EXPECT_THAT(integersOut, ElementsAre(integersIn[1], integersIn[0]));
    EXPECT_THAT(booleansOut, ElementsAre(booleansIn[0]));
    EXPECT_THAT(stringsOut, ElementsAre(stringsIn[0]));
    EXPECT_EQ(all.y[0], all.u[0]);
    EXPECT_EQ(all.y[1], all.u[1]);
  };
  all.system->enterInitialisation({0.0, 1.0, std::nullopt});
  EXPECT_EQ(all.system->evaluate(0.0, all.u, all.y), Status::ok);
  expectAll();
  EXPECT_EQ(all.y[2], 0.0);
  all.system->leaveInitialisation();
  integersIn = {8, 7};
  booleansIn = {0};
  stringsIn = {""};
  EXPECT_EQ(all.advance(0.0, 0.5).status, Status::ok);
  expectAll();
  EXPECT_EQ(all.y[2], 0.25);

  core::Values values;
  std::vector<subsystem::PortIndex> ports;
  for (const char* name :
       {"fixedString", "fixedEnumeration", "constantReal", "tunableBoolean", "fixedInteger", "doubled"})
    ports.push_back(all.port(name));
  all.system->observe(ports, values);
  EXPECT_THAT(values.reals, ElementsAre(3.141592653589793, 5.0));
  EXPECT_THAT(values.integers, ElementsAre(7, 4));
  EXPECT_THAT(values.booleans, ElementsAre(1));
  EXPECT_THAT(values.strings, ElementsAre("a < b & \"c\""));
  all.system->observe(ports, values);  // appends
  EXPECT_THAT(values.integers, ElementsAre(7, 4, 7, 4));
}

TEST(CoSimulationTest, BindsMoreReferencesThanFitInside) {
  Instance all(fmuFile("FeedThrough"));
  std::vector<std::string> outputs(20, "realOut");
  outputs[13] = "x";
  all.bind({"realIn", "realIn", "realIn", "realIn", "realIn", "realIn", "realIn", "realIn", "realIn"}, outputs);
  all.initialise();
  all.u.assign(9, 4.0);
  EXPECT_EQ(all.advance(0.0, 0.5).status, Status::ok);
  for (std::size_t i = 0; i < all.y.size(); ++i) EXPECT_EQ(all.y[i], i == 13 ? 2.0 : 4.0);
}

TEST(CoSimulationTest, SetsParametersOfAllTypes) {
  Instance all(fmuFile("FeedThrough"));
  all.set("fixedReal", 8.0);
  all.set("tunableInteger", std::int32_t{9});
  all.set("fixedBoolean", true);
  all.set("tunableString", std::string("new"));
  all.set("fixedEnumeration", std::int32_t{2});
  all.set("x", 100.0);     // a start value: initial is exact
  all.set("realIn", 2.0);  // an input's start value
  all.bind({}, {"doubled", "x", "realOut"});
  all.system->enterInitialisation({0.0, 1.0, std::nullopt});
  EXPECT_EQ(all.system->evaluate(0.0, all.u, all.y), Status::ok);
  EXPECT_THAT(all.y, ElementsAre(16.0, 100.0, 2.0));
  all.system->leaveInitialisation();
  core::Values values;
  std::vector<subsystem::PortIndex> ports;
  for (const char* name : {"tunableInteger", "fixedBoolean", "tunableString", "fixedEnumeration"})
    ports.push_back(all.port(name));
  all.system->observe(ports, values);
  EXPECT_THAT(values.integers, ElementsAre(9, 2));
  EXPECT_THAT(values.booleans, ElementsAre(1));
  EXPECT_THAT(values.strings, ElementsAre("new"));
}

TEST(CoSimulationTest, RefusesToSetWhatCannotBeSet) {
  Instance all(fmuFile("FeedThrough"));
  const auto refusal = [&](const char* name, const core::Value& value) {
    return messageOf<core::InputError>([&] { all.set(name, value); });
  };
  EXPECT_THAT(refusal("constantReal", 3.0), HasSubstr("one.constantReal cannot be set"));
  EXPECT_THAT(refusal("realOut", 3.0), HasSubstr("one.realOut cannot be set"));
  EXPECT_THAT(refusal("doubled", 3.0), HasSubstr("cannot be set"));
  EXPECT_THAT(refusal("fixedReal", std::int32_t{3}), HasSubstr("one.fixedReal is of type real; '3' is not."));
  EXPECT_THAT(refusal("fixedInteger", 3.0), HasSubstr("of type integer"));
  EXPECT_THAT(refusal("fixedBoolean", std::int32_t{1}), HasSubstr("of type boolean"));
  EXPECT_THAT(refusal("fixedString", 3.0), HasSubstr("of type string"));
  EXPECT_THAT(refusal("fixedEnumeration", std::int32_t{4}),
              AllOf(HasSubstr("has no item 4."), HasSubstr("Choose of 1 (red), 2 (green), 3 (blue), 7 (violet).")));
  const std::vector<core::Value> two{1.0, 2.0};
  EXPECT_THAT(messageOf<core::InputError>([&] { all.system->set(all.port("fixedReal"), two); }),
              HasSubstr("takes one value, not 2"));
  EXPECT_THAT(messageOf<core::SubsystemError>([&] { all.set("fixedString", std::string(1000, 'x')); }),
              AllOf(HasSubstr("one: fmi2SetString(fixedString = xxx"), HasSubstr("returned fmi2Error. The FMU said:")));
}

TEST(CoSimulationTest, DiscreteArraysMustFitTheBinding) {
  Instance all(fmuFile("FeedThrough"));
  subsystem::Binding binding;
  binding.inputs = {all.port("integerIn")};
  EXPECT_THROW(all.system->bind(binding), core::InternalError);
  binding.inputs = {all.port("realOut")};
  EXPECT_THROW(all.system->bind(binding), core::InternalError);
}

TEST(CoSimulationTest, GivesDirectionalDerivatives) {
  Instance gain(fmuFile("Gain"));
  ASSERT_TRUE(gain.system->describe().capabilities.directionalDerivatives);
  gain.set("k", -4.0);
  gain.bind({"u"}, {"y", "y"});
  gain.system->enterInitialisation({0.0, 1.0, std::nullopt});
  std::vector<double> dy(2);
  EXPECT_EQ(gain.system->differentiate(0, dy), Status::ok);
  EXPECT_THAT(dy, ElementsAre(-4.0, -4.0));
  EXPECT_EQ(gain.system->differentiate(1, dy), Status::error);
}

TEST(CoSimulationTest, GivesNoDerivativesWithoutTheCapability) {
  Instance gain(fmuFile("GainNoDerivative"));
  EXPECT_FALSE(gain.system->describe().capabilities.directionalDerivatives);
}

/// The wall at 0.55 s: the step over it is discarded there.
TEST(CoSimulationTest, TellsHowFarADiscardedStepGot) {
  Instance wall(fmuFile("Discarding"));
  wall.bind({"u"}, {"x"});
  wall.initialise();
  wall.u = {1.0};
  EXPECT_EQ(wall.advance(0.0, 0.5).status, Status::ok);
  EXPECT_EQ(wall.system->save(Slot::macroStep), Status::ok);
  const subsystem::StepResult result = wall.advance(0.5, 1.0);
  EXPECT_EQ(result.status, Status::discard);
  EXPECT_EQ(result.reached, 0.55);
  EXPECT_THAT(wall.system->failure(), HasSubstr("fmi2DoStep(t = 0.5 s, h = 0.5 s) returned fmi2Discard."));
  EXPECT_EQ(wall.system->restore(Slot::macroStep), Status::ok);
  EXPECT_EQ(wall.advance(0.5, 0.55).status, Status::ok);
  EXPECT_EQ(wall.advance(0.55, 1.0).status, Status::ok);
  EXPECT_DOUBLE_EQ(wall.y[0], 1.0);
}

TEST(CoSimulationTest, FailuresNameTheCallAndQuoteTheFmu) {
  Instance failing(fmuFile("Failing"));
  failing.set("call", std::string("doStep"));
  failing.set("at", 0.5);
  failing.bind({"u"}, {"y"});
  failing.initialise();
  EXPECT_EQ(failing.advance(0.0, 0.5).status, Status::ok);
  EXPECT_EQ(failing.advance(0.5, 0.6).status, Status::error);
  EXPECT_THAT(failing.system->failure(), AllOf(HasSubstr("fmi2DoStep(t = 0.5 s, h = 0.0"),
                                               HasSubstr("returned fmi2Error. The FMU said: 'Told to fail in "
                                                         "doStep at t = 0.5 with status error.'.")));
  EXPECT_EQ(failing.advance(0.6, 0.7).status, Status::error);
}

/// FMI 2.0.4, 2.1.3: after fmi2Error a state saved before brings the instance back.
TEST(CoSimulationTest, ASavedStateBringsAFailedInstanceBack) {
  Instance failing(fmuFile("Failing"));
  failing.set("call", std::string("doStep"));
  failing.set("at", 0.5);
  failing.bind({"u"}, {"y"});
  failing.initialise();
  EXPECT_EQ(failing.system->save(Slot::iteration), Status::ok);
  EXPECT_EQ(failing.advance(0.0, 0.5).status, Status::ok);
  EXPECT_EQ(failing.advance(0.5, 1.0).status, Status::error);
  EXPECT_EQ(failing.system->restore(Slot::iteration), Status::ok);
  EXPECT_EQ(failing.advance(0.0, 0.25).status, Status::ok);
}

/// FMI 2.0.4, 2.1.3: without such a state only fmi2Reset is left.
TEST(CoSimulationTest, AnInstanceThatFailedInInitialisationModeCanBeInitialisedAgain) {
  Instance failing(fmuFile("Failing"));
  failing.set("call", std::string("getReal"));
  failing.set("above", 0.5);
  failing.bind({"u"}, {"y"});
  failing.system->enterInitialisation({0.0, 10.0, std::nullopt});
  const auto evaluated = [&](double u) {
    failing.u = {u};
    return failing.system->evaluate(0.0, failing.u, failing.y);
  };
  EXPECT_EQ(evaluated(0.25), Status::ok);
  EXPECT_EQ(evaluated(0.75), Status::error);
  EXPECT_EQ(evaluated(0.25), Status::error) << "nothing may be called after an error";
  EXPECT_EQ(failing.system->initialiseAgain(), Status::ok);
  EXPECT_EQ(evaluated(0.25), Status::ok);
  EXPECT_EQ(failing.y[0], 0.25);
  EXPECT_EQ(evaluated(0.75), Status::error) << "with the parameters that were set";
  EXPECT_EQ(failing.system->initialiseAgain(), Status::ok);
  failing.system->leaveInitialisation();
  failing.u = {0.0};
  EXPECT_EQ(failing.advance(0.0, 0.5).status, Status::ok);
}

TEST(CoSimulationTest, EveryCallThatFailsIsReported) {
  for (const std::string call : {"setupExperiment", "enterInitializationMode", "exitInitializationMode", "setReal",
                                 "getReal", "getFMUstate", "setFMUstate", "doStep", "terminate"})
    for (const std::string status : {"error", "fatal"}) {
      SCOPED_TRACE(call + " " + status);
      Instance failing(fmuFile("Failing"));
      failing.set("call", call);
      failing.set("status", status);
      failing.bind({"u"}, {"y"});
      std::string said;
      try {
        failing.initialise();
        const bool ok = failing.system->save(Slot::iteration) == Status::ok &&
                        failing.system->restore(Slot::iteration) == Status::ok &&
                        failing.advance(0.0, 0.1).status == Status::ok;
        if (!ok) said = failing.system->failure();
      } catch (const core::SubsystemError& error) {
        said = error.what();
      }
      failing.system->terminate();
      if (call == "terminate") said = failing.kept.all();
      EXPECT_THAT(said, HasSubstr("Told to fail in " + call));
      EXPECT_THAT(said, HasSubstr(status == "error" ? "returned fmi2Error" : "returned fmi2Fatal"));
    }
}

TEST(CoSimulationTest, ThereIsNothingToRestoreWithoutASave) {
  Instance lag(fmuFile("FirstOrderLag"));
  lag.bind({"u"}, {"y"});
  lag.initialise();
  EXPECT_EQ(lag.system->restore(Slot::iteration), Status::error);
  EXPECT_THAT(lag.system->failure(), HasSubstr("no saved state"));
  EXPECT_EQ(lag.system->evaluate(0.0, lag.u, lag.y), Status::error);  // FMI 2.0 holds time during initialisation only
}

}  // namespace
}  // namespace koppla::fmi::test
