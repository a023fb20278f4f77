// Which settings and models are refused, in which words, and what an integrated model can do.

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include "koppla/core/error.hpp"

#include "rig.hpp"

namespace koppla::solver::test::checks_test {
namespace {

/// An oscillator of which the test says what it is.
struct Kinship {
  std::size_t algebraic = 0;
  bool isLinear = true;
  bool secondOrder = true;
  bool needsVisits = false;
  bool threadBound = false;
  std::size_t states = 2;
};

class Relative final : public Equations {
 public:
  explicit Relative(const Kinship& is) : is_(is) {
    description_.model = "relative";
    description_.indexNames();
  }
  [[nodiscard]] const subsystem::Description& describe() const override { return description_; }
  void set(subsystem::PortIndex, std::span<const core::Value>) override {}
  [[nodiscard]] core::Value parameter(subsystem::PortIndex) const override { return 0.0; }
  [[nodiscard]] std::size_t stateCount() const override { return is_.states; }
  [[nodiscard]] std::size_t algebraicCount() const override { return is_.algebraic; }
  void initialStates(std::span<double> x) const override { std::ranges::fill(x, 0.0); }
  void derivatives(double, std::span<const double>, std::span<const double>, std::span<double> dx) const override {
    std::ranges::fill(dx, 0.0);
  }
  void outputs(double, std::span<const double>, std::span<const double>, std::span<double>) const override {}
  [[nodiscard]] bool needsVisits() const override { return is_.needsVisits; }
  [[nodiscard]] bool threadBound() const override { return is_.threadBound; }
  [[nodiscard]] bool secondOrder() const override { return is_.secondOrder; }
  [[nodiscard]] bool isLinear() const override { return is_.isLinear; }
  [[nodiscard]] LinearForm linear() const override {
    return {std::vector<double>(is_.states * is_.states), {}, {}, {}};
  }

