#include "bad_input.hpp"

namespace koppla::test {

namespace {

/// A study of the project of one Gain, six lines and more.
BadInput badStudy(std::string name, const std::string& axis, const std::string& more, std::vector<std::string> says) {
  return {std::move(name),
          {"study", "s.toml"},
          std::move(says),
          {{"project.toml", project()},
           {"s.toml", "format = 1\n[study]\nproject = \"project.toml\"\n[[vary]]\n" + axis + "\n" + more}}};
}

const std::string kVariedSteps = "name = \"simulation.step\"\nvalues = [0.1, 0.05]";
const std::string kReference = "[reference]\nkind = \"run\"\nset = [\"simulation.step=0.01\"]\n";
const std::string kErrors = "[errors]\nvariables = [\"a.y\"]\n";

}  // namespace

std::vector<BadInput> studyCases() {
  return {
      {"Missing", {"study", "nope.toml"}, {"nope.toml cannot be read: No such file", "Check the path."}},
      {"WithoutProject",
       {"study", "s.toml"},
       {"nope.toml cannot be read: No such file"},
       {{"s.toml",
         "format = 1\n[study]\nproject = \"nope.toml\"\n[[vary]]\n" + kVariedSteps + "\n" + kReference + kErrors}}},
      {"IsAProject",
       {"study", "project.toml"},
       {"project.toml", "There is no 'project' in [study].", "Nothing is varied"},
       {{"project.toml", project()}}},
      {"NoJobs", {"study", "s.toml", "--jobs", "0"}, {"'koppla study': --jobs", "not in range 1 to 1024"}},
      badStudy("NotToml", "name = ", "", {"s.toml:5:", "This is not TOML"}),
      badStudy("StepLongerThanTheRun", "name = \"simulation.step\"\nvalues = [0.1, 2.0]", kReference + kErrors,
               {"s.toml:6:16: The step, 2 s, is longer than the whole run, 1 s."}),
      badStudy("UnknownSetting", "name = \"simulation.stpe\"\nvalues = [0.1]", kReference + kErrors,
               {"s.toml:6:11: 'stpe' is not an option of [simulation].", "Did you mean 'step'?"}),
      badStudy("UnknownSubsystem", "name = \"b.k\"\nvalues = [0.1]", kReference + kErrors,
               {"s.toml:6:11: 'b.k' names neither an option nor a subsystem's parameter."}),
      badStudy("UnknownParameter", "name = \"a.kk\"\nvalues = [0.1]", kReference + kErrors,
               {"s.toml:6:11: 'a' has no parameter or start value 'kk'."}),
      badStudy("UnknownVariable", kVariedSteps, kReference + "[errors]\nvariables = [\"a.z\"]\n",
               {"s.toml:11:14: There is no variable 'a.z' to be recorded.", "Did you mean"}),
      badStudy("MistakeInReference", kVariedSteps,
               "[reference]\nkind = \"run\"\nset = [\"simulation.step=-1\"]\n" + kErrors,
               {"s.toml:9:8: 'step' in [simulation] is -1; it must be above 0."}),
      badStudy("ReferenceFileMissing", kVariedSteps, "[reference]\nkind = \"file\"\nfile = \"r.csv\"\n" + kErrors,
               {"r.csv cannot be read: No such file"}),
      {"ReferenceFileLacksAVariable",
       {"study", "s.toml"},
       {"s.toml:11:14: The reference r.csv has no 'a.y'.", "Leave it out, or choose another file."},
       {{"project.toml", project()},
        {"r.csv", "time,a.x\n0,0\n1,1\n"},
        {"s.toml", "format = 1\n[study]\nproject = \"project.toml\"\n[[vary]]\n" + kVariedSteps +
                       "\n[reference]\nkind = \"file\"\nfile = \"r.csv\"\n" + kErrors}}},
  };
}

}  // namespace koppla::test
