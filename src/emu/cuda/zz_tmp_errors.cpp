extern "C" __attribute__((weak)) const char* cudaGetErrorString(int) { return "error"; }
extern "C" __attribute__((weak)) const char* cudaGetErrorName(int) { return "error"; }
