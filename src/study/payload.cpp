#include "koppla/study/payload.hpp"

#include <cstring>

namespace koppla::study {

void Packer::append(const void* data, std::size_t size) {
  bytes_.append(static_cast<const char*>(data), size);
}

void Packer::number(double value) {
  append(&value, sizeof value);
}

void Packer::count(std::uint64_t value) {
  append(&value, sizeof value);
}

void Packer::text(std::string_view value) {
  count(value.size());
  bytes_ += value;
}

void Packer::numbers(const std::vector<double>& values) {
  count(values.size());
  append(values.data(), values.size() * sizeof(double));
}

void Packer::problems(const std::vector<core::Problem>& values) {
  count(values.size());
  for (const core::Problem& problem : values) {
    text(problem.place.file);
    count(problem.place.line);
    count(problem.place.column);
    text(problem.message);
    text(problem.remedy);
  }
}

void Unpacker::read(void* into, std::size_t size) {
  if (size > bytes_.size()) throw core::InternalError("A child process of a study sent too few bytes.");
  if (size > 0) std::memcpy(into, bytes_.data(), size);
  bytes_.remove_prefix(size);
}

double Unpacker::number() {
  double value = 0.0;
  read(&value, sizeof value);
  return value;
}

std::uint64_t Unpacker::count() {
  std::uint64_t value = 0;
  read(&value, sizeof value);
  return value;
}

std::string Unpacker::text() {
  std::string value(count(), '\0');
  read(value.data(), value.size());
  return value;
}

std::vector<double> Unpacker::numbers() {
  std::vector<double> values(count());
  read(values.data(), values.size() * sizeof(double));
  return values;
}

std::vector<core::Problem> Unpacker::problems() {
  std::vector<core::Problem> values(count());
  for (core::Problem& problem : values) {
    problem.place.file = text();
    problem.place.line = count();
    problem.place.column = count();
    problem.message = text();
    problem.remedy = text();
  }
  return values;
}

}  // namespace koppla::study
