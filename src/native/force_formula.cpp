#include "koppla/native/force_formula.hpp"

#include <array>

#include "koppla/native/detail/formula.hpp"

namespace koppla::native {

namespace {

class FormulaLaw final : public subsystem::ForceLaw {
 public:
  explicit FormulaLaw(const std::string& formula)
      : formula_("the force law", formula, detail::Variables{names_, values_}) {}

  [[nodiscard]] double force(double distance, double rate) const override {
    values_ = {distance, rate};
    return formula_.value();
  }

 private:
  std::array<std::string, 2> names_{"x", "v"};
  mutable std::array<double, 2> values_{};  ///< where the parser reads its variables
  detail::Formula formula_;
};

}  // namespace

std::shared_ptr<const subsystem::ForceLaw> forceFormula(const std::string& formula) {
  return std::make_shared<const FormulaLaw>(formula);
}

}  // namespace koppla::native
