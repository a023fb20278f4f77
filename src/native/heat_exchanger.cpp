#include "koppla/native/heat_exchanger.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/native/detail/band_matrix.hpp"
#include "koppla/native/detail/exchanger_stream.hpp"
#include "koppla/native/detail/model.hpp"
#include "koppla/native/detail/radiation.hpp"

namespace koppla::native {

namespace {

std::size_t checkedCells(std::string_view model, std::string_view which, std::int32_t cells, std::int32_t most) {
  if (cells < 2 || cells > most)
    throw core::InputError(fmt::format("{}: {} {} cells are asked for.", model, cells, which),
                           fmt::format("Give 2 to {}.", most));
  return static_cast<std::size_t>(cells);
}

class HeatExchangerFlowModel final : public detail::StatelessModel {
 public:
  explicit HeatExchangerFlowModel(const HeatExchangerFlow& settings)
      : StatelessModel("heat-exchanger-flow"),
        p_(settings),
        cells_(checkedCells("heat-exchanger-flow", "axial", p_.geometry.axialCells, kMostAxialCells)),
        hot_(0.0, p_.geometry.tubeInside,
             checkedCells("heat-exchanger-flow", "radial", p_.radialCells, kMostRadialCells)),
        cold_(p_.geometry.tubeOutside, p_.geometry.shell, static_cast<std::size_t>(p_.radialCells)) {
    using detail::Range;
    const subsystem::PortIndex tube = addInput({"T_tube", "degC", "temperature of the tube"}, 0.0, cells_);
    const subsystem::PortIndex shell = addInput({"T_shell", "degC", "temperature of the shell"}, 0.0, cells_);
    addOutput({"T_inside", "degC", "of the hot stream, next to the tube"}, {tube}, cells_);
    addOutput({"T_outside", "degC", "of the cold stream, next to the tube"}, {tube, shell}, cells_);
    addOutput({"T_at_shell", "degC", "of the cold stream, next to the shell"}, {tube, shell}, cells_);
    addOutput({"h_hot", "W/(m2.K)", "heat transfer between the hot stream and a wall"});
    addOutput({"h_cold", "W/(m2.K)", "heat transfer between the cold stream and a wall"});
    addOutput({"T_hot_out", "degC", "mean over the flow at the hot outlet"}, {tube});
    addOutput({"T_cold_out", "degC", "mean over the flow at the cold outlet"}, {tube, shell});
    addParameter({"L", "m", "length"}, p_.geometry.length, Range::positive);
    addParameter({"rho", "kg/m3", "density"}, p_.density, Range::positive);
    addParameter({"cp", "J/(kg.K)", "heat capacity"}, p_.heatCapacity, Range::positive);
    addParameter({"k", "W/(m.K)", "conductivity"}, p_.conductivity, Range::positive);
    addParameter({"V_hot", "m3/s", "flow of hot water"}, p_.hotFlow, Range::positive);
    addParameter({"V_cold", "m3/s", "flow of cold water"}, p_.coldFlow, Range::positive);
    addParameter({"T_hot_in", "degC", "at the hot inlet"}, p_.hotInlet);
    addParameter({"T_cold_in", "degC", "at the cold inlet"}, p_.coldInlet);
    complete();
  }

  void outputs(double /*t*/, std::span<const double> /*x*/, std::span<const double> u,
               std::span<double> y) const override {
    const std::span<const double> tube = u.first(cells_);
    const std::span<const double> shell = u.subspan(cells_, cells_);
    hot_.enter(entering(p_.hotFlow, p_.hotInlet));
    for (std::size_t i = 0; i < cells_; ++i) {
      hot_.pass(0.0, tube[i]);
      y[i] = hot_.nextToOuterWall();
    }
    cold_.enter(entering(p_.coldFlow, p_.coldInlet));
    for (std::size_t i = cells_; i-- > 0;) {
      cold_.pass(tube[i], shell[i]);
      y[cells_ + i] = cold_.nextToInnerWall();
      y[2 * cells_ + i] = cold_.nextToOuterWall();
    }
    const std::span<double> scalars = y.subspan(3 * cells_);
    scalars[0] = hot_.heatTransfer(p_.conductivity);
    scalars[1] = cold_.heatTransfer(p_.conductivity);
    scalars[2] = hot_.bulk();
    scalars[3] = cold_.bulk();
  }

