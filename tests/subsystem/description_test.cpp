#include "koppla/subsystem/description.hpp"

#include <gtest/gtest.h>

namespace koppla::subsystem::description_test {
namespace {

using Ports = std::vector<PortIndex>;

/// Inputs 0 and 1, a parameter 2, outputs 3 (declares input 1), 4 (declares none), 5 (declares nothing), a local 6.
Description sample() {
  Description description;
  const auto add = [&](const char* name, Causality causality) {
    Port port;
    port.name = name;
    port.causality = causality;
    description.ports.push_back(port);
  };
  add("u0", Causality::input);
  add("u1", Causality::input);
  add("p", Causality::parameter);
  add("fed", Causality::output);
  add("free", Causality::output);
  add("unknown", Causality::output);
  add("hidden", Causality::local);
  description.dependencies[3] = Ports{1, 2};
  description.dependencies[4] = Ports{};
  description.initialDependencies[4] = Ports{0};
  description.indexNames();
  return description;
}

TEST(Description, FindsPortsByTheirNames) {
  Description description = sample();
  for (PortIndex port = 0; port < description.ports.size(); ++port)
    EXPECT_EQ(description.find(description.ports[port].name), port);
  EXPECT_EQ(description.find("u2"), std::nullopt);
  EXPECT_EQ(description.find(""), std::nullopt);
  description.ports.front().name = "other";
  description.indexNames();
  EXPECT_EQ(description.find("other"), 0U);
  EXPECT_EQ(description.find("u0"), std::nullopt);
}

TEST(Description, WhoDeclaresNothingMayDependOnEveryInput) {
  const Description description = sample();
  EXPECT_FALSE(description.feedsThrough(0, 3));
  EXPECT_TRUE(description.feedsThrough(1, 3));
  EXPECT_FALSE(description.feedsThrough(0, 4));
  EXPECT_TRUE(description.feedsThrough(0, 5));
  EXPECT_EQ(description.dependenciesOf(5), std::nullopt);
  EXPECT_EQ(description.dependenciesOf(3), (Ports{1, 2}));
}

TEST(Description, WhatInitialisationDoesNotDeclareIsAsInSteps) {
  const Description description = sample();
  EXPECT_EQ(description.initialDependenciesOf(3), (Ports{1, 2}));
  EXPECT_EQ(description.initialDependenciesOf(4), Ports{0});
  EXPECT_EQ(description.initialDependenciesOf(5), std::nullopt);
}

TEST(Description, TellsTheOutputsThatInputsFeed) {
  const Description description = sample();
  EXPECT_EQ(description.outputsFedBy(Ports{}), Ports{});
  EXPECT_EQ(description.outputsFedBy(Ports{0}), Ports{5});
  EXPECT_EQ(description.outputsFedBy(Ports{1}), (Ports{3, 5}));
  EXPECT_EQ(description.outputsFedBy(Ports{0, 1}), (Ports{3, 5}));
}

TEST(Description, AnOutputMayBeTheFirstPort) {
  Description description;
  description.ports.resize(2);
  description.ports[0].causality = Causality::output;
  description.ports[1].causality = Causality::input;
  EXPECT_EQ(description.outputsFedBy(Ports{1}), Ports{0});
  description.dependencies[0] = Ports{1};
  EXPECT_EQ(description.outputsFedBy(Ports{1}), Ports{0});
  EXPECT_EQ(description.outputsFedBy(Ports{}), Ports{});
}

TEST(Description, HasAWordForEveryCausality) {
  EXPECT_EQ(word(Causality::input), "input");
  EXPECT_EQ(word(Causality::output), "output");
  EXPECT_EQ(word(Causality::parameter), "parameter");
  EXPECT_EQ(word(Causality::local), "local");
}

}  // namespace
}  // namespace koppla::subsystem::description_test
