#include "bad_input.hpp"

namespace koppla::test {

namespace {

/// A stability file for the project of one Gain: the lines of [stability] begin in line 3.
BadInput badFile(std::string name, const std::string& head, const std::string& more, std::vector<std::string> says) {
  return {std::move(name),
          {"stability", "s.toml"},
          std::move(says),
          {{"project.toml", project()}, {"s.toml", "format = 1\n[stability]\n" + head + "\n" + more}}};
}

const std::string kProject = "project = \"project.toml\"\n";
const std::string kSteps = "[[vary]]\nname = \"simulation.step\"\nvalues = [0.1, 0.05]\n";

}  // namespace

std::vector<BadInput> stabilityCases() {
  return {
      {"Missing", {"stability", "nope.toml"}, {"nope.toml cannot be read: No such file", "Check the path."}},
      {"IsAProject",
       {"stability", "project.toml"},
       {"There is no 'project' in [stability].", "There is no 'find' in [stability]."},
       {{"project.toml", project()}}},
      badFile("WithoutProject", "project = \"nope.toml\"\nfind = \"critical-step\"", "",
              {"nope.toml cannot be read: No such file"}),
      badFile("UnknownQuestion", kProject + "find = \"critical\"", "",
              {"s.toml:4:8: ", "'critical'", "Known here: critical-step, spectral-radius."}),
      badFile("RangeUpsideDown", kProject + "find = \"critical-step\"\nfrom = 1.0\nto = 0.1", "",
              {"s.toml:6:6: 'to', 0.1 s, is not above 'from', 1 s.", "Give the shorter step as 'from'."}),
      badFile("RangeOfASpectralRadius", kProject + "find = \"spectral-radius\"\nto = 0.1", "",
              {"s.toml:5:6: find = \"spectral-radius\" has no 'to'."}),
      badFile("VariesWhatIsSought", kProject + "find = \"critical-step\"", kSteps,
              {"simulation.step is varied, but the critical step is what is sought."}),
      badFile("MistakeInAValue", kProject + "find = \"spectral-radius\"",
              "[[vary]]\nname = \"simulation.step\"\nvalues = [-0.1]\n", {"'step' in [simulation] is -0.1"}),
      {"FolderBelowAFile",
       {"stability", "s.toml", "--folder", "notes/out"},
       {"Not a directory", "notes/out", "Check that the path is right and that you may use it."},
       {{"notes", "mine"},
        {"project.toml",
         "format = 1\nsimulation = { end = 10.0, step = 0.1 }\n[[subsystems]]\nname = \"body\"\n"
         "model = \"oscillator-body\"\nintegrator = \"ode1\"\nparameters = { c = 1.0, d = 0.0 }\n"},
        {"s.toml", "format = 1\n[stability]\n" + kProject + "find = \"spectral-radius\"\n"}}},
      {"InstantThatIsNone", {"stability", "s.toml", "--at", "nan"}, {"--at: 'nan' is no instant"}},
      badFile("NothingToProbe", kProject + "find = \"spectral-radius\"", kSteps,
              {"No combination has a recursion", "No subsystem passes a value on", "docs/stability.md"}),
  };
}

}  // namespace koppla::test
