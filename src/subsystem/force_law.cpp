#include "koppla/subsystem/force_law.hpp"

#include <array>
#include <utility>

#include "koppla/core/error.hpp"

namespace koppla::subsystem {

namespace {

constexpr std::array<const char*, 4> kInputs{"x1", "v1", "x2", "v2"};
constexpr std::size_t kForce = kInputs.size();

class ForceLawMember final : public Subsystem {
 public:
  explicit ForceLawMember(std::shared_ptr<const ForceLaw> law) : law_(std::move(law)) {
    description_.kind = "coupling condition";
    description_.model = "force law";
    for (std::size_t i = 0; i < kInputs.size(); ++i)
      addPort(kInputs[i], Causality::input, i % 2 == 0 ? "m" : "m/s",
              i % 2 == 0 ? "position of a point" : "velocity of a point");
    addPort("force", Causality::output, "N", "on the first point; the second one gets the opposite");
    description_.dependencies[kForce] = std::vector<PortIndex>{0, 1, 2, 3};
    description_.capabilities = {.saveRestore = true,
                                 .variableStep = true,
                                 .inputDerivatives = kMaxDegree,
                                 .states = true,
                                 .evaluatesBetweenSteps = true,
                                 .linear = law_->isLinear(),
                                 .isStatic = true};
    description_.indexNames();
  }

  [[nodiscard]] const Description& describe() const override { return description_; }
  void set(PortIndex port, std::span<const core::Value> values) override {
    if (port < kForce) u_.at(port) = std::get<double>(values[0]);
  }
  void bind(Binding binding) override { binding_ = std::move(binding); }
  void enterInitialisation(const Experiment& /*experiment*/) override {}

  Status evaluate(double /*t*/, std::span<const double> u, std::span<double> y) override {
    for (std::size_t i = 0; i < u.size(); ++i) u_.at(binding_.inputs[i]) = u[i];
    std::ranges::fill(y, force());
    return Status::ok;
  }

  Status differentiate(std::size_t /*input*/, std::span<double> /*dy*/) override { return Status::error; }
  void leaveInitialisation() override {}

  StepResult advance(const Step& step, Trajectory u, std::span<double> y) override {
    for (std::size_t i = 0; i < u.count; ++i) u_.at(binding_.inputs[i]) = u.value(i, 1.0);
    std::ranges::fill(y, force());
    return {Status::ok, step.t1};
  }

  Status save(Slot /*slot*/) override { return Status::ok; }
  Status restore(Slot /*slot*/) override { return Status::ok; }

  void observe(std::span<const PortIndex> ports, core::Values& into) override {
    for (const PortIndex port : ports) into.reals.push_back(port == kForce ? force() : u_.at(port));
  }

  void terminate() noexcept override {}
  [[nodiscard]] std::string failure() const override { return "a force law cannot fail."; }

 private:
  void addPort(const char* name, Causality causality, const char* unit, const char* text) {
    Port port;
    port.name = name;
    port.causality = causality;
    port.unit = unit;
    port.description = text;
    port.settable = causality == Causality::input;
    description_.ports.push_back(std::move(port));
  }

  [[nodiscard]] double force() const { return law_->force(u_[2] - u_[0], u_[3] - u_[1]); }

  std::shared_ptr<const ForceLaw> law_;
  Description description_;
  Binding binding_;
  std::array<double, kInputs.size()> u_{};
};

}  // namespace

std::unique_ptr<Subsystem> evaluateInCoupling(std::shared_ptr<const ForceLaw> law) {
  return std::make_unique<ForceLawMember>(std::move(law));
}

}  // namespace koppla::subsystem
