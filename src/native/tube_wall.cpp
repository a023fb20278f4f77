#include "koppla/native/tube_wall.hpp"

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/native/detail/model.hpp"
#include "koppla/native/tube_flow.hpp"

namespace koppla::native {

namespace {

class TubeWallModel final : public detail::StatelessModel {
 public:
  explicit TubeWallModel(const TubeWall& settings) : StatelessModel("tube-wall"), p_(settings) {
    using detail::Range;
    if (p_.nodes < 1 || p_.nodes > kMostTubeNodes)
      throw core::InputError(fmt::format("tube-wall: {} nodes are asked for.", p_.nodes),
                             fmt::format("A wall has 1 to {} nodes.", kMostTubeNodes));
    const auto nodes = static_cast<std::size_t>(p_.nodes);
    const subsystem::PortIndex pressure = addInput({"p", "Pa", "pressure at the nodes"}, 0.0, nodes);
    addOutput({"a", "m2", "area at the nodes"}, {pressure}, nodes);
    addParameter({"E", "N/m2", "Young's modulus"}, p_.youngsModulus, Range::positive);
    addParameter({"r0", "m", "radius at rest"}, p_.radius, Range::positive);
    addParameter({"a0", "m2", "area at the pressure p0"}, p_.restArea, Range::positive);
    addParameter({"p0", "Pa", "pressure at which the area is a0"}, p_.restPressure);
    complete();
  }

  void outputs(double /*t*/, std::span<const double> /*x*/, std::span<const double> u,
               std::span<double> y) const override {
    const double pole = p_.youngsModulus / p_.radius;  // 2 c^2
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double ratio = (p_.restPressure - pole) / (u[i] - pole);
      y[i] = p_.restArea * ratio * ratio;
    }
  }

 private:
  TubeWall p_;
};

}  // namespace

std::unique_ptr<solver::Equations> tubeWall(const TubeWall& settings) {
  return std::make_unique<TubeWallModel>(settings);
}

}  // namespace koppla::native
