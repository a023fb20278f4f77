#include "koppla/native/journal_bearing.hpp"

#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "koppla/core/error.hpp"
#include "koppla/core/value.hpp"
#include "koppla/native/detail/model.hpp"
#include "koppla/native/detail/oil_film.hpp"

namespace koppla::native {

namespace {

std::size_t checkedElements(std::int32_t elements, const char* where, std::int32_t fewest, std::int32_t most) {
  if (elements < fewest || elements > most || elements % 2 != 0)
    throw core::InputError(fmt::format("journal-bearing: {} elements {} are asked for.", elements, where),
                           fmt::format("Give an even number from {} to {}.", fewest, most));
  return static_cast<std::size_t>(elements);
}

class JournalBearingModel final : public detail::StatelessModel {
 public:
  explicit JournalBearingModel(const JournalBearing& settings) : StatelessModel("journal-bearing"), p_(settings) {
    if (p_.solution == FilmSolution::finiteElements)
      film_.emplace(checkedElements(p_.elementsTheta, "around the circumference", 8, 2000),
                    checkedElements(p_.elementsZ, "across the width", 2, 200));
    const subsystem::PortIndex eps = addInput({"eps", "", "eccentricity, from 0 to less than 1"});
    const subsystem::PortIndex epsRate = addInput({"eps_rate", "", "its rate, divided by the angular velocity"});
    const subsystem::PortIndex delRate =
        addInput({"del_rate", "", "rate of its direction, divided by the angular velocity"});
    addOutput({"force_r", "", "force along the eccentricity"}, {eps, epsRate, delRate});
    addOutput({"force_t", "", "force across it"}, {eps, epsRate, delRate});
    addParameter({"ratio", "", "radius divided by width"}, p_.ratio, detail::Range::positive);
    complete();
  }

  void outputs(double /*t*/, std::span<const double> /*x*/, std::span<const double> u,
               std::span<double> y) const override {
    const double eps = u[0], epsRate = u[1], delRate = u[2];
    if (!(eps >= 0.0 && eps < 1.0))
      throw core::SubsystemError(fmt::format(
          "journal-bearing: the eccentricity is {}; the film ends at 1, where the journal touches the shell. "
          "Shorter steps or a smaller load may help.",
          core::text(eps)));
    const detail::FilmDrive drive{.sine = eps * (2.0 * delRate - 1.0), .cosine = 2.0 * epsRate};
    const detail::FilmForce force =
        film_ ? film_->force(p_.ratio, eps, drive) : detail::shortBearingForce(p_.ratio, eps, drive);
    y[0] = force.radial;
    y[1] = force.tangential;
  }

 private:
  JournalBearing p_;
  mutable std::optional<detail::OilFilm> film_;  ///< its arrays are work space; none for the short bearing
};

}  // namespace

std::unique_ptr<solver::Equations> journalBearing(const JournalBearing& settings) {
  return std::make_unique<JournalBearingModel>(settings);
}

}  // namespace koppla::native
