// Values of any ports, bound or not, and of inputs that cannot be read before the first step.

#include <algorithm>

#include "played_fmu.hpp"

namespace koppla::fmi::test::port_reader_test {
namespace {

using fmi2::Status;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<std::string> kTypes{"Real", "Integer", "Enumeration", "Boolean", "String"};

/// Of each type an input without a start value, one with a start value, and an output: references 10, 11, 12 for
/// reals, 20, ... for integers and so on.
struct Hiding {
  Hiding() : one(fmu.file) { one.system->enterInitialisation({0.0, 1.0, std::nullopt}); }

  static DescriptionText description() {
    std::string variables;
    for (unsigned i = 0; i < kTypes.size(); ++i) {
      const std::string& type = kTypes[i];
      const std::string start = type == "Real" ? "1.5" : type == "Boolean" ? "true" : type == "String" ? "text" : "7";
      variables += variable("plain" + type, 10 * i + 10, "input", type);
      variables += variable("started" + type, 10 * i + 11, "input", type, "start=\"" + start + "\"");
      variables += variable("output" + type, 10 * i + 12, "output", type);
    }
    return described(variables);
  }
  core::Values read(const std::vector<std::string>& names) {
    std::vector<subsystem::PortIndex> ports;
    for (const std::string& name : names) ports.push_back(one.port(name));
    core::Values values;
    one.system->observe(ports, values);
    return values;
  }

