#include "koppla/fmi/logger.hpp"

#include <thread>
#include <tuple>

#include "helpers.hpp"

namespace koppla::fmi::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ModelDescription twoVariables() {
  ModelDescription model;
  model.variables.resize(3);
  model.variables[0].name = "speed";
  model.variables[0].valueReference = 12;
  model.variables[1].name = "mode";
  model.variables[1].valueReference = 12;
  model.variables[1].type = core::Type::enumeration;
  model.variables[2].name = "label";
  model.variables[2].valueReference = 0;
  model.variables[2].type = core::Type::string;
  return model;
}

TEST(LogTokens, AreReplacedByNames) {
  const ModelDescription model = twoVariables();
  EXPECT_EQ(resolved("#r12# and #i12#, #s0#.", model), "speed and mode, label.");
  EXPECT_EQ(resolved("##1, 100##", model), "#1, 100#");
  EXPECT_EQ(resolved("#r12##i12#", model), "speedmode");
}

TEST(LogTokens, ThatMeanNothingStay) {
  const ModelDescription model = twoVariables();
  EXPECT_EQ(resolved("#s0##s0#", model), "labellabel");
  for (const char* text :
       {"#", "#r12", "#s12#", "#r0#", "#r99#", "#b12#", "#x12#", "#r#", "issue #5 and #6", "#r-1#", "a#"})
    EXPECT_EQ(resolved(text, model), text);
  EXPECT_EQ(resolved("#no#r12#", model), "#nospeed");
}

class Logger : public ::testing::Test {
 protected:
  ModelDescription model_ = twoVariables();
  KeptLog kept_;
};

TEST_F(Logger, FormatsAsPrintf) {
  const InstanceLog log("one", model_, kept_.log, {});
  const auto* callbacks = log.callbacks();
  const std::string longText(10'000, 'x');
  callbacks->logger(callbacks->componentEnvironment, "one", fmi2::Status::warning, "cat", "%s %d %.2f%%\n", "a", 42,
                    1.5);
  callbacks->logger(callbacks->componentEnvironment, "one", fmi2::Status::error, nullptr, "%s", longText.c_str());
  callbacks->logger(callbacks->componentEnvironment, nullptr, fmi2::Status::ok, "", "#%c%d#", 'r', 12);
  callbacks->logger(callbacks->componentEnvironment, "one", fmi2::Status::discard, "cat", nullptr);
  callbacks->logger(callbacks->componentEnvironment, "one", static_cast<fmi2::Status>(42), "gr\xfcn", "gr\xfcn");
  ASSERT_EQ(kept_.lines.size(), 5U);
  EXPECT_EQ(kept_.lines[0].message, "[cat] a 42 1.50%");
  EXPECT_EQ(kept_.lines[0].severity, core::Severity::warning);
  EXPECT_EQ(kept_.lines[1].message, longText);
  EXPECT_EQ(kept_.lines[1].severity, core::Severity::error);
  EXPECT_EQ(kept_.lines[2].message, "speed");
  EXPECT_EQ(kept_.lines[2].severity, core::Severity::debug);
  EXPECT_EQ(kept_.lines[3].message, "[cat] ");
  EXPECT_EQ(kept_.lines[4].message, "[gr\uFFFDn] gr\uFFFDn");
  EXPECT_EQ(kept_.lines[4].severity, core::Severity::warning);
}

TEST_F(Logger, QuotesTheLastWordsOfTrouble) {
  InstanceLog log("one", model_, kept_.log, {});
  EXPECT_EQ(log.lastWords(), "");
  log.write(fmi2::Status::ok, "", "all is well");
  EXPECT_EQ(log.lastWords(), " The FMU said: 'all is well'.");
  log.write(fmi2::Status::error, "", "pressure lost");
  for (int i = 0; i < 10; ++i) log.write(fmi2::Status::ok, "", "noise");
  EXPECT_EQ(log.lastWords(), " The FMU said: 'pressure lost'.");
  for (int i = 0; i < 10; ++i) log.write(fmi2::Status::warning, "", "w" + std::to_string(i));
  EXPECT_EQ(log.lastWords(), " The FMU said: 'w5', 'w6', 'w7', 'w8', 'w9'.");
}

/// Twenty messages are kept, of which the last five are quoted, and of each the first 500 bytes.
TEST_F(Logger, KeepsTheLastTwentyMessages) {
  for (const int later : {19, 20}) {
    InstanceLog log("one", model_, kept_.log, {});
    log.write(fmi2::Status::error, "", "lost");
    for (int i = 1; i <= later; ++i) log.write(fmi2::Status::ok, "", "n" + std::to_string(i));
    EXPECT_EQ(log.lastWords(),
              later == 19 ? " The FMU said: 'lost'." : " The FMU said: 'n16', 'n17', 'n18', 'n19', 'n20'.");
  }
  InstanceLog log("one", model_, kept_.log, {});
  log.write(fmi2::Status::ok, "", std::string(501, 'x'));
  EXPECT_EQ(log.lastWords(), " The FMU said: '" + std::string(500, 'x') + "'.");
}

/// Whom a message is from: the pointer says it, the name where that is nobody's.
TEST_F(Logger, FindsTheInstanceByItsPointerFirst) {
  const InstanceLog one("one", model_, kept_.log, {});
  const InstanceLog two("two", model_, kept_.log, {});
  const InstanceLog three("three", model_, kept_.log, {});
  for (const auto& [environment, name, expected] : {std::tuple(two.callbacks()->componentEnvironment, "three", "two"),
                                                    std::tuple(three.callbacks()->componentEnvironment, "one", "three"),
                                                    std::tuple(static_cast<void*>(nullptr), "three", "three"),
                                                    std::tuple(static_cast<void*>(nullptr), "two", "two"),
                                                    std::tuple(static_cast<void*>(nullptr), "four", "one")}) {
    kept_.lines.clear();
    one.callbacks()->logger(environment, name, fmi2::Status::warning, "c", "hello");
    ASSERT_EQ(kept_.lines.size(), 1U);
    EXPECT_EQ(kept_.lines[0].who, expected);
    EXPECT_EQ(kept_.lines[0].message,
              std::string(name) == "four" ? "[c] (from 'four', which is no instance) hello" : "[c] hello");
  }
}

/// Messages of every severity are counted apart, those that are only for debugging as well.
TEST_F(Logger, CountsEverySeverityApart) {
  {
    InstanceLog log("one", model_, kept_.log, {.logLines = 1});
    for (const auto status : {fmi2::Status::ok, fmi2::Status::warning, fmi2::Status::error})
      for (int i = 0; i < 3; ++i) log.write(status, "", "m");
    InstanceLog exactly("two", model_, kept_.log, {.logLines = 1});
    exactly.write(fmi2::Status::ok, "", "m");
  }
  EXPECT_THAT(kept_.messages("two"), ElementsAre("m"));
  for (const char* severity : {"debug", "warning", "error"})
    EXPECT_THAT(kept_.messages("one"),
                Contains("2 further messages of severity '" + std::string(severity) + "' were not logged."));
}

TEST_F(Logger, OnlyCountsBeyondItsLimit) {
  {
    InstanceLog log("one", model_, kept_.log, {.logLines = 3});
    for (int i = 0; i < 10; ++i) log.write(fmi2::Status::warning, "", "w" + std::to_string(i));
    log.write(fmi2::Status::error, "", "another severity");
  }
  EXPECT_THAT(kept_.messages(),
              ElementsAre("w0", "w1", "w2", HasSubstr("further ones are only counted"), "another severity",
                          "7 further messages of severity 'warning' were not logged."));
}

TEST_F(Logger, TakesMessagesFromManyThreadsAtOnce) {
  InstanceLog one("one", model_, kept_.log, {});
  InstanceLog two("two", model_, kept_.log, {});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      const auto* callbacks = (i % 2 == 0 ? one : two).callbacks();
      for (int k = 0; k < 100; ++k)
        callbacks->logger(callbacks->componentEnvironment, "x", fmi2::Status::warning, "c", "%d %d", i, k);
    });
  for (int i = 0; i < 50; ++i) {
    const InstanceLog passing("passing", model_, kept_.log, {});
    EXPECT_EQ(passing.lastWords(), "");
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(kept_.messages("one").size(), 200U);
  EXPECT_EQ(kept_.messages("two").size(), 200U);
}

