#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "koppla/study/cells.hpp"
#include "koppla/study/certificate.hpp"

namespace koppla::study {

namespace {

using Json = nlohmann::ordered_json;

double relativeError(const CertifiedVariable& variable) {
  if (std::isnan(variable.error)) return HUGE_VAL;
  return variable.range > 0.0 ? variable.error / variable.range : variable.error > 0.0 ? HUGE_VAL : 0.0;
}

std::vector<const CertifiedVariable*> worstFirst(const Certificate& certificate) {
  std::vector<const CertifiedVariable*> all;
  for (const CertifiedVariable& variable : certificate.variables) all.push_back(&variable);
  std::ranges::stable_sort(all, [](const auto* a, const auto* b) {
    if (a->isCertified() != b->isCertified()) return !a->isCertified();
    return relativeError(*a) > relativeError(*b);
  });
  return all;
}

std::string errorText(const CertifiedVariable& variable) {
  if (std::isnan(variable.error)) return "-";
  return (variable.isCertified() ? "" : "> ") + fmt::format("{:.2e}", variable.error);
}

std::string orderText(const CertifiedVariable& variable) {
  return std::isnan(variable.order) ? "-" : fmt::format("{:.2f}", variable.order);
}

Cells rowOf(const CertifiedVariable& variable) {
  const double relative = relativeError(variable);
  return {variable.name,
          errorText(variable),
          variable.unit,
          std::isfinite(relative) ? fmt::format("{:.1e}", relative) : "-",
          std::isnan(variable.when) ? "-" : fmt::format("{:.5g}", variable.when),
          orderText(variable),
          variable.isCertified() ? "" : "not certified"};
}

Json numberOrNull(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

/// Doubts, each with the variables that share it.
std::string doubtsOf(const std::vector<const CertifiedVariable*>& variables) {
  constexpr std::size_t kShown = 4;
  std::map<std::string, std::vector<std::string>> names;
  for (const CertifiedVariable* variable : variables)
    if (!variable->isCertified()) names[variable->doubt].push_back(variable->name);
  std::string text;
  for (auto& [doubt, doubted] : names) {
    const std::size_t count = doubted.size();
    if (count > kShown) doubted.resize(kShown);
    text += fmt::format("  not certified: {}{}: {}.\n", fmt::join(doubted, ", "),
                        count > kShown ? fmt::format(" and {} more", count - kShown) : "", doubt);
  }
  return text;
}

}  // namespace

std::string certificateText(const Certificate& certificate, std::size_t rows) {
  if (!certificate.failure.empty()) return fmt::format("  not certified: {}\n", certificate.failure);
  const std::vector<const CertifiedVariable*> all = worstFirst(certificate);
  std::vector<Cells> lines{{"variable", "estimated error", "unit", "of range", "at/s", "order", ""}};
  for (std::size_t i = 0; i < std::min(rows, all.size()); ++i) lines.push_back(rowOf(*all[i]));
  std::string text = aligned(lines);
  if (all.size() > rows) text += fmt::format("  ... and {} more, all of them in certificate.json\n", all.size() - rows);
  text += doubtsOf(all);
  text += fmt::format("  certified: {} of {} variables, whose errors fall with the order that is expected, {}\n",
                      certificate.certified(), all.size(), ordersOf(certificate.nominal));
  if (const auto alike = std::ranges::count_if(certificate.variables, &CertifiedVariable::isAlike); alike > 0)
    text += fmt::format("  {} of them, without an order, are the same with 1/2, 1/3 and 1/4 of the step\n", alike);
  return text;
}

std::string certificateJson(const Certificate& certificate) {
  Json document;
  document["format"] = 1;
  document["certified"] = certificate.isWhole();
  document["failure"] = certificate.failure;
  document["nominal_orders"] = {certificate.nominal.least, certificate.nominal.full};
  document["mean_steps"] = Json::array();
  for (const double step : certificate.meanSteps) document["mean_steps"].push_back(numberOrNull(step));
  document["seconds"] = certificate.seconds;
  document["variables"] = Json::array();
  for (const CertifiedVariable& variable : certificate.variables)
    document["variables"].push_back({{"name", variable.name},
                                     {"unit", variable.unit},
                                     {"certified", variable.isCertified()},
                                     {"error", numberOrNull(variable.error)},
                                     {"time", numberOrNull(variable.when)},
                                     {"range", numberOrNull(variable.range)},
                                     {"order", numberOrNull(variable.order)},
                                     {"doubt", variable.doubt}});
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace koppla::study
