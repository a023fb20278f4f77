#include "shelf.hpp"

void addToShelf(double value) {
  shelf().sum += value;
}