 private:
  Kinship is_;
  subsystem::Description description_;
};

std::string refusal(const Kinship& kinship, const IntegratorSettings& settings) {
  try {
    integrate(std::make_unique<Relative>(kinship), settings);
  } catch (const core::InputError& error) {
    return error.what();
  }
  return {};
}

bool isMultistep(Kind kind) {
  return kind == Kind::cvodeAdams || kind == Kind::cvodeBdf || kind == Kind::bdf || kind == Kind::bdfFixed;
}

bool isRadau(Kind kind) {
  return kind == Kind::radau || kind == Kind::radauFixed;
}

std::string doesNotFit(Kind kind, const std::string& reason) {
  return "The integrator " + std::string(word(kind)) + " does not fit the model relative, " + reason;
}

TEST(Checks, EveryKindTakesALinearModelOfSecondOrder) {
  for (const Kind kind : kKinds) EXPECT_EQ(refusal({}, with(kind)), "") << word(kind);
}

TEST(Checks, ModelsAreRefusedByWhatDoesNotFit) {
  for (const Kind kind : kKinds) {
    const IntegratorSettings settings = with(kind);
    EXPECT_EQ(refusal({.algebraic = 1}, settings),
              isRadau(kind) ? "" : doesNotFit(kind, "which has algebraic equations. Take radau or radau-fixed."));
    EXPECT_EQ(refusal({.isLinear = false}, settings),
              kind == Kind::exact ? doesNotFit(kind, "which is not linear. Take a Runge-Kutta method or CVODE.") : "");
    EXPECT_EQ(refusal({.secondOrder = false}, settings),
              kind == Kind::newmark || kind == Kind::centralDifferences
                  ? doesNotFit(kind, "which is not of second order. Take a Runge-Kutta method or CVODE.")
                  : "");
    EXPECT_EQ(refusal({.needsVisits = true}, settings),
              kind == Kind::bdf || kind == Kind::bdfFixed
                  ? ""
                  : doesNotFit(kind,
                               "in which static solvers are linearised about predicted or accepted states. Take bdf or "
                               "bdf-fixed, or static_coupling = \"full\"."));
    EXPECT_EQ(refusal({.states = 0}, settings),
              isMultistep(kind) || isRadau(kind) ? doesNotFit(kind, "which has no states. Take ode1.") : "");
    // Nothing is integrated where there are unknowns and nothing else.
    EXPECT_EQ(refusal({.algebraic = 2, .isLinear = false, .secondOrder = false, .needsVisits = true}, settings), "");
  }
}

std::string after(const std::function<void(IntegratorSettings&)>& change) {
  IntegratorSettings settings;
  change(settings);
  return refusal({}, settings);
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Checks, MicroStepsAreLengths) {
  const auto with = [](double h) { return after([h](auto& s) { s.microStep = h; }); };
  EXPECT_EQ(with(0.0), "");
  EXPECT_EQ(with(1e-300), "");
  EXPECT_EQ(with(0.5), "");
  EXPECT_EQ(with(-0.5), "A micro step of -0.5 s is impossible. Give a length above zero.");
  EXPECT_NE(with(std::numeric_limits<double>::infinity()), "");
  EXPECT_NE(with(kNan), "");
}

TEST(Checks, TolerancesAreNotNegativeAndNotBothZero) {
  const auto with = [](double rtol, double atol) {
    return after([=](auto& s) {
      s.rtol = rtol;
      s.atol = atol;
    });
  };
  EXPECT_EQ(with(1e-12, 0.0), "");
  EXPECT_EQ(with(0.0, 1e-12), "");
  EXPECT_EQ(with(1e-9, 1e-3), "");
  EXPECT_EQ(with(0.0, 0.0),
            "Tolerances of 0 (relative) and 0 (absolute) are impossible. Neither may be negative and one must be above "
            "zero.");
  EXPECT_NE(with(-1e-9, 1e-3), "");
  EXPECT_NE(with(1e-3, -1e-9), "");
  EXPECT_NE(with(kNan, 1e-3), "");
}

TEST(Checks, OrdersGoFromOneToFive) {
  const auto with = [](unsigned order) { return after([=](auto& s) { s.order = order; }); };
  for (unsigned order = 1; order <= 5; ++order) EXPECT_EQ(with(order), "");
  EXPECT_EQ(with(0), "An order of 0 is impossible. The formulas go from order 1 to 5.");
  EXPECT_EQ(with(6), "An order of 6 is impossible. The formulas go from order 1 to 5.");
}

TEST(Checks, FirstAndShortestStepsFitTheLongest) {
  const auto with = [](double first, double least, double longest) {
    return after([=](auto& s) {
      s.firstMicroStep = first;
      s.minMicroStep = least;
      s.microStep = longest;
    });
  };
  EXPECT_EQ(with(0.1, 0.1, 0.1), "");
  EXPECT_EQ(with(0.0, 0.3, 0.0), "") << "no longest";
  EXPECT_EQ(with(0.0, 0.0, 0.3), "");
  EXPECT_EQ(with(-0.1, 0.0, 0.0),
            "A first micro step of -0.1 s and a shortest one of 0 s are impossible. Neither may be negative.");
  EXPECT_EQ(with(0.0, -0.1, 0.0),
            "A first micro step of 0 s and a shortest one of -0.1 s are impossible. Neither may be negative.");
  EXPECT_EQ(with(0.0, 0.25, 0.125),
            "The shortest micro step, 0.25 s, is longer than the longest, 0.125 s. Lower min_micro_step.");
  EXPECT_NE(with(0.0, 1.5, 1.0), "");
}

TEST(Checks, NewtonsToleranceIsAPartOfTheTolerances) {
  const auto with = [](double part) { return after([=](auto& s) { s.newtonTolerance = part; }); };
  for (const double part : {1e-6, 0.1, 1.0}) EXPECT_EQ(with(part), "") << part;
  EXPECT_EQ(with(1.5), "A Newton tolerance of 1.5 is impossible. It is a part of the tolerances, from 1e-06 to 1.");
  EXPECT_NE(with(std::nextafter(1.0, 2.0)), "");
  EXPECT_NE(with(std::nextafter(1e-6, 0.0)), "");
  EXPECT_NE(with(kNan), "");
}

TEST(Checks, NumericalDampingHasItsRange) {
  const auto with = [](double alpha) { return after([=](auto& s) { s.alpha = alpha; }); };
  for (const double alpha : {0.0, -0.2, -1.0 / 3.0}) EXPECT_EQ(with(alpha), "") << alpha;
  EXPECT_EQ(with(0.5), "The HHT parameter alpha = 0.5 is out of range. It lies in [-1/3, 0].");
  EXPECT_NE(with(-0.34), "");
  EXPECT_NE(with(1e-300), "");
}

subsystem::Capabilities capabilities(const Kinship& kinship, const IntegratorSettings& settings) {
  return integrate(std::make_unique<Relative>(kinship), settings)->describe().capabilities;
}

/// docs/integrators.md: what a memory that outlives a macro step forbids.
TEST(Checks, CapabilitiesAreThoseOfTheMethod) {
  for (const Kind kind : kKinds)
    for (const double h : {0.0, 0.25})
      for (const std::optional<bool> restart : {std::optional<bool>(), std::optional(true), std::optional(false)}) {
        SCOPED_TRACE(std::string(word(kind)) + " " + std::to_string(h));
        IntegratorSettings settings = with(kind, h);
        settings.restart = restart;
        const subsystem::Capabilities can = capabilities({}, settings);
        const bool isCvode = kind == Kind::cvodeAdams || kind == Kind::cvodeBdf;
        const bool goesOn = isMultistep(kind) && !restart.value_or(isCvode);
        EXPECT_EQ(can.saveRestore, !(isCvode && goesOn));
        EXPECT_EQ(can.states, !goesOn);
        EXPECT_EQ(can.ownSteps, isCvode || kind == Kind::bdf ? goesOn : h > 0.0);
        EXPECT_EQ(can.linear, !isMultistep(kind) && kind != Kind::radau);
        EXPECT_EQ(can.microStep, h);
        EXPECT_EQ(can.inputDerivatives, 5U);
        EXPECT_EQ(can.outputDerivatives, 1U);
        EXPECT_TRUE(can.variableStep);
        EXPECT_TRUE(can.directionalDerivatives);
        EXPECT_TRUE(can.stepDerivatives);
        EXPECT_TRUE(can.evaluatesBetweenSteps);
        EXPECT_FALSE(can.isStatic);
        EXPECT_FALSE(can.uncorrectedOutputs);
        EXPECT_FALSE(can.threadBound);
        EXPECT_FALSE(can.oncePerProcess);
      }
}

TEST(Checks, CapabilitiesFollowFromTheModel) {
  EXPECT_FALSE(capabilities({.isLinear = false}, with(Kind::ode4)).linear);
  for (const Kind kind : {Kind::radau, Kind::radauFixed})
    for (const std::size_t algebraic : {1U, 2U}) {
      const subsystem::Capabilities can = capabilities({.algebraic = algebraic, .states = 3}, with(kind));
      EXPECT_EQ(can.outputDerivatives, 0U);
      EXPECT_FALSE(can.stepDerivatives);
      EXPECT_TRUE(can.states);
    }
  for (const bool bound : {false, true}) {
    EXPECT_EQ(capabilities({.threadBound = bound}, with(Kind::ode4)).threadBound, bound);
    EXPECT_EQ(capabilities({.algebraic = 2, .threadBound = bound}, with(Kind::ode4)).threadBound, bound);
  }
  for (const bool corrected : {false, true})
    for (const Kind kind : kKinds) {
      IntegratorSettings settings = with(kind);
      settings.corrected = corrected;
      EXPECT_EQ(capabilities({}, settings).uncorrectedOutputs, kind == Kind::newmark && !corrected);
    }
  for (const Kind kind : {Kind::newmark, Kind::ode4}) {
    IntegratorSettings settings = with(kind);
    settings.alpha = -0.25;
    EXPECT_EQ(capabilities({}, settings).states, kind == Kind::ode4) << "the lag of HHT is no state";
    EXPECT_TRUE(capabilities({}, settings).saveRestore);
  }
}

TEST(Checks, UnknownsAloneMakeAFunction) {
  const subsystem::Capabilities can = capabilities({.algebraic = 2}, with(Kind::bdf, 0.25));
  EXPECT_TRUE(can.isStatic);
  EXPECT_TRUE(can.saveRestore);
  EXPECT_TRUE(can.variableStep);
  EXPECT_TRUE(can.directionalDerivatives);
  EXPECT_TRUE(can.states);
  EXPECT_TRUE(can.evaluatesBetweenSteps);
  EXPECT_EQ(can.inputDerivatives, 5U);
  EXPECT_EQ(can.outputDerivatives, 0U);
  EXPECT_EQ(can.microStep, 0.0);
  EXPECT_FALSE(can.ownSteps);
}

/// Values of all types are shown as what they are.
class Shown final : public Equations {
 public:
  Shown() {
    for (const core::Type type : {core::Type::real, core::Type::integer, core::Type::boolean, core::Type::string}) {
      subsystem::Port port;
      port.name = "p" + std::to_string(description_.ports.size());
      port.type = type;
      port.causality = subsystem::Causality::parameter;
      description_.ports.push_back(port);
    }
    description_.indexNames();
  }
  [[nodiscard]] const subsystem::Description& describe() const override { return description_; }
  void set(subsystem::PortIndex port, std::span<const core::Value> values) override { values_.at(port) = values[0]; }
  [[nodiscard]] core::Value parameter(subsystem::PortIndex port) const override { return values_.at(port); }
  [[nodiscard]] std::size_t stateCount() const override { return 0; }
  void initialStates(std::span<double>) const override {}
  void derivatives(double, std::span<const double>, std::span<const double>, std::span<double>) const override {}
  void outputs(double, std::span<const double>, std::span<const double>, std::span<double>) const override {
    if (words.empty()) return;
    if (words == "file") throw core::FileError("the disk is full", "Free some.");
    if (words == "number") throw 7;  // NOLINT(hicpp-exception-baseclass): foreign code may
    throw std::runtime_error(words);
  }

