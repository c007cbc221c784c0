# <prefix>/bin/shmemu with its headers, plugin and platforms beside it, and find_package(shmemu) for CMake projects.
include(GNUInstallDirs)
install(TARGETS shmemu RUNTIME DESTINATION bin)
install(TARGETS shmemu_gpu RUNTIME DESTINATION lib/shmemu)
install(TARGETS shmemu_clang LIBRARY DESTINATION lib/shmemu)
install(FILES ${CMAKE_BINARY_DIR}/lib/shmemu/runtime.symbols src/emu/cpu/program_start.c DESTINATION lib/shmemu)
install(DIRECTORY include/ DESTINATION include/shmemu)
install(DIRECTORY platforms/ DESTINATION share/shmemu/platforms)
install(FILES cmake/shmemuConfig.cmake DESTINATION lib/cmake/shmemu)
