// Everything a user can get wrong before a run begins: the message names the place, the value and the remedy, the exit
// code is right, and nothing is left behind.

#include "bad_input.hpp"

#include <gtest/gtest.h>

namespace koppla::test {
namespace {

class BadInputTest : public ::testing::TestWithParam<BadInput> {};

/// The texts must be there one after the other: problems are told in the order of lines.
void expectInOrder(const std::string& text, const std::vector<std::string>& parts) {
  std::size_t at = 0;
  for (const std::string& part : parts) {
    const std::size_t found = text.find(part, at);
    EXPECT_NE(found, std::string::npos) << "missing: " << part << "\nin: " << text;
    if (found != std::string::npos) at = found + part.size();
  }
}

TEST_P(BadInputTest, IsRefusedInWordsAndLeavesNothing) {
  const BadInput& input = GetParam();
  const Workspace workspace;
  for (const TextFile& file : input.files) workspace.write(file.name, file.content);
  if (input.prepare) input.prepare(workspace);
  const Workspace::Snapshot before = workspace.snapshot();

  const Result result = workspace.run(input.arguments);

  EXPECT_EQ(result.exitCode, input.exitCode) << result.all();
  EXPECT_EQ(result.out, "");
  expectInOrder(result.err, input.says);
  for (const char* alarm : {"bug in Koppla", "terminate called", "what()", "Sanitizer", "runtime error", "koppla-fmu-"})
    EXPECT_EQ(result.err.find(alarm), std::string::npos) << result.err;
  EXPECT_TRUE(result.err.ends_with('\n')) << result.err;
  EXPECT_TRUE(workspace.snapshot() == before) << "files were made or changed\n" << result.err;
  EXPECT_EQ(workspace.leftovers(), std::vector<std::string>{});
}

std::string nameOf(const ::testing::TestParamInfo<BadInput>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(CommandLine, BadInputTest, ::testing::ValuesIn(commandLineCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Acceleration, BadInputTest, ::testing::ValuesIn(accelerationCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(ProjectFile, BadInputTest, ::testing::ValuesIn(projectCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Coupling, BadInputTest, ::testing::ValuesIn(couplingCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Joint, BadInputTest, ::testing::ValuesIn(jointCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Inside, BadInputTest, ::testing::ValuesIn(insideCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Fmu, BadInputTest, ::testing::ValuesIn(fmuCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(RunFolder, BadInputTest, ::testing::ValuesIn(runFolderCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Results, BadInputTest, ::testing::ValuesIn(resultsCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Study, BadInputTest, ::testing::ValuesIn(studyCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Stability, BadInputTest, ::testing::ValuesIn(stabilityCases()), nameOf);

}  // namespace
}  // namespace koppla::test
