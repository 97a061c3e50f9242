package main

// pkgConfig is calliope.pc.
const pkgConfig = `prefix=${pcfiledir}/../..
libdir=${prefix}/lib
includedir=${prefix}/include

Name: calliope
Description: Callbacks from compiled StableHLO programs, for hosts in any language
Version: @VERSION@
Cflags: -I${includedir}
Libs: -L${libdir} -lcalliope
Libs.private: -ldl -lm -lpthread -lresolv
`

// bazelBuild is BUILD.bazel.
const bazelBuild = `load("@rules_cc//cc:defs.bzl", "cc_import", "cc_library")

package(default_visibility = ["//visibility:public"])

cc_library(
    name = "calliope",
    hdrs = [":headers"],
    includes = ["include"],
    deps = [":shared"],
)

cc_library(
    name = "calliope_static",
    hdrs = [":headers"],
    includes = ["include"],
    linkopts = ["-ldl", "-lm", "-lpthread", "-lresolv"],
    deps = [":archive"],
)

cc_import(
    name = "shared",
    shared_library = "@SHARED@",
)

cc_import(
    name = "archive",
    static_library = "lib/libcalliope.a",
)

filegroup(
    name = "headers",
    srcs = glob(["include/*"]),
)

filegroup(
    name = "mlir_lint",
    srcs = ["bin/mlir-lint"],
)
`

// cmakeConfig is CalliopeConfig.cmake.
const cmakeConfig = `# Targets: Calliope::calliope, the shared library, and Calliope::calliope_static, the archive.
get_filename_component(_calliope_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_package(Threads REQUIRED)

if(NOT TARGET Calliope::calliope)
  add_library(Calliope::calliope SHARED IMPORTED)
  set_target_properties(Calliope::calliope PROPERTIES
    IMPORTED_LOCATION "${_calliope_prefix}/@SHARED@"
    @IMPORTED@
    INTERFACE_INCLUDE_DIRECTORIES "${_calliope_prefix}/include")
  add_library(Calliope::calliope_static STATIC IMPORTED)
  set_target_properties(Calliope::calliope_static PROPERTIES
    IMPORTED_LOCATION "${_calliope_prefix}/lib/libcalliope.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_calliope_prefix}/include"
    INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};m;resolv")
endif()

set(Calliope_MLIR_LINT "${_calliope_prefix}/bin/mlir-lint")
unset(_calliope_prefix)
`

// cmakeVersion is CalliopeConfigVersion.cmake. Before 1.0 a minor release may change functions.
const cmakeVersion = `set(PACKAGE_VERSION "@VERSION@")
string(REGEX MATCH "^[0-9]+\\.[0-9]+" _calliope_ours "${PACKAGE_VERSION}")
string(REGEX MATCH "^[0-9]+\\.[0-9]+" _calliope_wanted "${PACKAGE_FIND_VERSION}")
if(PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
elseif(PACKAGE_VERSION VERSION_LESS 1)
  if(_calliope_ours STREQUAL _calliope_wanted)
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
  else()
    set(PACKAGE_VERSION_COMPATIBLE FALSE)
  endif()
else()
  string(REGEX MATCH "^[0-9]+" _calliope_ours "${PACKAGE_VERSION}")
  if(_calliope_ours STREQUAL PACKAGE_FIND_VERSION_MAJOR)
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
  else()
    set(PACKAGE_VERSION_COMPATIBLE FALSE)
  endif()
endif()
if(PACKAGE_FIND_VERSION STREQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
`
