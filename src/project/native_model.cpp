#include "koppla/project/native_model.hpp"

namespace koppla::project {

bool bringsSolver(const NativeModel& model) {
  const native::BuiltInModel* const builtIn = native::findBuiltIn(model.word.value);
  return builtIn != nullptr && builtIn->bringsSolver();
}

std::unique_ptr<solver::Equations> makeEquations(const NativeModel& model) {
  struct Maker {
    const std::string& word;
    std::unique_ptr<solver::Equations> operator()(const native::Choices& choices) const {
      return native::makeBuiltIn(word, choices);
    }
    std::unique_ptr<solver::Equations> operator()(const native::LinearStateSpace& settings) const {
      return native::linearStateSpace(settings);
    }
    std::unique_ptr<solver::Equations> operator()(const native::ExpressionModel& settings) const {
      return native::expressions(settings);
    }
    std::unique_ptr<solver::Equations> operator()(const native::Signal& settings) const {
      return native::signal(settings);
    }
    std::unique_ptr<solver::Equations> operator()(const native::Curve& settings) const {
      return native::curve(settings);
    }
    std::unique_ptr<solver::Equations> operator()(const mechanics::MultibodySettings& settings) const {
      return std::make_unique<mechanics::Multibody>(settings);
    }
  };
  return std::visit(Maker{model.word.value}, model.settings);
}

std::unique_ptr<subsystem::Subsystem> makeSolver(const NativeModel& model) {
  return native::makeBuiltInSolver(model.word.value, std::get<native::Choices>(model.settings));
}

}  // namespace koppla::project
