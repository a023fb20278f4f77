#include "recording_subsystem.hpp"

namespace koppla::test {

namespace {

using subsystem::PortIndex;
using subsystem::Status;

class RecordingSubsystem final : public subsystem::Subsystem {
 public:
  RecordingSubsystem(std::unique_ptr<Subsystem> inner, std::shared_ptr<std::vector<RecordedStep>> into)
      : inner_(std::move(inner)), into_(std::move(into)) {}

  subsystem::StepResult advance(const subsystem::Step& step, subsystem::Trajectory u, std::span<double> y) override {
    RecordedStep record{step.t0, step.t1, std::vector<std::vector<double>>(u.count)};
    for (std::uint32_t k = 0; k <= u.degree; ++k)
      for (std::size_t i = 0; i < u.count; ++i) record.inputs[i].push_back(u.power(k)[i]);
    into_->push_back(std::move(record));
    return inner_->advance(step, u, y);
  }

  [[nodiscard]] const subsystem::Description& describe() const override { return inner_->describe(); }
  void set(PortIndex port, std::span<const core::Value> values) override { inner_->set(port, values); }
  void bind(subsystem::Binding binding) override { inner_->bind(std::move(binding)); }
  void enterInitialisation(const subsystem::Experiment& experiment) override {
    inner_->enterInitialisation(experiment);
  }
  Status evaluate(double t, std::span<const double> u, std::span<double> y) override {
    return inner_->evaluate(t, u, y);
  }
  Status differentiate(std::size_t input, std::span<double> dy) override { return inner_->differentiate(input, dy); }
  Status differentiateStep(const subsystem::Step& step, std::size_t input, subsystem::SeriesWeights weights,
                           std::span<double> dy) override {
    return inner_->differentiateStep(step, input, weights, dy);
  }
  void leaveInitialisation() override { inner_->leaveInitialisation(); }
  Status save(subsystem::Slot slot) override { return inner_->save(slot); }
  Status restore(subsystem::Slot slot) override { return inner_->restore(slot); }
  [[nodiscard]] std::vector<double> states() const override { return inner_->states(); }
  void setStates(std::span<const double> states) override { inner_->setStates(states); }
  [[nodiscard]] subsystem::Effort effort() const override { return inner_->effort(); }
  void observe(std::span<const PortIndex> ports, core::Values& into) override { inner_->observe(ports, into); }
  void terminate() noexcept override { inner_->terminate(); }
  [[nodiscard]] std::string failure() const override { return inner_->failure(); }

 private:
  std::unique_ptr<Subsystem> inner_;
  std::shared_ptr<std::vector<RecordedStep>> into_;
};

}  // namespace

std::unique_ptr<subsystem::Subsystem> recordSteps(std::unique_ptr<subsystem::Subsystem> inner,
                                                  std::shared_ptr<std::vector<RecordedStep>> into) {
  return std::make_unique<RecordingSubsystem>(std::move(inner), std::move(into));
}

}  // namespace koppla::test
