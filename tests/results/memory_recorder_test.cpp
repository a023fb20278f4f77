#include "koppla/results/memory_recorder.hpp"

#include <gtest/gtest.h>

namespace koppla::results {
namespace {

TEST(MemoryRecorder, KeepsEveryTypeInItsColumn) {
  MemoryRecorder recorder;
  recorder.begin({{"a.x", core::Type::real, "m", ""},
                  {"a.mode", core::Type::enumeration, "", ""},
                  {"a.v", core::Type::real, "m/s", ""},
                  {"a.on", core::Type::boolean, "", ""},
                  {"a.name", core::Type::string, "", ""},
                  {"a.n", core::Type::integer, "", ""}});
  recorder.row(0.0, {{1.0, 2.0}, {3, 4}, {0}, {"first"}});
  recorder.row(0.5, {{5.0, 6.0}, {7, 8}, {1}, {"second"}});
  EXPECT_TRUE(recorder.table().partial);
  recorder.complete();

  const Table& table = recorder.table();
  EXPECT_FALSE(table.partial);
  EXPECT_EQ(table.time, (std::vector{0.0, 0.5}));
  EXPECT_EQ(table.find("a.x")->numbers, (std::vector{1.0, 5.0}));
  EXPECT_EQ(table.find("a.mode")->numbers, (std::vector{3.0, 7.0}));
  EXPECT_EQ(table.find("a.v")->numbers, (std::vector{2.0, 6.0}));
  EXPECT_EQ(table.find("a.v")->unit, "m/s");
  EXPECT_EQ(table.find("a.on")->numbers, (std::vector{0.0, 1.0}));
  EXPECT_EQ(table.find("a.name")->texts, (std::vector<std::string>{"first", "second"}));
  EXPECT_EQ(table.find("a.n")->numbers, (std::vector{4.0, 8.0}));
}

TEST(MemoryRecorder, BeginsAnewForEveryRun) {
  MemoryRecorder recorder;
  recorder.begin({{"a.x", core::Type::real, "", ""}});
  recorder.row(0.0, {{1.0}, {}, {}, {}});
  recorder.begin({{"b.x", core::Type::real, "", ""}});
  EXPECT_TRUE(recorder.table().time.empty());
  EXPECT_EQ(recorder.table().find("a.x"), nullptr);
}

}  // namespace
}  // namespace koppla::results
