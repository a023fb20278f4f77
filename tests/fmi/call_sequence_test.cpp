// The order and the arguments of the calls that an FMU gets (FMI 2.0.4, 4.2.4), as a library of ours reports them.

#include "stub_fmu.hpp"

/// Instances that were fatal must not be freed; the leak sanitizer asks for this function.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:Failing.so\nleak:obliging_stub.so\nleak:played_stub.so\n";
}

namespace koppla::fmi::test {
namespace {

using subsystem::Slot;
using subsystem::Status;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class CallSequence : public ::testing::Test {
 protected:
  /// Calls made to an instance of that name, which says how it misbehaves, until after its destruction.
  template <typename Life>
  std::vector<std::string> callsOf(const std::string& name, Life life) {
    KeptLog kept;
    {
      const auto fmu = Fmu::open(stub_.file, kept.log);
      const auto system = instantiate(fmu, name, kept.log);
      subsystem::Binding binding;
      binding.inputs = {0};
      binding.outputs = {1};
      system->bind(std::move(binding));
      life(*system);
    }
    std::vector<std::string> calls;
    for (const std::string& message : kept.messages(name))
      if (message.starts_with("[calls] ")) calls.push_back(message.substr(8));
    all_ = kept.all();
    return calls;
  }

  static void initialise(subsystem::Subsystem& system) {
    system.enterInitialisation({0.0, 2.0, std::nullopt});
    system.leaveInitialisation();
  }

  StubFmu stub_;
  std::vector<double> u_{3.0};
  std::vector<double> y_{0.0};
  std::string all_;
};

TEST_F(CallSequence, IsThatOfTheStandard) {
  const auto calls = callsOf("good", [&](subsystem::Subsystem& system) {
    const core::Value start = 1.0;
    system.set(0, std::span(&start, 1));
    system.enterInitialisation({0.5, 2.0, 0.25});
    EXPECT_EQ(system.evaluate(0.5, u_, y_), Status::ok);
    EXPECT_EQ(y_[0], 3.0);
    system.leaveInitialisation();
    EXPECT_EQ(system.save(Slot::macroStep), Status::ok);
    EXPECT_EQ(system.advance({0.5, 1.0, false}, subsystem::held(u_), y_).status, Status::ok);
    EXPECT_EQ(system.restore(Slot::macroStep), Status::ok);
    EXPECT_EQ(system.advance({0.5, 1.0, true}, subsystem::held(u_), y_).reached, 1.0);
    EXPECT_EQ(system.save(Slot::macroStep), Status::ok);
    system.terminate();
    system.terminate();
  });
  EXPECT_THAT(calls, ElementsAre("instantiate kind 1 guid {1} visible 0 logging 0", "setReal 0 x 1",
                                 "setupExperiment 1 0.25 0.50 1 2.00", "enterInitializationMode", "setReal 0 x 1",
                                 "getReal 1 x 1", "exitInitializationMode", "getFMUstate new", "setReal 0 x 1",
                                 // The first step that may be repeated is taken twice, to see whether it can be.
                                 "getFMUstate new", "getReal 1 x 1", "doStep 0.50 0.50 1", "getReal 1 x 1",
                                 "setFMUstate", "doStep 0.50 0.50 1", "getReal 1 x 1",  //
                                 "getReal 1 x 1", "setFMUstate", "setReal 0 x 1", "doStep 0.50 0.50 1", "getReal 1 x 1",
                                 "getFMUstate reused", "freeFMUstate", "freeFMUstate", "terminate", "freeInstance"));
}

TEST_F(CallSequence, DestructionTerminatesAndFreesWhatIsLeft) {
  EXPECT_THAT(callsOf("good",
                      [&](subsystem::Subsystem& system) {
                        initialise(system);
                        system.save(Slot::iteration);
                        system.save(Slot::macroStep);
                      }),
              ElementsAre(HasSubstr("instantiate"), HasSubstr("setupExperiment"), "enterInitializationMode",
                          "exitInitializationMode", "getFMUstate new", "getFMUstate new", "freeFMUstate",
                          "freeFMUstate", "terminate", "freeInstance"));
}

TEST_F(CallSequence, AnInstanceThatNeverStartedIsOnlyFreed) {
  EXPECT_THAT(callsOf("good", [](subsystem::Subsystem&) {}), ElementsAre(HasSubstr("instantiate"), "freeInstance"));
  EXPECT_THAT(callsOf("good",
                      [](subsystem::Subsystem& system) {
                        system.enterInitialisation({0.0, 1.0, std::nullopt});
                      }),
              Not(Contains("terminate")));
}

TEST_F(CallSequence, NothingFollowsAFatalCall) {
  const auto calls = callsOf("fatal", [&](subsystem::Subsystem& system) {
    initialise(system);
    system.save(Slot::iteration);
    EXPECT_EQ(system.advance({0.0, 1.0, true}, subsystem::held(u_), y_).status, Status::fatal);
    EXPECT_THAT(system.failure(), HasSubstr("fmi2DoStep(t = 0 s, h = 1 s) returned fmi2Fatal."));
    EXPECT_EQ(system.advance({0.0, 1.0, true}, subsystem::held(u_), y_).status, Status::fatal);
    EXPECT_EQ(system.save(Slot::iteration), Status::fatal);
    EXPECT_EQ(system.restore(Slot::iteration), Status::fatal);
    EXPECT_EQ(system.evaluate(0.0, u_, y_), Status::fatal);
    core::Values values;
    const subsystem::PortIndex port = 1;
    EXPECT_THROW(system.observe(std::span(&port, 1), values), core::SubsystemError);
    EXPECT_THAT(system.failure(), HasSubstr("fmi2DoStep"));
    system.terminate();
  });
  EXPECT_EQ(calls.back(), "doStep 0.00 1.00 1");
}

/// FMI 2.0.4, 2.1.3: fmi2Fatal holds for all instances of the FMU.
TEST_F(CallSequence, NoInstanceIsCalledAfterAFatalCallOfAnother) {
  KeptLog kept;
  {
    const auto fmu = Fmu::open(stub_.file, kept.log);
    const auto other = instantiate(fmu, "other", kept.log);
    const auto fatal = instantiate(fmu, "fatal", kept.log);
    initialise(*other);
    initialise(*fatal);
    EXPECT_EQ(fatal->advance({0.0, 1.0, true}, subsystem::held(u_), y_).status, Status::fatal);
    other->terminate();
  }
  EXPECT_EQ(kept.messages("other").back(), "[calls] exitInitializationMode");
}

TEST_F(CallSequence, AFatalObservationIsTheLastCallToo) {
  const auto calls = callsOf("losesGet", [&](subsystem::Subsystem& system) {
    initialise(system);
    core::Values values;
    const subsystem::PortIndex port = 1;
    EXPECT_THROW(system.observe(std::span(&port, 1), values), core::SubsystemError);
    EXPECT_EQ(system.advance({0.0, 1.0, true}, subsystem::held(u_), y_).status, Status::fatal);
  });
  EXPECT_EQ(calls.back(), "getReal 1 x 1");
}

TEST_F(CallSequence, AsynchronousStepsAreCancelled) {
  const auto calls = callsOf("pending", [&](subsystem::Subsystem& system) {
    initialise(system);
    EXPECT_EQ(system.advance({0.0, 1.0, true}, subsystem::held(u_), y_).status, Status::error);
    EXPECT_THAT(system.failure(), HasSubstr("fmi2Pending"));
    EXPECT_THAT(system.failure(), HasSubstr("asynchronously"));
  });
  EXPECT_THAT(calls, Contains("cancelStep"));
  EXPECT_THAT(calls, Not(Contains("terminate")));
  EXPECT_EQ(calls.back(), "freeInstance");
}

TEST_F(CallSequence, UnknownStatusesAreErrors) {
  callsOf("unheardOf", [&](subsystem::Subsystem& system) {
    initialise(system);
    EXPECT_EQ(system.advance({0.0, 1.0, true}, subsystem::held(u_), y_).status, Status::error);
    EXPECT_THAT(system.failure(), HasSubstr("the unknown status 42"));
  });
}

TEST_F(CallSequence, LastSuccessfulTimeIsKeptWithinTheStep) {
  callsOf("beyond", [&](subsystem::Subsystem& system) {
    initialise(system);
    const subsystem::StepResult result = system.advance({0.0, 1.0, true}, subsystem::held(u_), y_);
    EXPECT_EQ(result.status, Status::discard);
    EXPECT_EQ(result.reached, 1.0);
  });
  callsOf("ends", [&](subsystem::Subsystem& system) {
    initialise(system);
    EXPECT_EQ(system.advance({0.5, 1.0, true}, subsystem::held(u_), y_).reached, 0.5);  // it answers NaN
    EXPECT_THAT(system.failure(), HasSubstr("asks to end the simulation"));
  });
}

TEST_F(CallSequence, ValuesThatAreDiscardedDiscardTheStep) {
  const auto calls = callsOf("discardsSet", [&](subsystem::Subsystem& system) {
    initialise(system);
    const subsystem::StepResult result = system.advance({0.5, 1.0, true}, subsystem::held(u_), y_);
    EXPECT_EQ(result.status, Status::discard);
    EXPECT_EQ(result.reached, 0.5);
    EXPECT_THAT(system.failure(), HasSubstr("fmi2SetReal(t = 0.5 s) returned fmi2Discard"));
  });
  EXPECT_THAT(calls, Not(Contains(HasSubstr("doStep"))));
  callsOf("discardsGet", [&](subsystem::Subsystem& system) {
    initialise(system);
    const subsystem::StepResult result = system.advance({0.5, 1.0, true}, subsystem::held(u_), y_);
    EXPECT_EQ(result.status, Status::discard);
    EXPECT_EQ(result.reached, 1.0);  // that is where it stands; its values there are missing
  });
}

TEST_F(CallSequence, WarningsAreLoggedOnceAndCounted) {
  callsOf("warnsSet", [&](subsystem::Subsystem& system) {
    initialise(system);
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(system.advance({0.1 * i, 0.1 * (i + 1), true}, subsystem::held(u_), y_).status, Status::warning);
  });
  EXPECT_THAT(all_, HasSubstr("warning warnsSet: fmi2SetReal(t = 0 s) returned fmi2Warning."));
  EXPECT_THAT(all_, HasSubstr("3 calls returned fmi2Warning."));
}

TEST_F(CallSequence, InitialisationThatFailsThrows) {
  const auto calls = callsOf("stubborn", [&](subsystem::Subsystem& system) {
    system.enterInitialisation({0.0, 1.0, std::nullopt});
    EXPECT_THAT(messageOf<core::SubsystemError>([&] { system.leaveInitialisation(); }),
                HasSubstr("stubborn: fmi2ExitInitializationMode returned fmi2Discard."));
    EXPECT_EQ(system.advance({0.0, 1.0, true}, subsystem::held(u_), y_).status, Status::error);
  });
  EXPECT_EQ(calls.back(), "freeInstance");
}

TEST_F(CallSequence, TerminationThatFailsIsLogged) {
  callsOf("unwilling", [](subsystem::Subsystem& system) { initialise(system); });
  EXPECT_THAT(all_, HasSubstr("warning unwilling: fmi2Terminate returned fmi2Error."));
}

TEST_F(CallSequence, MessagesFindTheirInstanceWithoutAProperEnvironment) {
  EXPECT_THAT(callsOf("nullEnvironment", [](subsystem::Subsystem&) {}).back(), "freeInstance");
  EXPECT_THAT(callsOf("strangeEnvironment", [](subsystem::Subsystem&) {}).back(), "freeInstance");
  EXPECT_THAT(callsOf("anonymous", [](subsystem::Subsystem&) {}).back(), "freeInstance");
}

TEST_F(CallSequence, MessagesFromNowhereSayHowTheyAreSigned) {
  KeptLog kept;
  const auto fmu = Fmu::open(stub_.file, kept.log);
  const auto first = instantiate(fmu, "first", kept.log);
  const auto second = instantiate(fmu, "anonymous", kept.log);
  EXPECT_THAT(kept.messages("first"), Contains(HasSubstr("(from 'NULL', which is no instance) instantiate")));
}

TEST_F(CallSequence, LoggingIsAskedFor) {
  KeptLog kept;
  const auto fmu = Fmu::open(stub_.file, kept.log);
  const auto system = instantiate(fmu, "loud", kept.log, {.logging = true});
  EXPECT_THAT(kept.all(), HasSubstr("info loud: [calls] instantiate kind 1 guid {1} visible 0 logging 1"));
}

TEST_F(CallSequence, ANameIsNeeded) {
  KeptLog kept;
  const auto fmu = Fmu::open(stub_.file, kept.log);
  EXPECT_THROW(instantiate(fmu, "", kept.log), core::InputError);
}

}  // namespace
}  // namespace koppla::fmi::test