 private:
  [[nodiscard]] detail::StreamState entering(double flow, double inlet) const {
    return {.heatCapacity = p_.density * p_.heatCapacity,
            .conductivity = p_.conductivity,
            .flow = flow,
            .inlet = inlet,
            .cellLength = p_.geometry.length / static_cast<double>(cells_)};
  }

  HeatExchangerFlow p_;
  std::size_t cells_;
  mutable detail::ExchangerStream hot_, cold_;  ///< work space: every evaluation enters them anew
};

/// Heat that cells of a wall exchange, per metre of its length.
struct WallRing {
  double conduction = 0.0;  ///< W.m/K, along the axis
  double exchange = 0.0;    ///< W/(m.K), with what flows past
};

class HeatExchangerWallsModel final : public detail::StatelessModel {
 public:
  explicit HeatExchangerWallsModel(const HeatExchangerWalls& settings)
      : StatelessModel("heat-exchanger-walls"),
        p_(settings),
        cells_(checkedCells("heat-exchanger-walls", "axial", p_.geometry.axialCells, kMostAxialCells)),
        matrix_(cells_),
        change_(cells_) {
    using detail::Range;
    const auto addStream = [this](const char* name, const char* where) {
      return addInput({name, "degC", std::string("of the stream next to the ") + where}, 0.0, cells_);
    };
    const subsystem::PortIndex inside = addStream("T_inside", "tube, inside");
    const subsystem::PortIndex outside = addStream("T_outside", "tube, outside");
    const subsystem::PortIndex atShell = addStream("T_at_shell", "shell");
    const subsystem::PortIndex hot = addInput({"h_hot", "W/(m2.K)", "heat transfer inside the tube"});
    const subsystem::PortIndex cold = addInput({"h_cold", "W/(m2.K)", "heat transfer in the annulus"});
    addOutput({"T_tube", "degC", "temperature of the tube"}, {inside, outside, hot, cold}, cells_);
    addOutput({"T_shell", "degC", "temperature of the shell"}, {atShell, cold}, cells_);
    addParameter({"L", "m", "length"}, p_.geometry.length, Range::positive);
    addParameter({"k_tube", "W/(m.K)", "conductivity of the tube"}, p_.tubeConductivity, Range::notNegative);
    addParameter({"k_shell", "W/(m.K)", "conductivity of the shell"}, p_.shellConductivity, Range::notNegative);
    addParameter({"shell_thickness", "m", "thickness of the shell"}, p_.shellThickness, Range::positive);
    addParameter({"shell_share", "", "share of the shell that belongs to this tube"}, p_.shellShare, Range::positive);
    addParameter({"eps", "", "emissivity of the shell"}, p_.emissivity, Range::notNegative);
    addParameter({"T_U", "degC", "temperature of the surroundings"}, p_.surroundings);
    complete();
  }

  void outputs(double /*t*/, std::span<const double> /*x*/, std::span<const double> u,
               std::span<double> y) const override {
    const std::span<const double> coefficients = u.subspan(3 * cells_);
    const double hot = coefficients[0], cold = coefficients[1];
    tube(u.first(cells_), u.subspan(cells_, cells_), {hot, cold}, y.first(cells_));
    shell(u.subspan(2 * cells_, cells_), cold, y.subspan(cells_, cells_));
  }

 private:
  static constexpr double kTurn = 2.0 * std::numbers::pi;

  struct TubeTransfer {
    double inside, outside;  // W/(m2.K)
  };

