// The interface of our FMUs against the rules of FMI 2.0, and those FMUs that break some on purpose.

#include <cmath>

#include <gtest/gtest.h>

#include "loaded_fmu.hpp"

namespace koppla::fmus {
namespace {

TEST(Fmu, RefusesAForeignGuid) {
  const LoadedFmu fmu("Gain");
  const Instance it(fmu, "{another}");
  EXPECT_EQ(it.component, nullptr);
  EXPECT_NE(it.all().find("GUID"), std::string::npos);
}

TEST(Fmu, RefusesModelExchange) {
  const LoadedFmu fmu("Gain");
  EXPECT_EQ(Instance(fmu, nullptr, fmi2ModelExchange).component, nullptr);
}

TEST(Fmu, EnforcesTheCallSequence) {
  const LoadedFmu fmu("FirstOrderLag");
  const Instance it(fmu);
  EXPECT_EQ(it.step(0, 0.1), fmi2Error);
  EXPECT_THROW(it.real("y"), std::runtime_error);
  EXPECT_EQ(it.exit(), fmi2Error);
  EXPECT_EQ(it.enter(), fmi2Error) << "before fmi2SetupExperiment";
  EXPECT_EQ(it.setUp(), fmi2OK);
  EXPECT_EQ(it.enter(), fmi2OK);
  EXPECT_EQ(it.setUp(), fmi2Error);
  EXPECT_EQ(it.exit(), fmi2OK);
  EXPECT_EQ(it.set("T", 2.0), fmi2Error) << "a fixed parameter";
  EXPECT_EQ(it.set("y", 2.0), fmi2Error) << "an output";
  EXPECT_EQ(it.set("u", 2.0), fmi2OK);
  EXPECT_EQ(it.step(0, 0.1), fmi2OK);
  EXPECT_EQ(it.call("fmi2CancelStep"), fmi2Error);
  EXPECT_EQ(it.call("fmi2Terminate"), fmi2OK);
  EXPECT_EQ(it.step(0.1, 0.1), fmi2Error);
  EXPECT_EQ(it.call("fmi2Reset"), fmi2OK);
  EXPECT_NO_THROW(it.start());
  EXPECT_EQ(it.real("y"), 0);
}

TEST(Fmu, ChecksReferencesAndTypes) {
  const LoadedFmu fmu("Gain");
  const Instance it(fmu);
  it.start();
  const fmi2ValueReference outside = 99;
  const fmi2ValueReference real = 0;
  double value = 0;
  int integer = 0;
  using References = const fmi2ValueReference*;
  EXPECT_EQ((it.call<References, std::size_t, double*>("fmi2GetReal", &outside, 1, &value)), fmi2Error);
  EXPECT_EQ((it.call<References, std::size_t, int*>("fmi2GetInteger", &real, 1, &integer)), fmi2Error);
  EXPECT_EQ((it.call<References, std::size_t, double*>("fmi2GetReal", nullptr, 0, nullptr)), fmi2OK);
}

TEST(Fmu, ChecksTimes) {
  const LoadedFmu fmu("Gain");
  const Instance it(fmu);
  ASSERT_EQ(it.setUp(0, true, 1), fmi2OK);
  ASSERT_EQ(it.enter(), fmi2OK);
  ASSERT_EQ(it.exit(), fmi2OK);
  EXPECT_EQ(it.step(0.1, 0.1), fmi2Error);
  EXPECT_EQ(it.step(0, 0), fmi2Error);
  EXPECT_EQ(it.step(0, -0.1), fmi2Error);
  EXPECT_EQ(it.step(0, std::nan("")), fmi2Error);
  EXPECT_EQ(it.step(0, 1.1), fmi2Error) << "beyond the stop time";
  EXPECT_EQ(it.step(0, 0.1 + 0.2), fmi2OK);
  EXPECT_EQ(it.step(0.3, 0.7), fmi2OK) << "0.3 is 0.1 + 0.2, but for rounding";
}

TEST(Fmu, RestoresItsStateExactly) {
  const LoadedFmu fmu("FirstOrderLag");
  const Instance it(fmu);
  it.start();
  it.set("u", 1.0);
  it.step(0, 0.1);
  fmi2FMUstate state = nullptr;
  ASSERT_EQ(it.call("fmi2GetFMUstate", &state), fmi2OK);
  it.set("u", 3.0);
  it.step(0.1, 0.25);
  const double once = it.real("y");
  ASSERT_EQ(it.call("fmi2SetFMUstate", state), fmi2OK);
  it.set("u", 3.0);
  EXPECT_EQ(it.step(0.1, 0.25), fmi2OK);
  EXPECT_EQ(it.real("y"), once);

  std::size_t size = 0;
  ASSERT_EQ(it.call("fmi2SerializedFMUstateSize", state, &size), fmi2OK);
  std::vector<char> bytes(size);
  ASSERT_EQ(it.call("fmi2SerializeFMUstate", state, bytes.data(), size), fmi2OK);
  ASSERT_EQ(it.call("fmi2FreeFMUstate", &state), fmi2OK);
  EXPECT_EQ(state, nullptr);
  const Instance other(fmu);
  using DeSerialize = fmi2Status(fmi2Component, const char*, std::size_t, fmi2FMUstate*);
  const auto read = fmu.function<DeSerialize>("fmi2DeSerializeFMUstate");
  ASSERT_EQ(read(other.component, bytes.data(), size, &state), fmi2OK);
  ASSERT_EQ(other.call("fmi2SetFMUstate", state), fmi2OK);
  other.set("u", 3.0);
  EXPECT_EQ(other.step(0.1, 0.25), fmi2OK);
  EXPECT_EQ(other.real("y"), once);
  other.call("fmi2FreeFMUstate", &state);
  bytes[0] = static_cast<char>(bytes[0] + 1);
  EXPECT_EQ(read(other.component, bytes.data(), size, &state), fmi2Error);
}

TEST(Gain, FeedsThroughInInitialisationModeAndHasDerivatives) {
  const LoadedFmu fmu("Gain");
  const Instance it(fmu);
  it.set("k", 3.0);
  it.setUp();
  it.enter();
  it.set("u", 2.0);
  EXPECT_EQ(it.real("y"), 6);
  it.set("b", 1.0);
  EXPECT_EQ(it.real("y"), 7);
  it.exit();
  it.set("u", 5.0);
  EXPECT_EQ(it.real("y"), 16);
  const fmi2ValueReference y = it.reference("y");
  const fmi2ValueReference u = it.reference("u");
  const double direction = 2;
  double derivative = 0;
  using References = const fmi2ValueReference*;
  const auto derive = [&](References unknown, References known) {
    return it.call<References, std::size_t, References, std::size_t, const double*, double*>(
        "fmi2GetDirectionalDerivative", unknown, 1, known, 1, &direction, &derivative);
  };
  EXPECT_EQ(derive(&y, &u), fmi2OK);
  EXPECT_EQ(derivative, 6);
  EXPECT_EQ(derive(&u, &y), fmi2Error);
}

TEST(FeedThrough, PassesEveryType) {
  const LoadedFmu fmu("FeedThrough");
  const Instance it(fmu);
  it.set("fixedReal", 4.0);
  it.start(1);
  EXPECT_EQ(it.real("doubled"), 8);
  EXPECT_EQ(it.string("fixedString"), "a < b & \"c\"");
  EXPECT_EQ(it.set("constantReal", 3.0), fmi2Error);
  it.set("realIn", 1.5);
  it.set("integerIn", -7);
  it.set("booleanIn", true);
  it.set("stringIn", "Grüße");
  it.set("enumerationIn", 7);
  it.set("bus.signal[1]", 20.0);
  ASSERT_EQ(it.step(1, 0.5), fmi2OK);
  EXPECT_EQ(it.real("realOut"), 1.5);
  EXPECT_EQ(it.integer("integerOut"), -7);
  EXPECT_TRUE(it.boolean("booleanOut"));
  EXPECT_EQ(it.string("stringOut"), "Grüße");
  EXPECT_EQ(it.integer("enumerationOut"), 7);
  EXPECT_EQ(it.real("bus.signal[2]"), 20);
  EXPECT_EQ(it.real("x"), 0.75);
  EXPECT_EQ(it.real("der(x)"), 1.5);
  EXPECT_EQ(it.real("time"), 1.5);
  EXPECT_EQ(it.set("stringIn", std::string(300, 'x').c_str()), fmi2Error);
}

TEST(NoRestore, LacksTheOptionalFunctionsAndTakesEqualSteps) {
  const LoadedFmu fmu("NoRestore");
  EXPECT_EQ(fmu.function<void()>("fmi2GetFMUstate"), nullptr);
  EXPECT_EQ(fmu.function<void()>("fmi2GetDirectionalDerivative"), nullptr);
  const Instance it(fmu);
  it.start();
  EXPECT_EQ(it.step(0, 0.1), fmi2OK);
  EXPECT_EQ(it.step(0.1, 0.05), fmi2Error);
  EXPECT_EQ(it.step(0.1, 0.2 - 0.1), fmi2OK);
}

TEST(Discarding, TellsHowFarItGotAndGoesOnFromARestoredState) {
  const LoadedFmu fmu("Discarding");
  const Instance it(fmu);
  it.start();
  it.set("u", 2.0);
  ASSERT_EQ(it.step(0, 0.5), fmi2OK);
  fmi2FMUstate state = nullptr;
  it.call("fmi2GetFMUstate", &state);
  EXPECT_EQ(it.step(0.5, 0.1), fmi2Discard);
  double reached = 0;
  EXPECT_EQ(it.call("fmi2GetRealStatus", fmi2LastSuccessfulTime, &reached), fmi2OK);
  EXPECT_EQ(reached, 0.55);
  EXPECT_NEAR(it.real("x"), 1.1, 1e-15);
  EXPECT_EQ(it.step(0.55, 0.05), fmi2Error);
  it.call("fmi2SetFMUstate", state);
  EXPECT_EQ(it.step(0.5, 0.05), fmi2OK);
  EXPECT_EQ(it.step(0.55, 10), fmi2OK);
  it.call("fmi2FreeFMUstate", &state);
}

TEST(Failing, FailsWhereItIsTold) {
  const LoadedFmu fmu("Failing");
  for (const std::string status : {"error", "fatal"}) {
    const Instance it(fmu);
    it.set("call", "doStep");
    it.set("status", status.c_str());
    it.set("at", 0.1);
    it.start();
    EXPECT_EQ(it.step(0, 0.1), fmi2OK);
    EXPECT_EQ(it.step(0.1, 0.1), status == "error" ? fmi2Error : fmi2Fatal);
    EXPECT_NE(it.all().find("Told to fail in doStep"), std::string::npos);
    EXPECT_EQ(it.call("fmi2Reset"), status == "error" ? fmi2OK : fmi2Error);
  }
  for (const char* call : {"enterInitializationMode", "exitInitializationMode", "getReal", "setReal", "terminate"}) {
    const Instance it(fmu);
    it.set("at", 0.0);
    it.set("call", call);
    it.set("at", 0.0);
    bool failed = it.setUp() || it.enter() || it.exit() || it.set("u", 1.0) || it.step(0, 1);
    double y = 0;
    const fmi2ValueReference vr = it.reference("y");
    failed = failed || it.call<const fmi2ValueReference*, std::size_t, double*>("fmi2GetReal", &vr, 1, &y) ||
             it.call("fmi2Terminate");
    EXPECT_TRUE(failed) << call;
    EXPECT_EQ(it.lines.size(), 1u) << it.all();
  }
  const Instance wrong(fmu);
  wrong.set("status", "nan");
  wrong.set("at", 0.1);
  wrong.start();
  EXPECT_EQ(wrong.real("y"), 0);
  wrong.step(0, 0.1);
  EXPECT_TRUE(std::isnan(wrong.real("y")));
}

TEST(FailingInstantiate, SaysWhy) {
  const LoadedFmu fmu("FailingInstantiate");
  const Instance it(fmu);
  EXPECT_EQ(it.component, nullptr);
  EXPECT_NE(it.all().find("licence"), std::string::npos);
}

TEST(OncePerProcess, AllowsOneInstanceAtATime) {
  const LoadedFmu fmu("OncePerProcess");
  {
    const Instance first(fmu);
    EXPECT_NE(first.component, nullptr);
    const Instance second(fmu);
    EXPECT_EQ(second.component, nullptr);
    EXPECT_NE(second.all().find("already"), std::string::npos);
  }
  EXPECT_NE(Instance(fmu).component, nullptr);
}

TEST(ResourceReader, ReadsItsFile) {
  const LoadedFmu fmu("ResourceReader");
  const Instance it(fmu);
  it.start();
  EXPECT_EQ(it.string("line"), "Greetings from the resources folder.");
  EXPECT_EQ(it.integer("length"), 36);
}

TEST(WildLogger, LogsAsManyLinesAsAsked) {
  const LoadedFmu fmu("WildLogger");
  const Instance it(fmu);
  it.set("lines", 12);
  it.start();
  it.step(0, 0.1);
  EXPECT_EQ(it.lines.size(), 14u) << "one at instantiation, and the twelfth manner logs two";
  EXPECT_EQ(it.lines[4], "text 42 1.500000 100 %");
}

}  // namespace
}  // namespace koppla::fmus