TEST_F(Logger, SurvivesMessagesAfterTheInstanceIsGone) {
  fmi2::Logger* logger = nullptr;
  void* environment = nullptr;
  {
    const InstanceLog log("gone", model_, kept_.log, {});
    logger = log.callbacks()->logger;
    environment = log.callbacks()->componentEnvironment;
  }
  logger(environment, "gone", fmi2::Status::error, "c", "from the grave");
  EXPECT_TRUE(kept_.lines.empty());
}

TEST_F(Logger, SurvivesALogThatFails) {
  kept_.log.addSink([](core::Severity, std::string_view, std::string_view) { throw std::runtime_error("disk full"); });
  const InstanceLog log("one", model_, kept_.log, {.logLines = 0});
  log.callbacks()->logger(log.callbacks()->componentEnvironment, "one", fmi2::Status::error, "c", "x");
}

TEST_F(Logger, SurvivesTheWildLogger) {
  Instance instance(fmuFile("WildLogger"), "wild", {.logging = true});
  EXPECT_THAT(instance.kept.messages("wild"), Contains("[logStatusWarning] WildLogger: instantiate"));
  instance.initialise();
  EXPECT_EQ(instance.advance(0.0, 0.1).status, subsystem::Status::ok);
  const auto messages = instance.kept.messages("wild");
  for (const char* expected : {"[logEvents] a plain line", "no category", "[logEvents] text 42 1.500000 100 %",
                               "[logEvents] lines is lines, nobody is #r99#, a hash is #", "[logEvents] unknown status",
                               "[noSuchCategory] unknown category", "[logEvents] no instance name",
                               "[logEvents] two\n    lines and an end of line", "[logEvents] from another thread: 1",
                               "[logEvents] beside another thread: 2"})
    EXPECT_THAT(messages, Contains(expected));
  EXPECT_THAT(messages, Contains(HasSubstr("Latin-1 \uFFFD, a bell \\u0007, an open token #r0")));
  EXPECT_THAT(messages, Contains("[logEvents] " + std::string(10'000, 'x')));
  instance.system.reset();
  EXPECT_THAT(instance.kept.messages("wild"), Contains("[logStatusWarning] WildLogger: freeInstance"));
}

TEST_F(Logger, AFloodOfMessagesIsCut) {
  Instance instance(fmuFile("WildLogger"), "wild");
  instance.set("lines", std::int32_t{5000});
  instance.set("manner", std::int32_t{2});
  instance.initialise();
  instance.advance(0.0, 0.1);
  instance.system.reset();
  EXPECT_LT(instance.kept.lines.size(), 1010U);
  EXPECT_THAT(instance.kept.all(), HasSubstr("further messages of severity 'warning' were not logged"));
}

}  // namespace
}  // namespace koppla::fmi::test
