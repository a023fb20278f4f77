// Which variables are recorded, in which order, and which of them is the first that is broken.

#include "koppla/run/observation.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "koppla/core/error.hpp"

#include "fmu_system.hpp"
#include "support/message_of.hpp"

namespace koppla::run::observation_test {
namespace {

using koppla::test::messageOf;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Ports of any kind with given values; of a port of several scalars 10, 11, ... times it.
class Told final : public subsystem::Subsystem {
 public:
  struct Value {
    std::string name;
    core::Type type = core::Type::real;
    std::size_t size = 1;
    double value = 0.0;
    subsystem::Causality causality = subsystem::Causality::output;
    bool internal = false;
  };
  explicit Told(std::vector<Value> values) : values_(std::move(values)) {
    for (const Value& value : values_) {
      subsystem::Port& port = description_.ports.emplace_back();
      port.name = value.name;
      port.type = value.type;
      port.size = value.size;
      port.causality = value.causality;
      port.internal = value.internal;
      port.unit = "unit of " + value.name;
      port.description = "about " + value.name;
    }
    description_.indexNames();
  }

  [[nodiscard]] const subsystem::Description& describe() const override { return description_; }
  void set(subsystem::PortIndex /*port*/, std::span<const core::Value> /*values*/) override {}
  void bind(subsystem::Binding /*binding*/) override {}
  void enterInitialisation(const subsystem::Experiment& /*experiment*/) override {}
  subsystem::Status evaluate(double /*t*/, std::span<const double> /*u*/, std::span<double> /*y*/) override {
    return subsystem::Status::ok;
  }
  subsystem::Status differentiate(std::size_t /*input*/, std::span<double> /*dy*/) override {
    return subsystem::Status::error;
  }
  void leaveInitialisation() override {}
  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory /*u*/,
                                std::span<double> /*y*/) override {
    return {subsystem::Status::ok, step.t1};
  }
  subsystem::Status save(subsystem::Slot /*slot*/) override { return subsystem::Status::error; }
  subsystem::Status restore(subsystem::Slot /*slot*/) override { return subsystem::Status::error; }
  void observe(std::span<const subsystem::PortIndex> ports, core::Values& into) override {
    asked.emplace_back(ports.begin(), ports.end());
    for (const subsystem::PortIndex port : ports)
      for (std::size_t i = 0; i < values_[port].size; ++i) {
        const double value =
            values_[port].size == 1 ? values_[port].value : values_[port].value * (10.0 + static_cast<double>(i));
        if (values_[port].type == core::Type::real) into.reals.push_back(value);
        if (values_[port].type == core::Type::integer) into.integers.push_back(static_cast<int>(value));
      }
  }
  void terminate() noexcept override {}
  [[nodiscard]] std::string failure() const override { return {}; }

  std::vector<std::vector<subsystem::PortIndex>> asked;

