#pragma once

#include <clocale>

namespace koppla::program::detail {

/// While it lives, this thread writes numbers with a point, whatever locale an FMU has given the process.
class PlainLocale {
 public:
  PlainLocale() : before_(::uselocale(plain())) {}
  ~PlainLocale() { ::uselocale(before_); }
  PlainLocale(const PlainLocale&) = delete;
  PlainLocale& operator=(const PlainLocale&) = delete;

 private:
  static locale_t plain() {
    static const locale_t locale = ::newlocale(LC_ALL_MASK, "C", nullptr);
    return locale;
  }
  locale_t before_;
};

}  // namespace koppla::program::detail