  std::string words;  ///< of what evaluation throws

 private:
  subsystem::Description description_;
  std::array<core::Value, 4> values_{2.5, std::int32_t{-3}, false, std::string("oil")};
};

TEST(Checks, ParametersAreShownWithTheirTypes) {
  const auto system = integrate(std::make_unique<Shown>(), with(Kind::ode1));
  system->bind({});
  system->enterInitialisation({0.0, 1.0, {}});
  for (const bool on : {true, false}) {
    system->set(2, std::vector<core::Value>{on});
    core::Values values;
    const std::vector<subsystem::PortIndex> all{3, 2, 1, 0};
    system->observe(all, values);
    EXPECT_EQ(values.reals, std::vector{2.5});
    EXPECT_EQ(values.integers, std::vector{-3});
    ASSERT_EQ(values.booleans.size(), 1U);
    EXPECT_EQ(values.booleans[0], on ? 1 : 0);
    EXPECT_EQ(values.strings, std::vector<std::string>{"oil"});
  }
}

TEST(Checks, FailuresAreToldAsTheModelSaysThem) {
  const auto failureWith = [](const std::string& words) {
    auto model = std::make_unique<Shown>();
    model->words = words;
    const auto system = integrate(std::move(model), with(Kind::ode1));
    system->bind({});
    system->enterInitialisation({0.0, 1.0, {}});
    EXPECT_EQ(system->evaluate(0.5, {}, {}), subsystem::Status::error);
    return std::pair(system->failure(), system->failedAtFile());
  };
  EXPECT_EQ(failureWith("no oil"),
            std::pair(std::string("The model failed in the step that began at t = 0.5 s: no oil"), false));
  EXPECT_EQ(failureWith("number"),
            std::pair(std::string("The model failed in the step that began at t = 0.5 s."), false));
  EXPECT_EQ(failureWith("file"),
            std::pair(std::string("The model failed in the step that began at t = 0.5 s: the disk is full Free some."),
                      true));
}

}  // namespace
}  // namespace koppla::solver::test::checks_test
