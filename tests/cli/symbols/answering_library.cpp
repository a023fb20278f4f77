// A library with one function of a well-known name, which tells who was called. Its words on standard output must not
// get lost, whichever C library prints them.

#include <cstdio>
#include <cstdlib>

extern "C" __attribute__((visibility("default"))) const char* KOPPLA_ASKED();

const char* KOPPLA_ASKED() {
  static const bool said = std::printf("Answer " KOPPLA_ANSWER " is given.\n") > 0;
  if (KOPPLA_ANSWER[0] == '-') std::exit(0);
  return said ? KOPPLA_ANSWER : "0";
}
