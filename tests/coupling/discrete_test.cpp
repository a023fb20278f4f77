// Cycles through which integers flow: they are copied, compared and never unknowns.

#include <gtest/gtest.h>

#include "koppla/coupling/coupled_step.hpp"

#include "support/figure.hpp"

namespace koppla::coupling::discrete_test {
namespace {

using subsystem::Causality;
using subsystem::Slot;
using subsystem::Status;

/// n_out = n_in + increment, at the end of every step.
class IntegerAdder final : public subsystem::Subsystem {
 public:
  explicit IntegerAdder(std::int32_t increment) : increment_(increment) {
    subsystem::Port in;
    in.name = "in";
    in.type = core::Type::integer;
    in.causality = Causality::input;
    subsystem::Port out = in;
    out.name = "out";
    out.causality = Causality::output;
    description_.ports = {in, out};
    description_.capabilities = {.saveRestore = true, .variableStep = true};
    description_.indexNames();
  }

  [[nodiscard]] const subsystem::Description& describe() const override { return description_; }
  void set(subsystem::PortIndex /*port*/, std::span<const core::Value> /*values*/) override {}
  void bind(subsystem::Binding binding) override { binding_ = std::move(binding); }
  void enterInitialisation(const subsystem::Experiment& /*experiment*/) override {}
  Status evaluate(double /*t*/, std::span<const double> /*u*/, std::span<double> /*y*/) override { return add(); }
  Status differentiate(std::size_t /*input*/, std::span<double> /*dy*/) override { return Status::error; }
  void leaveInitialisation() override {}
  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory /*u*/,
                                std::span<double> /*y*/) override {
    return {add(), step.t1};
  }
  Status save(Slot /*slot*/) override { return Status::ok; }
  Status restore(Slot /*slot*/) override { return Status::ok; }
  void observe(std::span<const subsystem::PortIndex> /*ports*/, core::Values& /*into*/) override {}
  void terminate() noexcept override {}
  [[nodiscard]] std::string failure() const override { return ""; }

 private:
  Status add() {
    binding_.discreteOutputs.integers[0] = binding_.discreteInputs.integers[0] + increment_;
    return Status::ok;
  }

  std::int32_t increment_;
  subsystem::Description description_;
  subsystem::Binding binding_;
};

struct Solved {
  StepOutcome outcome;
  std::uint64_t evaluations;
  std::vector<std::int32_t> integers;
};

Solved solveOnce(std::int32_t increment, const AlgorithmSettings& settings) {
  System system;
  system.members.push_back({"a", std::make_unique<IntegerAdder>(increment), {}});
  system.members.push_back({"b", std::make_unique<IntegerAdder>(0), {}});
  system.connections = {{{0, 1}, {1, 0}}, {{1, 1}, {0, 0}}};
  const auto cycles = findCycles(system);
  Network network(system, cycles, 1e100);
  CoupledStep step(network, cycles, settings, false);
  step.begin(0.0);
  const StepOutcome outcome = step.solve({{0.0, 0.1, false}, {}, false, false});
  return {outcome, step.iteratedCycles().at(0)->evaluations, network.discreteOutputs({0, 2}).integers};
}

TEST(DiscreteValues, AnIntegerThatKeepsChangingIsNotConverged) {
  int refused = 0;
  for (const AlgorithmKind kind :
       {AlgorithmKind::iteratedGaussSeidel, AlgorithmKind::iteratedJacobi, AlgorithmKind::newton}) {
    const Solved counting = solveOnce(1, {.kind = kind, .maxIterations = 5});
    EXPECT_EQ(counting.evaluations, 5U);
    if (!counting.outcome.converged()) ++refused;
  }
  test::showEqual({"nicolai N3", "discrete-compared", "3 of 3 algorithms not converged while an integer changes"},
                  refused, 3);
}

TEST(DiscreteValues, LeftOutOfTheTestTheyDoNotHoldItUp) {
  const Solved ignored =
      solveOnce(1, {.kind = AlgorithmKind::iteratedGaussSeidel, .maxIterations = 5, .discrete = DiscreteTest::ignore});
  test::showFigure(
      {"nicolai N3", "discrete-left-out", "converged after 1 evaluation"},
      std::to_string(ignored.evaluations) + (ignored.outcome.converged() ? ", converged" : ", not converged"),
      ignored.outcome.converged() && ignored.evaluations == 1);
}

TEST(DiscreteValues, IntegersThatStayConverge) {
  const Solved still = solveOnce(0, {.kind = AlgorithmKind::newton, .maxIterations = 5});
  EXPECT_TRUE(still.outcome.converged());
  EXPECT_EQ(still.integers, (std::vector<std::int32_t>{0, 0}));
}

}  // namespace
}  // namespace koppla::coupling::discrete_test
