// Once a run is going, steps, saves and restores allocate nothing.

#include "helpers.hpp"
#include "support/allocations.hpp"

namespace koppla::fmi::test {
namespace {

using subsystem::Slot;
using subsystem::Status;

TEST(HotPath, AllocatesNothing) {
  Instance lag(fmuFile("FirstOrderLag"));
  lag.bind({"u"}, {"y"});
  lag.initialise(0.0, 1e9);
  ASSERT_EQ(lag.system->save(Slot::macroStep), Status::ok);
  ASSERT_EQ(lag.system->save(Slot::iteration), Status::ok);
  const std::size_t before = koppla::test::allocations();
  for (int i = 0; i < 1000; ++i) {
    lag.system->save(Slot::macroStep);
    lag.advance(i, i + 1);
    lag.system->restore(Slot::macroStep);
    lag.system->save(Slot::iteration);
    lag.advance(i, i + 1);
  }
  EXPECT_EQ(koppla::test::allocations() - before, 0U);
}

TEST(HotPath, AllocatesNothingForDiscreteValues) {
  Instance all(fmuFile("FeedThrough"));
  std::vector<std::int32_t> integersIn{1}, integersOut{0};
  std::vector<std::int32_t> booleansIn{1}, booleansOut{0};
  std::vector<std::string> stringsIn{"a string longer than those kept inside"}, stringsOut{""};
  subsystem::Binding binding;
  for (const char* name : {"integerIn", "booleanIn", "stringIn"}) binding.inputs.push_back(all.port(name));
  for (const char* name : {"integerOut", "booleanOut", "stringOut"}) binding.outputs.push_back(all.port(name));
  binding.discreteInputs = {integersIn, booleansIn, stringsIn};
  binding.discreteOutputs = {integersOut, booleansOut, stringsOut};
  all.system->bind(binding);
  all.initialise(0.0, 1e9);
  all.advance(0, 1);
  const std::size_t before = koppla::test::allocations();
  for (int i = 1; i < 1000; ++i) all.advance(i, i + 1);
  EXPECT_EQ(koppla::test::allocations() - before, 0U);
  EXPECT_EQ(stringsOut, stringsIn);
}

}  // namespace
}  // namespace koppla::fmi::test
