#pragma once
// One of our FMUs, loaded without any of Koppla's rooms: the C functions as the standard names them, variables by name.

#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include <dlfcn.h>

#include "description.hpp"
#include "fmi2.hpp"

namespace koppla::fmus {

class LoadedFmu {
 public:
  explicit LoadedFmu(const std::string& name)
      : folder(std::string(KOPPLA_FMU_DIR) + "/" + name),
        library_(dlopen((folder + "/binaries/linux64/" + name + ".so").c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (!library_) throw std::runtime_error(dlerror());
    description = function<const Description*()>("kopplaDescription")();
  }
  LoadedFmu(const LoadedFmu&) = delete;
  LoadedFmu& operator=(const LoadedFmu&) = delete;
  ~LoadedFmu() { dlclose(library_); }

  template <class Signature>
  Signature* function(const char* name) const {
    return reinterpret_cast<Signature*>(dlsym(library_, name));
  }

  const std::string folder;
  const Description* description = nullptr;

 private:
  void* library_;
};

// An instance that keeps what it logs.
class Instance {
 public:
  explicit Instance(const LoadedFmu& fmu, const char* guid = nullptr, fmi2Type type = fmi2CoSimulation)
      : fmu_(fmu), callbacks_{&Instance::log, nullptr, nullptr, nullptr, this} {
    using Instantiate = fmi2Component(fmi2String, fmi2Type, fmi2String, fmi2String, const fmi2CallbackFunctions*,
                                      fmi2Boolean, fmi2Boolean);
    component = fmu.function<Instantiate>("fmi2Instantiate")("it", type, guid ? guid : fmu.description->guid.data(),
                                                             ("file://" + fmu.folder + "/resources").c_str(),
                                                             &callbacks_, fmi2False, fmi2False);
  }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance() { fmu_.function<void(fmi2Component)>("fmi2FreeInstance")(component); }

  template <class... Arguments>
  fmi2Status call(const char* name, Arguments... arguments) const {
    return fmu_.function<fmi2Status(fmi2Component, Arguments...)>(name)(component, arguments...);
  }

  fmi2Status setUp(double start = 0, bool stops = false, double stop = 0) const {
    return call("fmi2SetupExperiment", fmi2False, 0.0, start, stops ? fmi2True : fmi2False, stop);
  }
  fmi2Status enter() const { return call("fmi2EnterInitializationMode"); }
  fmi2Status exit() const { return call("fmi2ExitInitializationMode"); }
  void start(double time = 0) const {
    if (setUp(time) || enter() || exit()) throw std::runtime_error("initialisation failed: " + all());
  }
  fmi2Status step(double t, double h) const { return call("fmi2DoStep", t, h, fmi2True); }

  fmi2Status set(const char* name, double value) const { return setAs<fmi2Real>("fmi2SetReal", name, value); }
  fmi2Status set(const char* name, int value) const { return setAs<fmi2Integer>("fmi2SetInteger", name, value); }
  fmi2Status set(const char* name, bool value) const { return setAs<fmi2Boolean>("fmi2SetBoolean", name, value); }
  fmi2Status set(const char* name, const char* value) const { return setAs<fmi2String>("fmi2SetString", name, value); }

  double real(const char* name) const { return getAs<fmi2Real>("fmi2GetReal", name); }
  int integer(const char* name) const { return getAs<fmi2Integer>("fmi2GetInteger", name); }
  bool boolean(const char* name) const { return getAs<fmi2Boolean>("fmi2GetBoolean", name) != fmi2False; }
  std::string string(const char* name) const { return getAs<fmi2String>("fmi2GetString", name); }

  fmi2ValueReference reference(std::string_view name) const {
    for (std::size_t i = 0; i < fmu_.description->variables.size(); ++i)
      if (fmu_.description->variables[i].about.name == name) return static_cast<fmi2ValueReference>(i);
    throw std::runtime_error("no variable " + std::string(name));
  }

  std::string all() const {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  }

  fmi2Component component;
  std::vector<std::string> lines;

 private:
  static void log(fmi2ComponentEnvironment self, fmi2String, fmi2Status, fmi2String, fmi2String message, ...) {
    std::array<char, 1024> text{};
    va_list arguments;
    va_start(arguments, message);
    if (message) std::vsnprintf(text.data(), text.size(), message, arguments);
    va_end(arguments);
    auto& instance = *static_cast<Instance*>(self);
    const std::lock_guard lock(instance.logging_);
    instance.lines.emplace_back(text.data());
  }

  template <class Wire>
  fmi2Status setAs(const char* function, const char* name, Wire value) const {
    const fmi2ValueReference vr = reference(name);
    return call<const fmi2ValueReference*, std::size_t, const Wire*>(function, &vr, 1, &value);
  }

  template <class Wire>
  Wire getAs(const char* function, const char* name) const {
    const fmi2ValueReference vr = reference(name);
    Wire value{};
    if (call<const fmi2ValueReference*, std::size_t, Wire*>(function, &vr, 1, &value) != fmi2OK)
      throw std::runtime_error(std::string(function) + "(" + name + ") failed: " + all());
    return value;
  }

  std::mutex logging_;  // WildLogger logs from two threads
  const LoadedFmu& fmu_;
  fmi2CallbackFunctions callbacks_;
};

}  // namespace koppla::fmus
