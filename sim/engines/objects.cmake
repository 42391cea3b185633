# SPDX-License-Identifier: Apache-2.0
# The engines alone, for whoever wants one inside: tmu_engine_objects.
include(CheckCCompilerFlag)

add_library(tmu_engine_objects OBJECT
  ${CMAKE_CURRENT_LIST_DIR}/engine.c
  ${CMAKE_CURRENT_LIST_DIR}/fuzzy_avx512.c
  ${CMAKE_CURRENT_LIST_DIR}/fuzzy_portable.c
  ${CMAKE_CURRENT_LIST_DIR}/fuzzy_queue.c
  ${CMAKE_CURRENT_LIST_DIR}/list_engine.c)
target_compile_definitions(tmu_engine_objects PRIVATE _POSIX_C_SOURCE=200809L)
target_include_directories(tmu_engine_objects PUBLIC ${CMAKE_CURRENT_LIST_DIR})
# A comparator has to be as fast as the compiler can make it.
target_compile_options(tmu_engine_objects PRIVATE -O3)

# Only this file may hold AVX-512: whether the processor has it is asked when an engine is chosen.
set(TMU_AVX512_FLAGS -mavx512f -mavx512bw -mbmi -mbmi2 -mprefer-vector-width=512)
string(REPLACE ";" " " flags "${TMU_AVX512_FLAGS}")
check_c_compiler_flag("${flags}" TMU_COMPILER_HAS_AVX512)
if(TMU_COMPILER_HAS_AVX512)
  set_property(SOURCE ${CMAKE_CURRENT_LIST_DIR}/fuzzy_avx512.c
    APPEND PROPERTY COMPILE_OPTIONS ${TMU_AVX512_FLAGS})
endif()
