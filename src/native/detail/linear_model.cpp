#include "koppla/native/detail/linear_model.hpp"

#include <algorithm>

namespace koppla::native::detail {

namespace {

void setColumn(std::vector<double>& matrix, std::size_t columns, std::size_t column, std::span<const double> values) {
  for (std::size_t row = 0; row < values.size(); ++row) matrix[row * columns + column] = values[row];
}

}  // namespace

solver::LinearForm LinearModel::linear() const {
  const auto count = [this](subsystem::Causality causality) {
    return static_cast<std::size_t>(std::ranges::count(describe().ports, causality, &subsystem::Port::causality));
  };
  const std::size_t states = stateCount();
  const std::size_t inputs = count(subsystem::Causality::input);
  const std::size_t outputs = count(subsystem::Causality::output);
  std::vector<double> x(states), u(inputs), dx(states), y(outputs);
  solver::LinearForm form{std::vector<double>(states * states), std::vector<double>(states * inputs),
                          std::vector<double>(outputs * states), std::vector<double>(outputs * inputs)};
  const auto evaluate = [&](double& variable) {
    variable = 1.0;
    derivatives(0.0, x, u, dx);
    this->outputs(0.0, x, u, y);
    variable = 0.0;
  };
  for (std::size_t j = 0; j < states; ++j) {
    evaluate(x[j]);
    setColumn(form.a, states, j, dx);
    setColumn(form.c, states, j, y);
  }
  for (std::size_t j = 0; j < inputs; ++j) {
    evaluate(u[j]);
    setColumn(form.b, inputs, j, dx);
    setColumn(form.d, inputs, j, y);
  }
  return form;
}

}  // namespace koppla::native::detail
