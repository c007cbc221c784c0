# shmemu_library(name SOURCES … LINK …): a static library of one src folder, with the project's flags.
# shmemu_test(name SOURCES … LINK …): a Catch2 program; each test case becomes one CTest test.
option(SHMEMU_WARNINGS_AS_ERRORS "treat warnings as errors" OFF)
set(SHMEMU_SANITIZER "" CACHE STRING "address or empty")

add_library(shmemu_flags INTERFACE)
target_include_directories(shmemu_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(shmemu_flags INTERFACE -Wall -Wextra -Wconversion -Wno-sign-conversion
  $<$<BOOL:${SHMEMU_WARNINGS_AS_ERRORS}>:-Werror>)
if(SHMEMU_SANITIZER)
  # g++ 12 warns wrongly about std::function under a sanitizer
  target_compile_options(shmemu_flags INTERFACE -fsanitize=${SHMEMU_SANITIZER} -fno-omit-frame-pointer
    -Wno-maybe-uninitialized)
  target_link_options(shmemu_flags INTERFACE -fsanitize=${SHMEMU_SANITIZER})
endif()

function(shmemu_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;TESTS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC shmemu_flags fmt::fmt ${ARG_LINK})
  set_property(GLOBAL APPEND PROPERTY SHMEMU_UNIT_TESTS ${ARG_TESTS})
  foreach(test ${ARG_TESTS})
    set_property(GLOBAL APPEND PROPERTY SHMEMU_UNIT_TEST_FILES ${CMAKE_CURRENT_SOURCE_DIR}/${test})
  endforeach()
endfunction()

# Headers that nearly every file of a large target includes, parsed once (halves its build time).
function(shmemu_precompile target)
  target_precompile_headers(${target} PRIVATE <algorithm> <functional> <map> <memory> <optional> <string> <unordered_map>
    <vector> <fmt/format.h>)
endfunction()
