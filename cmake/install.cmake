# What `cmake --install` adds to the rooms and the command, which install themselves: the umbrella target, the package
# files for find_package(Koppla), the license.

# Koppla::koppla links all rooms.
get_property(rooms GLOBAL PROPERTY KOPPLA_ROOMS)
add_library(koppla_all INTERFACE)
add_library(Koppla::koppla ALIAS koppla_all)
set_target_properties(koppla_all PROPERTIES EXPORT_NAME koppla)
target_link_libraries(koppla_all INTERFACE ${rooms})
install(TARGETS koppla_all EXPORT KopplaTargets)

include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Koppla)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/KopplaConfig.cmake.in ${CMAKE_BINARY_DIR}/KopplaConfig.cmake
  INSTALL_DESTINATION ${package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/KopplaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/KopplaConfig.cmake ${CMAKE_BINARY_DIR}/KopplaConfigVersion.cmake
  DESTINATION ${package})
install(EXPORT KopplaTargets NAMESPACE Koppla:: DESTINATION ${package})
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
