# Rooms are static libraries, one per folder of src/. A room sees only what it links, so an arrow against the design does
# not compile: every room has its own include folder that holds a link to its sources and to nothing else.

# g++ 12 warns falsely about string concatenation (-Wrestrict, GCC bug 105651) and temporaries of aggregates with strings
# (-Wmaybe-uninitialized).
add_library(koppla_options INTERFACE)
target_compile_features(koppla_options INTERFACE cxx_std_20)
target_compile_options(koppla_options INTERFACE
  $<BUILD_INTERFACE:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast -Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(koppla_options INTERFACE $<BUILD_INTERFACE:-Wno-restrict -Wno-maybe-uninitialized>)
endif()

# Headers that most files of a kind read are compiled once. All rooms share one such file and all test programs another.
# g++ takes it only where options agree and every definition of its owner is there too, so the owner has none of its own.
# It does not look at -O, though code optimised more than the header has made g++ 12 crash: no user has more.
# ccache (without settings that are not ours to make) passes on what uses such a file: where it is used, there is none.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()
if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 forgets that these come from the standard library, and gives more of the false warnings about strings.
  target_compile_options(koppla_options INTERFACE $<BUILD_INTERFACE:-Wno-array-bounds -Wno-stringop-overflow>)
  # g++ looks for what it can forget when its memory has doubled, beginning with the precompiled header's 150 MB; it finds
  # little, and a call costs a tenth more. So it begins at 800 MB, which most calls never need. Only here: clang, which reads
  # the options of the folder that lint configures, takes offence.
  target_compile_options(koppla_options INTERFACE $<BUILD_INTERFACE:--param=ggc-min-heapsize=400000>)
endif()
# fmt's target tells its users so; those who do not link it read the same precompiled header.
target_compile_definitions(koppla_options INTERFACE $<BUILD_INTERFACE:FMT_SHARED>)
# Several files of a target are compiled as one: what headers define is read, and what templates give is made, once for all
# of them. Where there are no precompiled headers (ccache, lint) files stay apart, too: each is found again by itself, and
# must have all its own `#include`s.
if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS AND NOT DEFINED CMAKE_UNITY_BUILD)
  set(CMAKE_UNITY_BUILD ON)
endif()
# koppla_alone(<files...>): sources of this folder that take long by themselves (Eigen's decompositions, CLI11, spdlog). Compiled
# with others they would make calls of the compiler that one core works at while the other waits.
function(koppla_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
# koppla_together(<name> <files...>): sources of this folder that call each other in every step, as one unit: for the compiler
# to see through, and to lie side by side whatever other files become.
function(koppla_together name)
  set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${name})
endfunction()
# koppla_batches(<target> <bytes>): the sources of a target in batches of about so many bytes, all of like size.
function(koppla_batches target most)
  get_target_property(sources ${target} SOURCES)
  set(sizes "")
  set(total 0)
  foreach(source IN LISTS sources)
    file(SIZE ${CMAKE_CURRENT_SOURCE_DIR}/${source} size)
    list(APPEND sizes ${size})
    math(EXPR total "${total} + ${size}")
  endforeach()
  math(EXPR batches "(${total} + ${most} - 1) / ${most}")
  set(before 0)
  foreach(source size IN ZIP_LISTS sources sizes)
    math(EXPR batch "${before} * ${batches} / ${total}")
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${target}_${batch})
    math(EXPR before "${before} + ${size}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/standard_headers.cpp CONTENT "")
add_library(koppla_standard_headers OBJECT ${CMAKE_BINARY_DIR}/standard_headers.cpp)
target_link_libraries(koppla_standard_headers PRIVATE koppla_options)
target_precompile_headers(koppla_standard_headers PRIVATE <algorithm> <array> <cmath> <cstdint> <filesystem> <functional>
  <map> <memory> <optional> <ranges> <span> <string> <string_view> <utility> <variant> <vector> <fmt/format.h>)

# koppla_room(<name> SOURCES ... [PUBLIC libs...] [PRIVATE libs...] [ONCE])
# Headers are spelled "koppla/<room>/<file>.hpp", in the tree as after installation. Libraries of headers only are no part
# of the installed room: a program that links it need not have them. ONCE: what this room does, it does once in a run; it is
# optimised less, which halves the compiler's work.
function(koppla_room name)
  cmake_parse_arguments(ROOM "ONCE" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  set(view ${CMAKE_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${view}/koppla)
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${view}/koppla/${name} SYMBOLIC)
  add_library(koppla_${name} STATIC ${ROOM_SOURCES})
  add_library(Koppla::${name} ALIAS koppla_${name})
  set_target_properties(koppla_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(koppla_${name} PUBLIC
    $<BUILD_INTERFACE:${view}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(koppla_${name} PUBLIC cxx_std_20)
  list(TRANSFORM ROOM_PRIVATE REPLACE "^(Boost::headers|Eigen3::Eigen|nanoflann::nanoflann|nlohmann_json::nlohmann_json|spdlog::spdlog_header_only)$" "$<BUILD_INTERFACE:\\1>")
  target_link_libraries(koppla_${name} PUBLIC ${ROOM_PUBLIC} PRIVATE ${ROOM_PRIVATE} $<BUILD_INTERFACE:koppla_options>)
  target_precompile_headers(koppla_${name} REUSE_FROM koppla_standard_headers)
  koppla_batches(koppla_${name} 55000)
  if(ROOM_ONCE)
    target_compile_options(koppla_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  install(TARGETS koppla_${name} EXPORT KopplaTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  set_property(GLOBAL APPEND PROPERTY KOPPLA_ROOMS koppla_${name})
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.hpp)
  install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/koppla/${name})
endfunction()

# koppla_compile_quickly(<program>): of programs that use googletest and are compiled more often than they are run. -Og asks
# for little more of g++ than -O0 and gives code that is nearly as quick as that of -O1, for a quarter less time.
function(koppla_compile_quickly program)
  target_compile_options(${program} PRIVATE $<$<CONFIG:Release>:-Og>)
  if(program STREQUAL "support_test")
    target_precompile_headers(support_test PRIVATE <algorithm> <array> <cmath> <filesystem> <functional> <map> <memory>
      <optional> <ranges> <span> <string> <vector> <fmt/format.h> <gmock/gmock.h> <gtest/gtest.h> <rapidcheck.h>
      <rapidcheck/gtest.h>)
  else()
    target_precompile_headers(${program} REUSE_FROM support_test)
  endif()
endfunction()

# Seconds that only a failure meets; ThreadSanitizer makes long loops some twenty times as long.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=thread")
  set(KOPPLA_TEST_TIMEOUT 1500)
else()
  set(KOPPLA_TEST_TIMEOUT 300)
endif()

# koppla_test(<room> SOURCES ... [LIBRARIES ...] [LABELS ...]): one test program per room, run by ctest from the build
# folder.
function(koppla_test room)
  cmake_parse_arguments(TEST "" "" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  add_executable(${room}_test ${TEST_SOURCES})
  target_link_libraries(${room}_test PRIVATE ${TEST_LIBRARIES} koppla_test_support GTest::gtest_main rapidcheck koppla_options)
  koppla_compile_quickly(${room}_test)
  koppla_batches(${room}_test 110000)
  set_target_properties(${room}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  # Laws are tried on the same inputs in every run; a program started by hand draws others.
  gtest_discover_tests(${room}_test TEST_PREFIX "${room}." DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT ${KOPPLA_TEST_TIMEOUT} ENVIRONMENT "RC_PARAMS=seed=1" LABELS "${TEST_LABELS}")
endfunction()
