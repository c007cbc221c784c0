# Every library that shmemu uses, all from the distribution's packages. Another one needs a written reason here.
find_package(fmt REQUIRED)                               # text
find_package(yaml-cpp REQUIRED)                          # platform files
find_package(pugixml REQUIRED)                            # topologies that NCCL writes
find_package(nlohmann_json REQUIRED)                     # --json, traces
find_package(CLI11 REQUIRED)                            # command line
find_package(Boost REQUIRED COMPONENTS context)          # fibers
find_package(HDF5 REQUIRED COMPONENTS C)                # large traces
find_package(Catch2 2.13 QUIET)                          # tests
find_library(SHMEMU_SIMGRID simgrid)                     # reference network engine; optional
find_path(SHMEMU_SIMGRID_INCLUDE simgrid/s4u.hpp)
