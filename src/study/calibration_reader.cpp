#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "koppla/core/suggest.hpp"
#include "koppla/core/value.hpp"
#include "koppla/coupling/accelerator.hpp"
#include "koppla/coupling/adaptive_relaxation.hpp"
#include "koppla/project/acceleration_reader.hpp"
#include "koppla/project/document.hpp"
#include "koppla/project/table_reader.hpp"
#include "koppla/study/calibration.hpp"
#include "koppla/study/loop_reader.hpp"
#include "koppla/study/study_kind.hpp"
#include "koppla/study/vary_reader.hpp"

namespace koppla::study {

namespace {

using coupling::AdaptiveParameters;
using coupling::Steering;
using project::Placed;
using project::TableReader;
using project::Word;

constexpr std::array kAlgorithmWords{Word{"L", Steering::linear}, Word{"NL", Steering::nonLinear},
                                     Word{"L/NL", Steering::mixed}};
constexpr std::array kFieldWords{Word{"none", WrittenField::none}, Word{"objective", WrittenField::objective},
                                 Word{"models", WrittenField::models}};

/// Reads the file of a calibration part by part. What cannot be read is reported and left out.
class CalibrationReader {
 public:
  CalibrationReader(const project::Table& document, const std::filesystem::path& file)
      : root_(&document, {file.string(), 0, 0}, "the study file", reports_), head_(root_.table("study")) {
    calibration_.file = file;
  }

  Calibration read() && {
    if (readFormat(root_)) {
      readKind(head_);
      readAlgorithm();
      readSets();
      readModels();
      readAxes();
      for (TableReader* table : {&root_, &head_}) table->finish();
    }
    reports_.findings.sort(calibration_.file.string());
    if (!reports_.findings.mistakes.empty()) throw core::InputError(reports_.findings.mistakes);
    return std::move(calibration_);
  }

 private:
  void readAlgorithm() {
    AdaptiveParameters& common = calibration_.common;
    LoopIteration& iteration = calibration_.iteration;
    head_.word("algorithm", common.steering, kAlgorithmWords,
               {.required = "Write algorithm = \"L\", \"NL\" or \"L/NL\"."});
    head_.word("values", iteration.values, project::kAcceleratedWords);
    head_.real("first", common.first, project::kPositive);
    project::readMargin(head_, common.margin);
    head_.real("rtol", iteration.rtol, project::kPositive);
    head_.count("max_iterations", iteration.most, 1);
    head_.count("passes", calibration_.passes, 0);
    head_.count("best", calibration_.best, 1);
    head_.word("field", calibration_.field, kFieldWords);
    if (head_.sound({"first", "margin"})) tryParameters(common, head_.place("first"));
  }

  /// What the relaxation refuses becomes a mistake there.
  bool tryParameters(const AdaptiveParameters& parameters, const core::Place& place) {
    try {
      coupling::checkAdaptive(parameters);
      return true;
    } catch (const core::InputError& error) {
      for (const core::Problem& problem : error.problems())
        reports_.findings.mistake(place, problem.message, problem.remedy);
      return false;
    }
  }

  /// Unless told, those of this algorithm.
  void readSets() {
    std::vector<Placed<std::string>> wanted;
    head_.texts("sets", wanted);
    std::vector<std::string> names;
    for (const coupling::AdaptiveSet& set : coupling::adaptiveSets()) {
      names.emplace_back(set.name);
      const auto isIt = [&](const Placed<std::string>& name) { return name.value == set.name; };
      if (head_.given("sets") ? std::ranges::any_of(wanted, isIt)
                              : set.parameters.steering == calibration_.common.steering)
        calibration_.sets.push_back(set);
    }
    for (coupling::AdaptiveSet& set : calibration_.sets) set.parameters.margin = calibration_.common.margin;
    for (const auto& [name, place] : wanted)
      if (std::ranges::find(names, name) == names.end())
        reports_.findings.mistake(place, fmt::format("There is no set '{}'.", name), core::suggestion(name, names));
  }