  void tube(std::span<const double> inside, std::span<const double> outside, TubeTransfer h,
            std::span<double> T) const {
    const double within = h.inside * kTurn * p_.geometry.tubeInside;
    const double around = h.outside * kTurn * p_.geometry.tubeOutside;
    assemble({.conduction = p_.tubeConductivity * ring(p_.geometry.tubeInside, p_.geometry.tubeOutside),
              .exchange = within + around});
    matrix_.factorise();
    for (std::size_t i = 0; i < cells_; ++i) T[i] = within * inside[i] + around * outside[i];
    matrix_.solve(T);
  }

  /// Newton's method from the temperatures of the stream, so that a repeated evaluation is the same bit by bit.
  void shell(std::span<const double> stream, double h, std::span<double> T) const {
    constexpr int kMostIterations = 50;
    constexpr double kResolution = 1e-13;  // of the absolute temperature
    const double radius = p_.geometry.shell;
    const WallRing wall{.conduction = p_.shellConductivity * ring(radius, radius + p_.shellThickness) * p_.shellShare,
                        .exchange = h * kTurn * radius};
    const double radiation = p_.emissivity * detail::kStefanBoltzmann * kTurn * radius * p_.shellShare;
    const double outside = p_.surroundings + detail::kZeroCelsius;
    std::ranges::copy(stream, T.begin());
    for (int iteration = 0; iteration < kMostIterations; ++iteration) {
      assemble(wall);
      for (std::size_t i = 0; i < cells_; ++i) {
        // |T|^3 T instead of T^4: rises everywhere, so that there is one solution whatever an iteration sends.
        const double absolute = T[i] + detail::kZeroCelsius;
        const double cube = std::pow(std::fabs(absolute), 3);
        change_[i] = wall.exchange * (stream[i] - T[i]) - wall.conduction * curvature(T, i) -
                     radiation * (cube * absolute - std::pow(outside, 4));
        matrix_(i, i) += 4.0 * radiation * cube;
      }
      matrix_.factorise();
      matrix_.solve(change_);
      bool settled = true;
      for (std::size_t i = 0; i < cells_; ++i) {
        T[i] += change_[i];
        settled = settled && std::fabs(change_[i]) <= kResolution * std::fabs(T[i] + detail::kZeroCelsius);
      }
      if (settled) return;
    }
  }

  [[nodiscard]] double cellLength() const { return p_.geometry.length / static_cast<double>(cells_); }

  /// - T'' at a cell, with insulated ends.
  [[nodiscard]] double curvature(std::span<const double> T, std::size_t i) const {
    double sum = 0.0;
    if (i > 0) sum += T[i] - T[i - 1];
    if (i + 1 < cells_) sum += T[i] - T[i + 1];
    return sum / (cellLength() * cellLength());
  }

  void assemble(const WallRing& wall) const {
    const double neighbour = wall.conduction / (cellLength() * cellLength());
    matrix_.setZero();
    for (std::size_t i = 0; i < cells_; ++i) {
      matrix_(i, i) += wall.exchange;
      if (i == 0) continue;
      matrix_(i, i) += neighbour;
      matrix_(i - 1, i - 1) += neighbour;
      matrix_(i, i - 1) -= neighbour;
      matrix_(i - 1, i) -= neighbour;
    }
  }

  /// m2, area of a ring.
  static double ring(double inner, double outer) { return std::numbers::pi * (outer * outer - inner * inner); }

  HeatExchangerWalls p_;
  std::size_t cells_;
  mutable detail::BandMatrix matrix_;  ///< work space, as is
  mutable std::vector<double> change_;
};

}  // namespace

std::unique_ptr<solver::Equations> heatExchangerFlow(const HeatExchangerFlow& settings) {
  return std::make_unique<HeatExchangerFlowModel>(settings);
}

std::unique_ptr<solver::Equations> heatExchangerWalls(const HeatExchangerWalls& settings) {
  return std::make_unique<HeatExchangerWallsModel>(settings);
}

}  // namespace koppla::native