 private:
  std::vector<Value> values_;
  subsystem::Description description_;
};

using Value = Told::Value;
using enum core::Type;

coupling::System told(std::vector<std::pair<std::string, std::vector<Value>>> members) {
  coupling::System system;
  for (auto& [name, values] : members) system.members.push_back({name, std::make_unique<Told>(std::move(values)), {}});
  return system;
}

std::vector<std::string> namesOf(const Observation& observation) {
  std::vector<std::string> names;
  for (const results::Column& column : observation.columns()) names.push_back(column.name);
  return names;
}

/// a.x, a field of one, two and three scalars, an integer, an input and an output that is a part's.
coupling::System mixed() {
  return told({{"a",
                {{"x", real, 1, 1.0},
                 {"pair", real, 2, 2.0},
                 {"n", integer, 1, 3.0},
                 {"in", real, 1, 4.0, subsystem::Causality::input},
                 {"inner", real, 1, 5.0, subsystem::Causality::output, true}}},
               {"b", {{"triple", real, 3, 6.0}, {"p", real, 1, 7.0, subsystem::Causality::parameter}}},
               {"c", {{"p", real, 1, 8.0, subsystem::Causality::local}}}});
}

TEST(Observation, WithoutPatternsAllOutputsAreRecorded) {
  const coupling::System system = mixed();
  Observation observation(system, {});
  EXPECT_THAT(namesOf(observation),
              ElementsAre("a.x", "a.pair[1]", "a.pair[2]", "a.n", "b.triple[1]", "b.triple[2]", "b.triple[3]"));
  const core::Values& values = observation.read(system);
  EXPECT_THAT(values.reals, ElementsAre(1.0, 20.0, 22.0, 60.0, 66.0, 72.0));
  EXPECT_THAT(values.integers, ElementsAre(3));
  EXPECT_THAT(observation.read(system).reals, ElementsAre(1.0, 20.0, 22.0, 60.0, 66.0, 72.0)) << "anew each time";
  EXPECT_THAT(dynamic_cast<Told&>(*system.members[2].subsystem).asked, IsEmpty()) << "who has nothing is not asked";
  const results::Column& column = observation.columns()[2];
  EXPECT_EQ(column.unit, "unit of pair");
  EXPECT_EQ(column.description, "about pair");
  EXPECT_EQ(column.type, real);
  EXPECT_EQ(observation.columns()[3].type, integer);
  EXPECT_EQ(observation.columns()[0].unit, "unit of x");
}

/// A pattern chooses any port, whatever it is for; several choose what any of them fits, once.
TEST(Observation, PatternsChooseAnyVariable) {
  const coupling::System system = mixed();
  const auto chosen = [&](const std::vector<std::string>& patterns) { return namesOf(Observation(system, patterns)); };
  EXPECT_THAT(chosen({"*.p"}), ElementsAre("b.p", "c.p"));
  EXPECT_THAT(chosen({"a.in*"}), ElementsAre("a.in", "a.inner"));
  EXPECT_THAT(chosen({"c.p", "a.x"}), ElementsAre("a.x", "c.p"));
  EXPECT_THAT(chosen({"a.x", "a.*", "a.n"}), ElementsAre("a.x", "a.pair[1]", "a.pair[2]", "a.n", "a.in", "a.inner"));
  EXPECT_THAT(chosen({"b.triple"}), ElementsAre("b.triple[1]", "b.triple[2]", "b.triple[3]"));
}

TEST(Observation, PatternsThatFitNothingAreNamed) {
  const coupling::System system = mixed();
  const auto refusal = [&](const std::vector<std::string>& patterns) {
    return messageOf<core::InputError>([&] { const Observation observation(system, patterns); });
  };
  EXPECT_THAT(refusal({"a.y", "a.x"}), AllOf(HasSubstr("The pattern 'a.y' of recorded variables fits no variable."),
                                             Not(HasSubstr("The pattern 'a.x'"))));
  EXPECT_THAT(refusal({"a.x", "c.q"}), AllOf(HasSubstr("The pattern 'c.q'"), HasSubstr("'c.p'")));
  EXPECT_THAT(refusal({"z*", "a.x", "y*"}), AllOf(HasSubstr("The pattern 'z*'"), HasSubstr("The pattern 'y*'")));
}

/// The first real beyond a limit, which itself is allowed, by the name of its column.
TEST(Observation, TheFirstRealBeyondALimitIsNamed) {
  const double inf = std::numeric_limits<double>::infinity();
  const auto exploded = [](double x, double field, double last, double limit) {
    const coupling::System system = told({{"a", {{"n", integer, 1, 9.0}, {"x", real, 1, x}, {"m", integer, 1, 9.0}}},
                                          {"b", {{"f", real, 2, field}, {"y", real, 1, last}}}});
    Observation observation(system, {});
    observation.read(system);
    return observation.exploded(limit).value_or("");
  };
  EXPECT_EQ(exploded(1.0, 0.1, 1.0, 8.0), "");
  EXPECT_EQ(exploded(8.0, 0.1, -8.0, 8.0), "") << "integers do not count";
  EXPECT_EQ(exploded(8.5, 9.0, 9.0, 8.0), "a.x");
  EXPECT_EQ(exploded(-8.5, 0.1, 1.0, 8.0), "a.x");
  EXPECT_EQ(exploded(1.0, 1.0, 9.0, 8.0), "b.f[1]");
  EXPECT_EQ(exploded(1.0, 1.0, 9.0, 10.0), "b.f[2]");
  EXPECT_EQ(exploded(1.0, 0.1, 9.0, 8.0), "b.y");
  EXPECT_EQ(exploded(1.0, 0.1, std::nan(""), inf), "b.y");
  EXPECT_EQ(exploded(1.0, 0.1, inf, inf), "");
  EXPECT_EQ(exploded(1.0, 0.1, inf, 1e300), "b.y");
}

}  // namespace
}  // namespace koppla::run::observation_test
