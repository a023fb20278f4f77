#include "koppla/results/recording.hpp"

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "koppla/core/file.hpp"
#include "koppla/results/load.hpp"

#include "recorded_rows.hpp"

namespace koppla::results::recording_test {
namespace {

/// Writes down what it is asked for; fails at what it is told.
class Told : public Recorder {
 public:
  Told(std::string name, std::string& said, std::string fails = "")
      : name_(std::move(name)), said_(said), fails_(std::move(fails)) {}

  void begin(const std::vector<Column>& columns) override { say("begin" + std::to_string(columns.size())); }
  void row(double time, const core::Values& values) override {
    say("row" + std::to_string(static_cast<int>(time)) + "/" + std::to_string(values.reals.size()));
  }
  void flush() override { say("flush"); }
  [[nodiscard]] double secondsOfBlocks() const override { return static_cast<double>(name_.size()); }
  void rescue() noexcept override { said_ += name_ + ":rescue "; }
  void complete() override { say("complete"); }
  void abandon() override { say("abandon"); }

 private:
  void say(const std::string& what) {
    said_ += name_ + ":" + what + " ";
    if (fails_ == what) throw std::runtime_error(name_ + " cannot " + what);
  }

  std::string name_;
  std::string& said_;
  std::string fails_;
};

TEST(SeveralRecorders, AllAreAskedForEverything) {
  std::string said;
  std::vector<std::unique_ptr<Recorder>> all;
  all.push_back(std::make_unique<Told>("a", said));
  all.push_back(std::make_unique<Told>("bb", said));
  SeveralRecorders recorders(std::move(all));
  recorders.begin(recorded::kTwoReals);
  EXPECT_EQ(std::exchange(said, ""), "a:begin2 bb:begin2 ");
  recorders.row(3.0, recorded::reals({1.0}));
  EXPECT_EQ(std::exchange(said, ""), "a:row3/1 bb:row3/1 ");
  recorders.flush();
  EXPECT_EQ(std::exchange(said, ""), "a:flush bb:flush ");
  recorders.rescue();
  EXPECT_EQ(std::exchange(said, ""), "a:rescue bb:rescue ");
  EXPECT_EQ(recorders.secondsOfBlocks(), 3.0);
  recorders.complete();
  EXPECT_EQ(std::exchange(said, ""), "a:complete bb:complete ");
  recorders.abandon();
  EXPECT_EQ(said, "a:abandon bb:abandon ");
}

TEST(SeveralRecorders, WhereOneFailsTheOthersAreAskedAndTheFirstFailureIsTold) {
  using Deed = void (SeveralRecorders::*)();
  for (const auto& [what, deed] : {std::pair<std::string, Deed>("flush", &SeveralRecorders::flush),
                                   {"complete", &SeveralRecorders::complete},
                                   {"abandon", &SeveralRecorders::abandon}}) {
    std::string said;
    std::vector<std::unique_ptr<Recorder>> all;
    all.push_back(std::make_unique<Told>("a", said));
    all.push_back(std::make_unique<Told>("b", said, what));
    all.push_back(std::make_unique<Told>("c", said, what));
    all.push_back(std::make_unique<Told>("d", said));
    SeveralRecorders recorders(std::move(all));
    try {
      (recorders.*deed)();
      FAIL() << "no error";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), "b cannot " + what);
    }
    std::string expected;
    for (const char* name : {"a:", "b:", "c:", "d:"}) expected.append(name).append(what).append(" ");
    EXPECT_EQ(said, expected);
  }
}

TEST(MakeRecorder, MakesAFileOfEachFormat) {
  for (const auto& [formats, csv, hdf5] :
       {std::tuple(std::vector{Format::csv}, true, false), std::tuple(std::vector{Format::hdf5}, false, true),
        std::tuple(std::vector{Format::csv, Format::hdf5}, true, true),
        std::tuple(std::vector<Format>{}, false, false)}) {
    const core::TemporaryFolder folder("recording");
    const auto exists = [&](const std::string& name) { return std::filesystem::exists(folder.path() / name); };
    const std::unique_ptr<Recorder> recorder = makeRecorder(folder.path(), "rows", formats, {{"koppla", "1.2"}});
    recorder->begin(recorded::kTwoReals);
    EXPECT_EQ(exists(partialFile("rows", Format::csv)), csv);
    EXPECT_EQ(exists(partialFile("rows", Format::hdf5)), hdf5);
    recorder->row(0.5, recorded::reals({1.0, 2.0}));
    recorder->complete();
    EXPECT_EQ(exists("rows.csv"), csv);
    EXPECT_EQ(exists("rows.h5"), hdf5);
    for (const auto& [name, isThere] : {std::pair("rows.csv", csv), std::pair("rows.h5", hdf5)})
      if (isThere) {
        EXPECT_EQ(load(folder.path() / name).find("b.y")->numbers, std::vector{2.0}) << name;
      }
  }
}

TEST(PartialFile, IsNamedByItsFormat) {
  EXPECT_EQ(partialFile("results", Format::csv), "results.partial.csv");
  EXPECT_EQ(partialFile("iterations", Format::hdf5), "iterations.partial.h5");
}

}  // namespace
}  // namespace koppla::results::recording_test
