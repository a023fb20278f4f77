#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "koppla/run/settings.hpp"

namespace koppla::project {

/// A word of the project file and what it stands for.
template <typename T>
struct Word {
  std::string_view text;
  T value;
};
template <typename T>
Word(std::string_view, T) -> Word<T>;

using coupling::Accelerated;
using coupling::AcceleratorKind;
using coupling::AlgorithmKind;
using coupling::ConvergenceTest;
using coupling::DiscreteTest;
using coupling::Filter;
using coupling::Form;
using coupling::Initialisation;
using coupling::RelativeTo;
using coupling::Relaxed;
using coupling::Samples;
using coupling::Scaling;
using coupling::SensitivityKind;
using coupling::StartUp;
using coupling::WithoutConvergence;
using run::OnDiscard;
using run::OnInstability;
using stepping::Controller;
using stepping::Estimate;
using stepping::StepControlKind;
using Norm = decltype(coupling::AlgorithmSettings::norm);

/// The words of values that have words of their own.
template <typename T, std::size_t N>
std::array<Word<T>, N> wordsOf(const std::array<T, N>& values) {
  std::array<Word<T>, N> words;
  for (std::size_t i = 0; i < N; ++i) words.at(i) = {word(values.at(i)), values.at(i)};
  return words;
}

inline constexpr std::array kAlgorithmWords{Word{"jacobi", AlgorithmKind::jacobi},
                                            Word{"gauss-seidel", AlgorithmKind::gaussSeidel},
                                            Word{"master-slave", AlgorithmKind::masterSlave},
                                            Word{"model-coupling", AlgorithmKind::modelCoupling},
                                            Word{"iterated-jacobi", AlgorithmKind::iteratedJacobi},
                                            Word{"iterated-gauss-seidel", AlgorithmKind::iteratedGaussSeidel},
                                            Word{"newton", AlgorithmKind::newton},
                                            Word{"semi-implicit", AlgorithmKind::semiImplicit}};
inline constexpr std::array kSensitivityWords{Word{"differences", SensitivityKind::differences},
                                              Word{"formulas", SensitivityKind::formulas}};
inline constexpr std::array kProbesWords{Word{"sequence", Form::sequence}, Word{"parallel", Form::parallel}};
inline constexpr std::array kRelaxedWords{Word{"multipliers", Relaxed::multipliers}, Word{"all", Relaxed::all}};
inline constexpr std::array kSamplesWords{Word{"values", Samples::values},
                                          Word{"values-and-slopes", Samples::valuesAndSlopes}};
inline constexpr std::array kStartUpWords{Word{"full-order", StartUp::fullOrder}, Word{"trivial", StartUp::trivial},
                                          Word{"analytic", StartUp::analytic},
                                          Word{"master-slave", StartUp::masterSlave}};
inline constexpr std::array kNormWords{Word{"rms", Norm::rms}, Word{"max", Norm::max}, Word{"nicolai", Norm::nicolai},
                                       Word{"field-rms", Norm::fieldRms}, Word{"field-max", Norm::fieldMax}};
inline constexpr std::array kAcceleratorWords{Word{"auto", AcceleratorKind::automatic},
                                              Word{"none", AcceleratorKind::none},
                                              Word{"constant", AcceleratorKind::constant},
                                              Word{"aitken", AcceleratorKind::aitken},
                                              Word{"aitken-per-scalar", AcceleratorKind::aitkenPerScalar},
                                              Word{"adaptive", AcceleratorKind::adaptive},
                                              Word{"anderson", AcceleratorKind::anderson},
                                              Word{"iqn-ils", AcceleratorKind::iqnIls},
                                              Word{"iqn-imvj", AcceleratorKind::iqnImvj},
                                              Word{"broyden", AcceleratorKind::broyden}};
inline constexpr std::array kAcceleratedWords{Word{"cut", Accelerated::cut}, Word{"all", Accelerated::all}};
inline constexpr std::array kFilterWords{Word{"none", Filter::none}, Word{"qr1", Filter::qr1},
                                         Word{"qr2", Filter::qr2}};
inline constexpr std::array kScalingWords{Word{"none", Scaling::none}, Word{"value", Scaling::value},
                                          Word{"residual", Scaling::residual},
                                          Word{"residual-sum", Scaling::residualSum}};
inline constexpr std::array kInitialisationWords{Word{"solve", Initialisation::solve},
                                                 Word{"start-values", Initialisation::startValues}};
inline constexpr std::array kConvergenceWords{Word{"error", ConvergenceTest::error},
                                              Word{"residual", ConvergenceTest::residual}};
inline constexpr std::array kRelativeToWords{Word{"values", RelativeTo::values},
                                             Word{"first-residual", RelativeTo::firstResidual}};
inline constexpr std::array kDiscreteWords{Word{"compare", DiscreteTest::compare},
                                           Word{"ignore", DiscreteTest::ignore}};
inline constexpr std::array kWithoutConvergenceWords{Word{"stop", WithoutConvergence::stop},
                                                     Word{"accept", WithoutConvergence::accept}};
inline constexpr std::array kOnDiscardWords{Word{"stop", OnDiscard::stop}, Word{"shorten", OnDiscard::shorten}};
inline constexpr std::array kOnInstabilityWords{Word{"stop", OnInstability::stop}, Word{"warn", OnInstability::warn},
                                                Word{"ignore", OnInstability::ignore}};
inline constexpr std::array kStepControlWords{
    Word{"fixed", StepControlKind::fixed}, Word{"convergence", StepControlKind::convergence},
    Word{"double-step", StepControlKind::doubleStep}, Word{"predictor-corrector", StepControlKind::predictorCorrector}};
inline constexpr std::array kEstimateWords{Word{"coupling-error", Estimate::couplingError},
                                           Word{"nicolai", Estimate::nicolai}, Word{"schmoll", Estimate::schmoll}};
inline constexpr std::array kControllerWords{Word{"i", Controller::integral},
                                             Word{"pi", Controller::proportionalIntegral}};

template <typename T, std::size_t N>
constexpr std::string_view wordFor(const std::array<Word<T>, N>& words, T value) {
  for (const Word<T>& word : words)
    if (word.value == value) return word.text;
  return {};
}

template <typename T, std::size_t N>
std::vector<std::string> texts(const std::array<Word<T>, N>& words) {
  std::vector<std::string> result;
  for (const Word<T>& word : words) result.emplace_back(word.text);
  return result;
}

}  // namespace koppla::project
