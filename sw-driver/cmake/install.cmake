# SPDX-License-Identifier: Apache-2.0
#
# Files of `cmake --install`, everything below CMAKE_INSTALL_PREFIX, and the target
# `uninstall`, which takes away the files of the last installation and the folders that it made.
#
#   TMU_PROVIDER         AUTO (with libfabric's headers), ON or OFF: the libfabric provider
#   TMU_PROVIDER_FOLDER  where libfabric looks for providers
#   TMU_SYSTEM_FILES     module source for DKMS, udev rule, options of the module, group, service
#   TMU_GROUP            the group that may use units
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(TMU_PROVIDER_FOLDER ${CMAKE_INSTALL_LIBDIR}/libfabric CACHE STRING
  "Folder for the libfabric provider, below the prefix or absolute")
option(TMU_SYSTEM_FILES "Install module source, udev rule, module options and service" ON)
set(TMU_GROUP tmu CACHE STRING "Group that may use units")

set(tmu_made ${CMAKE_CURRENT_BINARY_DIR}/install)
set(tmu_templates ${CMAKE_CURRENT_SOURCE_DIR}/install)
set(tmu_package ${CMAKE_INSTALL_LIBDIR}/cmake/tmu)
set(tmu_source src/tmu-${PROJECT_VERSION})

# First of all: which folders are not there yet.
set(tmu_folders ${CMAKE_INSTALL_BINDIR} ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_LIBDIR}/tmu ${tmu_package}
  ${CMAKE_INSTALL_INCLUDEDIR}/tmu ${CMAKE_INSTALL_MANDIR}/man1 ${CMAKE_INSTALL_MANDIR}/man3
  ${CMAKE_INSTALL_MANDIR}/man7 ${TMU_PROVIDER_FOLDER} ${tmu_source}/include/tmu
  ${tmu_source}/kernel/uapi lib/udev/rules.d lib/modprobe.d lib/sysusers.d lib/systemd/system)
configure_file(${CMAKE_CURRENT_LIST_DIR}/install_folders.cmake.in
  ${tmu_made}/install_folders.cmake @ONLY)
install(SCRIPT ${tmu_made}/install_folders.cmake)

# The library, and what compiles programs with it.
install(TARGETS tmu EXPORT tmu-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/tmu DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_LIBDIR BASE_DIRECTORY "\${prefix}" OUTPUT_VARIABLE tmu_pc_libdir)
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_INCLUDEDIR BASE_DIRECTORY "\${prefix}"
  OUTPUT_VARIABLE tmu_pc_includedir)
configure_file(${tmu_templates}/libtmu.pc.in ${tmu_made}/libtmu.pc @ONLY)
install(FILES ${tmu_made}/libtmu.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
configure_package_config_file(${tmu_templates}/tmu-config.cmake.in ${tmu_made}/tmu-config.cmake
  INSTALL_DESTINATION ${tmu_package})
# Before 1.0 a minor version may have other functions.
write_basic_package_version_file(${tmu_made}/tmu-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${tmu_made}/tmu-config.cmake ${tmu_made}/tmu-config-version.cmake
  DESTINATION ${tmu_package})
install(EXPORT tmu-targets NAMESPACE tmu:: DESTINATION ${tmu_package})

# The functional device, which the library loads for `ref:`.
install(TARGETS tmu_functional LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tmu)

# Programs.  They find the library where it is installed with them.
file(RELATIVE_PATH tmu_to_library ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(tmu-info tmu-ping PROPERTIES INSTALL_RPATH "\$ORIGIN/${tmu_to_library}")
install(TARGETS tmu-info tmu-ping tmu-share tmu-device DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET tmu-fi)
  install(TARGETS tmu-fi LIBRARY DESTINATION ${TMU_PROVIDER_FOLDER})
endif()

# Manual pages, by a Python that has click for the page of ./tmu.
find_program(TMU_PYTHON NAMES python python3 HINTS ${tmu_repository}/build/venv/bin
  DOC "Python 3.11 or newer that makes the manual pages")
if(TMU_PYTHON)
  set(tmu_manual ${tmu_repository}/tools/opentmu/manual)
  file(GLOB tmu_manual_sources CONFIGURE_DEPENDS ${tmu_manual}/*.py ${tmu_repository}/tools/opentmu/commands/*.py)
  file(GLOB tmu_headers CONFIGURE_DEPENDS include/tmu/*.h)
  add_custom_command(OUTPUT ${tmu_made}/man.stamp
    COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${tmu_repository}/tools PYTHONDONTWRITEBYTECODE=1
      ${TMU_PYTHON} -P -m opentmu.manual ${tmu_made}/man
      $<TARGET_FILE:tmu-info> $<TARGET_FILE:tmu-ping> $<TARGET_FILE:tmu-share>
      $<TARGET_FILE:tmu-device>
    COMMAND ${CMAKE_COMMAND} -E touch ${tmu_made}/man.stamp
    DEPENDS tmu-info tmu-ping tmu-share tmu-device ${tmu_manual_sources} ${tmu_headers}
      ${tmu_repository}/docs/mpi.md
    COMMENT "Making manual pages" VERBATIM)
  add_custom_target(tmu_man ALL DEPENDS ${tmu_made}/man.stamp)
  install(DIRECTORY ${tmu_made}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
else()
  message(STATUS "No Python: no manual pages are made")
endif()

if(TMU_SYSTEM_FILES)
  foreach(file dkms.conf 70-tmu.rules sysusers.conf)
    configure_file(${tmu_templates}/${file}.in ${tmu_made}/${file} @ONLY)
  endforeach()
  set(tmu_bindir ${CMAKE_INSTALL_FULL_BINDIR})
  configure_file(${tmu_templates}/tmu-share@.service.in ${tmu_made}/tmu-share@.service @ONLY)
  install(DIRECTORY kernel DESTINATION ${tmu_source})
  install(DIRECTORY include/tmu DESTINATION ${tmu_source}/include)
  install(FILES ${tmu_made}/dkms.conf DESTINATION ${tmu_source})
  install(FILES ${tmu_made}/70-tmu.rules DESTINATION lib/udev/rules.d)
  install(FILES ${tmu_made}/sysusers.conf DESTINATION lib/sysusers.d RENAME tmu.conf)
  install(FILES ${tmu_templates}/modprobe.conf DESTINATION lib/modprobe.d RENAME tmu.conf)
  install(FILES ${tmu_made}/tmu-share@.service DESTINATION lib/systemd/system)
endif()

add_custom_target(uninstall
  COMMAND ${CMAKE_COMMAND} -D build=${CMAKE_CURRENT_BINARY_DIR}
    -P ${CMAKE_CURRENT_LIST_DIR}/uninstall.cmake
  COMMENT "Removing what was installed" VERBATIM)
