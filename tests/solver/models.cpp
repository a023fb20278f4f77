#include "models.hpp"

#include <cmath>

namespace koppla::solver::test {

using subsystem::Causality;
using subsystem::PortIndex;

namespace {

void multiply(std::span<const double> matrix, std::span<const double> vector, std::span<double> sum) {
  for (std::size_t row = 0; row < sum.size(); ++row)
    for (std::size_t column = 0; column < vector.size(); ++column)
      sum[row] += matrix[row * vector.size() + column] * vector[column];
}

class ModelEquations final : public Equations {
 public:
  explicit ModelEquations(Model model) : model_(std::move(model)) {
    description_.kind = "test";
    description_.model = "test";
    for (const std::string& name : model_.inputs) addPort(name, Causality::input);
    for (const std::string& name : model_.outputs) addPort(name, Causality::output);
    addPort("p", Causality::parameter);
    description_.markers = model_.markers;
    if (model_.isLinear) declareFeedThrough();
    description_.indexNames();
  }

  [[nodiscard]] const subsystem::Description& describe() const override { return description_; }
  void set(PortIndex port, std::span<const core::Value> values) override {
    if (description_.ports[port].causality == Causality::parameter) p_ = std::get<double>(values[0]);
  }
  [[nodiscard]] core::Value parameter(PortIndex /*port*/) const override { return p_; }
  [[nodiscard]] std::size_t stateCount() const override { return model_.x0.size(); }
  void initialStates(std::span<double> x) const override { std::copy(model_.x0.begin(), model_.x0.end(), x.begin()); }

  void derivatives(double t, std::span<const double> x, std::span<const double> u,
                   std::span<double> dx) const override {
    if (!model_.isLinear) return model_.f(t, x, u, dx);
    std::fill(dx.begin(), dx.end(), 0.0);
    multiply(model_.linear.a, x, dx);
    multiply(model_.linear.b, u, dx);
  }
  void outputs(double t, std::span<const double> x, std::span<const double> u, std::span<double> y) const override {
    if (!model_.isLinear) return model_.g(t, x, u, y);
    std::fill(y.begin(), y.end(), 0.0);
    multiply(model_.linear.c, x, y);
    multiply(model_.linear.d, u, y);
  }

  [[nodiscard]] std::size_t algebraicCount() const override { return model_.algebraic; }
  [[nodiscard]] bool secondOrder() const override { return model_.secondOrder; }
  [[nodiscard]] LinearForm linear() const override { return model_.linear; }
  [[nodiscard]] bool isLinear() const override { return model_.isLinear; }

 private:
  void addPort(const std::string& name, Causality causality) {
    subsystem::Port port;
    port.name = name;
    port.causality = causality;
    port.settable = causality != Causality::output;
    description_.ports.push_back(std::move(port));
  }

  void declareFeedThrough() {
    const std::size_t inputs = model_.inputs.size();
    for (std::size_t output = 0; output < model_.outputs.size(); ++output) {
      std::vector<PortIndex> needed;
      for (std::size_t input = 0; input < inputs; ++input)
        if (model_.linear.d[output * inputs + input] != 0.0) needed.push_back(input);
      description_.dependencies[inputs + output] = needed;
    }
  }

  Model model_;
  subsystem::Description description_;
  double p_ = 7.0;
};

}  // namespace

Model linearModel(std::vector<std::string> inputs, std::vector<std::string> outputs, LinearForm linear,
                  std::vector<double> x0) {
  Model model;
  model.inputs = std::move(inputs);
  model.outputs = std::move(outputs);
  model.x0 = std::move(x0);
  model.linear = std::move(linear);
  model.isLinear = true;
  return model;
}

std::unique_ptr<Equations> equations(Model model) {
  return std::make_unique<ModelEquations>(std::move(model));
}

Model twoMasses() {
  const double c1 = 1e4, c2 = 1e5, ck = 1e6, d1 = 2.0, d2 = 6.3246, dk = 14.1421;  // m1 = m2 = 1 kg
  LinearForm form;
  form.a = {0.0,        0.0,        1.0,        0.0,          //
            0.0,        0.0,        0.0,        1.0,          //
            -(c1 + ck), ck,         -(d1 + dk), dk,           //
            ck,         -(c2 + ck), dk,         -(d2 + dk)};  // (2.1), (2.2)
  form.c = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -ck, ck, -dk, dk};
  Model model = linearModel({}, {"x1", "v1", "F"}, std::move(form), {1.0, 2.0, 0.0, 0.0});
  model.secondOrder = true;
  return model;
}

Model oscillator(const Oscillator& data) {
  LinearForm form;
  form.a = {0.0, 1.0, -data.c / data.m, -data.d / data.m};
  form.b = {0.0, 1.0 / data.m};
  form.c = {1.0, 0.0, 0.0, 1.0};
  form.d = {0.0, 0.0};
  Model model = linearModel({"force"}, {"w", "v"}, std::move(form), {data.w0, data.v0});
  model.secondOrder = true;
  model.markers = {{"mass", 1, 2, 0}};
  return model;
}

std::pair<double, double> freeMotion(const Oscillator& data, double t) {
  const double delta = data.d / (2.0 * data.m);
  const double omega = std::sqrt(data.c / data.m - delta * delta);
  const double b = (data.v0 + delta * data.w0) / omega;
  const double decay = std::exp(-delta * t);
  const double w = decay * (data.w0 * std::cos(omega * t) + b * std::sin(omega * t));
  const double v = -delta * w + decay * omega * (b * std::cos(omega * t) - data.w0 * std::sin(omega * t));
  return {w, v};
}

}  // namespace koppla::solver::test
