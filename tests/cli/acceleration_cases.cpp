#include "bad_input.hpp"

namespace koppla::test {

namespace {

/// A project whose algorithm iterates; `lines` begin at line 10.
BadInput badIteration(std::string name, const std::string& lines, std::vector<std::string> says) {
  return badLines(std::move(name), "[algorithm]\nkind = \"iterated-gauss-seidel\"\n" + lines, std::move(says));
}

}  // namespace

std::vector<BadInput> accelerationCases() {
  return {
      badIteration("AcceleratorUnknown", "[acceleration]\nkind = \"aitkin\"\n",
                   {"project.toml:11:8: 'aitkin' is no value of 'kind'", "Did you mean 'aitken'?"}),
      badIteration("FactorTooLarge", "[acceleration]\nkind = \"constant\"\nfactor = 2.5\n",
                   {"project.toml:12:10: 'factor' is 2.5; it must be below 2."}),
      badIteration("FactorZero", "[acceleration]\nkind = \"constant\"\nfactor = 0\n",
                   {"project.toml:12:10: 'factor' in [acceleration] is 0; it must be above 0."}),
      badIteration("SetUnknown", "[acceleration]\nkind = \"adaptive\"\nset = \"L/NL(2,a)\"\n",
                   {"project.toml:12:7: There is no set 'L/NL(2,a)'.", "Did you mean 'L/NL(1,a)'?"}),
      badIteration("MassTooLarge", "[acceleration]\nkind = \"adaptive\"\nmass = 1.5\n",
                   {"project.toml:12:8: 'mass' is 1.5; it must be at most 1."}),
      badIteration("NoColumns", "[acceleration]\nkind = \"iqn-ils\"\ncolumns = 0\n",
                   {"project.toml:12:11: 'columns' in [acceleration] is 0; it must be at least 1."}),
      badIteration("GroupWithoutVariables", "[[convergence]]\nrtol = 1e-3\n",
                   {"A group of the convergence test has no variables.", "Write variables = [\"subsystem.port\"]"}),
      badIteration("GroupOfNothing", "[[convergence]]\nvariables = [\"a.z\"]\n",
                   {"There is no variable 'a.z' to be tested.", "Did you mean 'a."}),
      badIteration("GroupWithoutTolerance", "[[convergence]]\nvariables = [\"a.y\"]\nrtol = 0\natol = 0\n",
                   {"project.toml:13:8: rtol and atol are both 0"}),
      badIteration("WaveformWithoutSplines", "waveform = 4\n",
                   {"project.toml:10:12: Samples inside the step need splines", "Write degree = 3"}),
      badIteration("PredictorTooHigh", "predictor = 9\n", {"project.toml:10:13: 'predictor'", "is 9"}),
      badIteration("IterationsOfNothing", "[results]\niterations = [\"b.y\"]\n",
                   {"project.toml:11:15: There is no variable 'b.y' to be recorded."}),
      badIteration("GrowthNegative", "explosion_growth = -1\n",
                   {"project.toml:10:20: 'explosion_growth' in [algorithm] is -1; it must be at least 0."}),
  };
}

}  // namespace koppla::test
