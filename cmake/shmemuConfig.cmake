# find_package(shmemu): programs for emulation in a CMake project.
#
#   shmemu_add_executable(name sources…) builds bin/name with `shmemu cc`; run it with `shmemu run -n N bin/name`.
# Extra flags: the variable SHMEMU_FLAGS, or the target property of the same name set before the call as a list.
get_filename_component(SHMEMU_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_program(SHMEMU_EXECUTABLE shmemu HINTS ${SHMEMU_PREFIX}/bin REQUIRED)
set(SHMEMU_INCLUDE_DIR ${SHMEMU_PREFIX}/include/shmemu)

function(shmemu_add_executable name)
  set(objects)
  set(program ${CMAKE_CURRENT_BINARY_DIR}/bin/${name})
  foreach(source ${ARGN})
    get_filename_component(path ${source} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    get_filename_component(stem ${source} NAME)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir/${stem}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir
      COMMAND ${SHMEMU_EXECUTABLE} cc ${SHMEMU_FLAGS} -MMD -MF ${object}.d -MT ${object} -c ${path} -o ${object}
      DEPENDS ${path} ${SHMEMU_EXECUTABLE} DEPFILE ${object}.d COMMENT "shmemu cc ${source}" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  add_custom_command(OUTPUT ${program}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/bin
    COMMAND ${SHMEMU_EXECUTABLE} cc ${objects} -o ${program}
    DEPENDS ${objects} COMMENT "shmemu cc -o ${name}" VERBATIM)
  add_custom_target(${name} ALL DEPENDS ${program})
endfunction()
