#include "koppla/program/fingerprint.hpp"

#include <gtest/gtest.h>

#include "toy_program.hpp"

namespace koppla::program::fingerprint_test {
namespace {

class FingerprintTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string now() const { return fingerprint(toy_.settings); }

  test::Toy toy_{"sh $KOPPLA_PROJECT/solver.sh"};
};

TEST_F(FingerprintTest, StaysWhatItIs) {
  toy_.write("solver.sh", "true\n");
  EXPECT_EQ(now(), now());
}

TEST_F(FingerprintTest, ChangesWithTheScriptThatTheCommandNames) {
  toy_.write("solver.sh", "true\n");
  const std::string before = now();
  toy_.write("solver.sh", "tru3\n");
  EXPECT_NE(now(), before);
}

TEST_F(FingerprintTest, ChangesWithTheOrderOfIds) {
  toy_.settings.outputs.front().port.field.ids = {1, 2, 3};
  const std::string before = now();
  toy_.settings.outputs.front().port.field.ids = {1, 3, 2};
  EXPECT_NE(now(), before);
}

TEST_F(FingerprintTest, ChangesWithTheColumnThatIsRead) {
  toy_.settings.outputs.front().reading.columns = {std::size_t{1}};
  const std::string before = now();
  toy_.settings.outputs.front().reading.columns = {std::size_t{2}};
  EXPECT_NE(now(), before);
}

}  // namespace
}  // namespace koppla::program::fingerprint_test
