#include "koppla/native/linear_state_space.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/native/detail/model.hpp"
#include "koppla/native/detail/names.hpp"

namespace koppla::native {

namespace {

constexpr const char* kStateSpace = "linear-state-space";
using Rows = std::vector<std::vector<double>>;

std::vector<std::string> numberedStates(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= count; ++i) names.push_back(fmt::format("x{}", i));
  return names;
}

/// Row-major values of a matrix of the needed size, with a problem for each mistake.
class MatrixReader {
 public:
  std::vector<double> read(const char* name, const Rows& matrix, std::size_t rows, std::size_t columns,
                           bool optional = false) {
    std::vector<double> values(rows * columns, 0.0);
    if (matrix.empty() && (optional || values.empty())) return values;
    const std::string needed = fmt::format("It must be {} x {}: {}.", rows, columns, meaning(name));
    if (matrix.size() != rows) {
      add(fmt::format("the matrix {} has {} rows.", name, matrix.size()), needed);
      return values;
    }
    for (std::size_t i = 0; i < rows; ++i) {
      if (matrix[i].size() != columns)
        add(fmt::format("row {} of {} has {} values.", i + 1, name, matrix[i].size()), needed);
      else
        copyRow(name, matrix[i], i, std::span(values).subspan(i * columns, columns));
    }
    return values;
  }

  std::vector<double> readStart(const std::vector<double>& x0, std::size_t states) {
    std::vector<double> values(states, 0.0);
    if (x0.empty()) return values;
    if (x0.size() != states)
      add(fmt::format("x0 has {} values.", x0.size()), fmt::format("It needs one for each of the {} states.", states));
    else
      values = x0;
    return values;
  }

  void add(const std::string& message, std::string remedy) {
    problems_.push_back({{}, fmt::format("{}: {}", kStateSpace, message), std::move(remedy)});
  }
  void add(std::vector<core::Problem> problems) { problems_.insert(problems_.end(), problems.begin(), problems.end()); }
  void finish() {
    if (!problems_.empty()) throw core::InputError(std::move(problems_));
  }

 private:
  static std::string meaning(std::string_view name) {
    if (name == "A") return "states x states";
    if (name == "B") return "states x inputs";
    return name == "C" ? "outputs x states" : "outputs x inputs";
  }

  void copyRow(const char* name, const std::vector<double>& row, std::size_t i, std::span<double> values) {
    for (std::size_t j = 0; j < row.size(); ++j)
      if (!std::isfinite(row[j]))
        add(fmt::format("{}({}, {}) is {}.", name, i + 1, j + 1, core::text(row[j])), "Give a finite number.");
    std::ranges::copy(row, values.begin());
  }

  std::vector<core::Problem> problems_;
};

/// result = X x + U u, both matrices row by row.
void multiply(std::span<const double> X, std::span<const double> x, std::span<const double> U,
              std::span<const double> u, std::span<double> result) {
  for (std::size_t i = 0; i < result.size(); ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < x.size(); ++j) sum += X[i * x.size() + j] * x[j];
    for (std::size_t j = 0; j < u.size(); ++j) sum += U[i * u.size() + j] * u[j];
    result[i] = sum;
  }
}

class LinearStateSpaceModel final : public detail::Model {
 public:
  explicit LinearStateSpaceModel(const LinearStateSpace& settings) : Model(kStateSpace) {
    const std::vector<std::string> states =
        settings.states.empty() ? numberedStates(settings.A.size()) : settings.states;
    read(settings, states);
    for (const std::string& name : settings.inputs) addInput({name, "", ""});
    for (std::size_t i = 0; i < settings.outputs.size(); ++i)
      addOutput({settings.outputs[i], "", ""}, fedThrough(i, settings.inputs.size()));
    for (std::size_t i = 0; i < states.size(); ++i)
      addParameter({states[i] + ".start", "", fmt::format("state {} at the start", states[i])}, x0_[i]);
    complete();
  }

  [[nodiscard]] std::size_t stateCount() const override { return x0_.size(); }
  void initialStates(std::span<double> x) const override { std::ranges::copy(x0_, x.begin()); }
  void derivatives(double /*t*/, std::span<const double> x, std::span<const double> u,
                   std::span<double> dx) const override {
    multiply(form_.a, x, form_.b, u, dx);
  }
  void outputs(double /*t*/, std::span<const double> x, std::span<const double> u, std::span<double> y) const override {
    multiply(form_.c, x, form_.d, u, y);
  }
  [[nodiscard]] bool isLinear() const override { return true; }
  [[nodiscard]] solver::LinearForm linear() const override { return form_; }

 private:
  void read(const LinearStateSpace& settings, const std::vector<std::string>& states) {
    const std::size_t n = states.size(), m = settings.inputs.size(), p = settings.outputs.size();
    MatrixReader reader;
    form_ = {reader.read("A", settings.A, n, n), reader.read("B", settings.B, n, m), reader.read("C", settings.C, p, n),
             reader.read("D", settings.D, p, m, true)};
    x0_ = reader.readStart(settings.x0, n);
    std::vector<std::string> ports = settings.inputs;
    ports.insert(ports.end(), settings.outputs.begin(), settings.outputs.end());
    reader.add(detail::nameProblems(kStateSpace, ports));
    reader.add(detail::nameProblems(kStateSpace, states));
    reader.finish();
  }

  [[nodiscard]] std::vector<subsystem::PortIndex> fedThrough(std::size_t output, std::size_t inputs) const {
    std::vector<subsystem::PortIndex> result;
    for (std::size_t j = 0; j < inputs; ++j)
      if (form_.d[output * inputs + j] != 0.0) result.push_back(j);
    return result;
  }

  solver::LinearForm form_;
  std::vector<double> x0_;
};

}  // namespace

std::unique_ptr<solver::Equations> linearStateSpace(const LinearStateSpace& settings) {
  return std::make_unique<LinearStateSpaceModel>(settings);
}

}  // namespace koppla::native