  PlayedFmu fmu{description()};
  TypedInstance one;
};

/// An input that is not told before the first step has its start value, or 0, false, or an empty text.
TEST(PortReader, HiddenInputsHaveTheirStartValuesOrNothing) {
  for (const std::string& hidden : kTypes) {
    Hiding h;
    const auto index = static_cast<unsigned>(std::ranges::find(kTypes, hidden) - kTypes.begin());
    const unsigned first = 10 * index + 10;
    Player::Values& v = h.fmu.player.values;
    for (unsigned i = 10; i <= 60; ++i) {
      v.reals[i] = v.integers[i] = 90;
      v.booleans[i] = 4;
      v.strings[i] = "told";
    }
    h.fmu.player.refused = {first, first + 1};
    const core::Values values = h.read({"output" + hidden, "started" + hidden, "plain" + hidden});
    core::Values expected;
    if (hidden == "Real") expected.reals = {90.0, 1.5, 0.0};
    if (hidden == "Integer" || hidden == "Enumeration") expected.integers = {90, 7, 0};
    if (hidden == "Boolean") expected.booleans = {1, 1, 0};  // any number but 0 is true
    if (hidden == "String") expected.strings = {"told", "text", ""};
    EXPECT_EQ(values, expected) << hidden;
    for (const char* name : {"plain", "started"})
      EXPECT_THAT(h.one.kept.messages("one"),
                  Contains(HasSubstr("The input '" + (name + hidden) + "' cannot be read before the first step")));
    EXPECT_EQ(h.one.kept.lines.back().severity, core::Severity::info);
  }
}

/// Others of its type are told all the same, whichever comes first.
TEST(PortReader, OneHiddenInputHidesNoOther) {
  for (const unsigned hidden : {10U, 11U}) {
    Hiding h;
    h.fmu.player.values.reals = {{10, 0.25}, {11, 0.5}, {12, 0.75}};
    h.fmu.player.refused = {hidden};
    EXPECT_THAT(h.read({"plainReal", "startedReal", "outputReal"}).reals,
                ElementsAre(hidden == 10 ? 0.0 : 0.25, hidden == 11 ? 1.5 : 0.5, 0.75));
    EXPECT_THAT(h.read({"outputReal", "startedReal", "plainReal"}).reals,
                ElementsAre(0.75, hidden == 11 ? 1.5 : 0.5, hidden == 10 ? 0.0 : 0.25));
  }
}

/// Only inputs have such a value, and only before the first step; a fatal call is one.
TEST(PortReader, ARefusalThatIsNoneOfThatIsAFailure) {
  {
    Hiding h;
    h.fmu.player.refused = {12};
    EXPECT_THAT(messageOf<core::SubsystemError>([&] {
                  h.read({"startedReal", "outputReal"});
                }),
                HasSubstr("fmi2GetReal returned fmi2Error"));
  }
  {
    Hiding h;
    h.one.system->leaveInitialisation();
    h.fmu.player.refused = {11};
    EXPECT_THROW(h.read({"startedReal"}), core::SubsystemError);
    EXPECT_EQ(h.fmu.player.count("getReal"), 1U);
  }
  for (const std::size_t nth : {1U, 2U, 3U}) {  // the call for all, and those for single ones
    Hiding h;
    h.fmu.player.answer = [&](const std::string& call) {
      if (call != "getReal") return Status::ok;
      return h.fmu.player.count(call) == nth ? Status::fatal : nth == 3 ? Status::ok : Status::error;
    };
    h.fmu.player.refused = {10, 11};
    EXPECT_THAT(messageOf<core::SubsystemError>([&] {
                  h.read({"plainReal", "startedReal"});
                }),
                HasSubstr("fmi2GetReal returned fmi2Fatal"));
    EXPECT_EQ(h.fmu.player.count("getReal"), nth) << "nothing may follow";
    h.fmu.player.answer = [](const auto&) { return Status::ok; };
  }
}

/// Each type by its own call, in the order of the ports; behind what is there.
TEST(PortReader, ValuesStandInTheirOrderWithinEachType) {
  Hiding h;
  Player::Values& v = h.fmu.player.values;
  for (unsigned i = 10; i < 60; ++i) {
    v.reals[i] = 0.5 * i;
    v.integers[i] = static_cast<int>(i);
    v.booleans[i] = i % 2 == 0 ? 0 : -1;
    v.strings[i] = std::to_string(i);
  }
  core::Values values;
  values.integers = {1, 2};
  values.booleans = {5};  // left as it is
  values.strings = {"before"};
  std::vector<subsystem::PortIndex> ports;
  for (const char* name : {"outputEnumeration", "startedString", "plainInteger", "outputBoolean", "startedReal",
                           "startedBoolean", "outputInteger", "plainString", "plainReal"})
    ports.push_back(h.one.port(name));
  h.fmu.player.calls.clear();
  h.one.system->observe(ports, values);
  EXPECT_THAT(values.reals, ElementsAre(5.5, 5.0));
  EXPECT_THAT(values.integers, ElementsAre(1, 2, 32, 20, 22));
  EXPECT_THAT(values.booleans, ElementsAre(5, 0, 1));
  EXPECT_THAT(values.strings, ElementsAre("before", "51", "50"));
  EXPECT_THAT(h.fmu.player.calls, ElementsAre("getReal", "getInteger", "getBoolean", "getString"));
  h.fmu.player.calls.clear();
  const core::Values none = h.read({});
  EXPECT_THAT(h.fmu.player.calls, IsEmpty());
  EXPECT_THAT(h.read({"outputString"}).strings, ElementsAre("52"));
  EXPECT_THAT(h.fmu.player.calls, ElementsAre("getString"));
}

/// The worst answer counts: a warning is told, and nothing is asked after what is worse.
TEST(PortReader, TheWorstAnswerCounts) {
  const std::vector<std::string> calls{"getReal", "getInteger", "getBoolean", "getString"};
  for (std::size_t i = 0; i < calls.size(); ++i) {
    Hiding h;
    h.one.system->leaveInitialisation();
    const auto read = [&] { return h.read({"outputReal", "outputInteger", "outputBoolean", "outputString"}); };
    const auto answered = [&](Status answer) {
      h.fmu.player.calls.clear();
      h.fmu.player.answer = [&, answer](const std::string& call) { return call == calls[i] ? answer : Status::ok; };
    };
    answered(Status::warning);
    EXPECT_NO_THROW(read());
    std::string name = "fmi2" + calls[i];
    name[4] = 'G';
    EXPECT_THAT(h.one.kept.messages("one"), Contains(HasSubstr(name + " returned fmi2Warning")));
    EXPECT_EQ(h.fmu.player.calls, calls);
    answered(Status::discard);
    EXPECT_THAT(messageOf<core::SubsystemError>(read), HasSubstr("one: " + name + " returned fmi2Discard"));
    EXPECT_EQ(h.fmu.player.calls, std::vector(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(i) + 1));
    h.fmu.player.answer = [](const auto&) { return Status::ok; };
  }
}

}  // namespace
}  // namespace koppla::fmi::test::port_reader_test
