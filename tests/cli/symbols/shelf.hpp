#pragma once

#include <functional>

struct Shelf {
  double sum = 0;
};

// The compiler gives these the binding STB_GNU_UNIQUE.
#ifdef KOPPLA_IN_STD
/// A type of the model, by which its variable is named in namespace std.
struct __attribute__((visibility("default"))) Key {};
template <>
struct __attribute__((visibility("default"))) std::hash<Key> {
  static inline Shelf shelf;
};
inline Shelf& shelf() {
  return std::hash<Key>::shelf;
}
#else
__attribute__((visibility("default"))) inline Shelf inlineShelf;
inline Shelf& shelf() {
  return inlineShelf;
}
#endif

/// In a library that an FMU brings.
__attribute__((visibility("default"))) void addToShelf(double value);