  void readModels() {
    std::vector<Placed<std::string>> names;
    head_.texts("models", names);
    for (const auto& [name, place] : names) {
      if (auto models = namedModels(name))
        for (CalibrationModel& model : *models) calibration_.models.push_back(std::move(model));
      else
        reports_.findings.mistake(place, fmt::format("There is no model '{}'.", name),
                                  core::suggestion(name, modelFamilies()) +
                                      " A number may follow: \"lin 6.5\", W/(m.K); \"FSI-v 140\", kg/m3.");
    }
    std::vector<TableReader> tables = root_.tables("model");
    for (TableReader& table : tables)
      if (auto model = readLoop(table, calibration_.file.parent_path(), reports_.findings))
        calibration_.models.push_back(std::move(*model));
    for (TableReader& table : tables) table.finish();
    if (!head_.given("models") && tables.empty()) calibration_.models = jungModels();
    if (head_.given("models") && names.empty() && tables.empty() && head_.sound({"models"}))
      head_.mistake("models", "There are no models.", "Name some, or remove 'models' for the 25 of Jung's study.");
    refuseTwins();
  }

  void refuseTwins() {
    for (std::size_t i = 0; i < calibration_.models.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        if (calibration_.models[i].name == calibration_.models[k].name)
          head_.mistake("models", fmt::format("The model '{}' is there twice.", calibration_.models[i].name),
                        "It would count twice in the objective: remove one, or rename it.");
  }

  void readAxes() {
    calibration_.axes = jungAxes(calibration_.common.steering);
    constexpr double kMostSets = 1e7;
    const Grid grid = readGrid(root_, reports_, {}, kMostSets);
    for (const Axis& axis : grid.axes())
      for (const std::string& name : axis.names) takeAxis(axis, name);
    if (static_cast<double>(calibration_.size()) > kMostSets)
      root_.mistake("vary",
                    fmt::format("The grid has {} sets; at most {:.0f} are accepted.", calibration_.size(), kMostSets),
                    "Take fewer points.");
  }

  void takeAxis(const Axis& axis, const std::string& name) {
    const core::Place place = axis.values.front().place;
    const auto known = std::ranges::find(calibration_.axes, name, &CalibrationAxis::name);
    std::vector<std::string> names;
    for (const CalibrationAxis& each : calibration_.axes) names.push_back(each.name);
    if (known == calibration_.axes.end())
      return reports_.findings.mistake(
          place, fmt::format("{} has no parameter '{}'.", word(calibration_.common.steering), name),
          core::suggestion(name, names));
    if (!axis.numeric())
      return reports_.findings.mistake(place, fmt::format("The values of '{}' are not all numbers.", name),
                                       "Write values = [...] or from, to and count.");
    known->values.clear();
    for (const VariedValue& value : axis.values) {
      const double number = value.number.value_or(0.0);
      if (std::ranges::find(known->values, number) != known->values.end())
        return reports_.findings.mistake(value.place,
                                         fmt::format("The value {} of '{}' is there twice.", core::text(number), name),
                                         "It would be its own neighbour in the filter: remove one.");
      known->values.push_back(number);
      AdaptiveParameters parameters = calibration_.common;
      parameters.*known->parameter = known->values.back();
      if (!tryParameters(parameters, value.place)) return;
    }
  }

  project::Reports reports_;
  TableReader root_;
  TableReader head_;
  Calibration calibration_;
};

}  // namespace

std::string_view word(Steering algorithm) {
  return project::wordFor(kAlgorithmWords, algorithm);
}

bool isCalibration(std::string_view text, const std::filesystem::path& file) {
  const project::Table document = project::parseToml(text, file.string());
  project::Reports unused;
  TableReader root(&document, {file.string(), 0, 0}, "the study file", unused);
  TableReader head = root.table("study");
  return readKind(head) == StudyKind::calibration;
}

Calibration parseCalibration(std::string_view text, const std::filesystem::path& file) {
  return CalibrationReader(project::parseToml(text, file.string()), file).read();
}

}  // namespace koppla::study
