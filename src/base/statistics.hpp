// What tables of errors say.
#pragma once
#include <vector>

namespace shmemu {

// Of an even number of values the mean of the two in the middle; 0 if there are none.
double median(std::vector<double> values);

}  // namespace shmemu
