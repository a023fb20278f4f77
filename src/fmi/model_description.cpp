#include "koppla/fmi/model_description.hpp"

namespace koppla::fmi {

std::string_view word(Causality causality) {
  switch (causality) {
    case Causality::parameter:
      return "parameter";
    case Causality::calculatedParameter:
      return "calculatedParameter";
    case Causality::input:
      return "input";
    case Causality::output:
      return "output";
    case Causality::local:
      return "local";
    case Causality::independent:
      return "independent";
  }
  return "unknown";
}

std::string_view word(Variability variability) {
  switch (variability) {
    case Variability::constant:
      return "constant";
    case Variability::fixed:
      return "fixed";
    case Variability::tunable:
      return "tunable";
    case Variability::discrete:
      return "discrete";
    case Variability::continuous:
      return "continuous";
  }
  return "unknown";
}

std::string_view word(Initial initial) {
  switch (initial) {
    case Initial::exact:
      return "exact";
    case Initial::approx:
      return "approx";
    case Initial::calculated:
      return "calculated";
  }
  return "unknown";
}

bool InitialRule::allows(Initial initial) const {
  switch (initial) {
    case Initial::exact:
      return exact;
    case Initial::approx:
      return approx;
    case Initial::calculated:
      return calculated;
  }
  return false;
}

InitialRule initialRule(Causality causality, Variability variability) {
  const bool constant = variability == Variability::constant;
  const bool parametric = variability == Variability::fixed || variability == Variability::tunable;
  const bool changing = variability == Variability::discrete || variability == Variability::continuous;
  // The letters of the table. A forbidden combination gets the letter of its nearest neighbour in the table.
  const auto a = [](bool combination) { return InitialRule{combination, Initial::exact, true, false, false}; };
  const auto b = [](bool combination) { return InitialRule{combination, Initial::calculated, false, true, true}; };
  const auto c = [](bool combination) { return InitialRule{combination, Initial::calculated, true, true, true}; };
  const auto none = [](bool combination) { return InitialRule{combination, std::nullopt, false, false, false}; };
  switch (causality) {
    case Causality::parameter:
      return a(parametric);
    case Causality::calculatedParameter:
      return b(parametric);
    case Causality::input:
      return none(changing);
    case Causality::output:
      return constant ? a(true) : c(changing);
    case Causality::local:
      return constant ? a(true) : parametric ? b(true) : c(true);
    case Causality::independent:
      return none(variability == Variability::continuous);
  }
  return none(false);
}

}  // namespace koppla::fmi
