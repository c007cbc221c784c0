// Copies and fills of rows and boxes with different pitches on both sides.
#include "check.hpp"

__global__ void number_rows(unsigned char* p, size_t pitch, int width, int rows) {
  for (int r = blockIdx.x; r < rows; r += gridDim.x)
    for (int i = threadIdx.x; i < width; i += blockDim.x) p[r * pitch + i] = (unsigned char)(r * 7 + i);
}

void rows() {
  constexpr int kWidth = 100, kRows = 13, kHostPitch = 120;
  unsigned char* device = nullptr;
  size_t pitch = 0;
  WORKS(cudaMallocPitch(&device, &pitch, kWidth, kRows));
  CHECK(pitch >= kWidth && pitch % 256 == 0);
  number_rows<<<4, 32>>>(device, pitch, kWidth, kRows);
  std::vector<unsigned char> host(kHostPitch * kRows, 0xee);
  WORKS(cudaMemcpy2D(host.data(), kHostPitch, device, pitch, kWidth, kRows, cudaMemcpyDeviceToHost));
  bool good = true;
  for (int r = 0; r < kRows; ++r)
    for (int i = 0; i < kHostPitch; ++i)
      good = good && host[r * kHostPitch + i] == (i < kWidth ? (unsigned char)(r * 7 + i) : 0xee);
  CHECK(good);

  // fill an inner rectangle, then back and forth by a stream
  WORKS(cudaMemset2D(device + 2 * pitch + 10, pitch, 0x55, 20, 5));
  cudaStream_t stream;
  WORKS(cudaStreamCreate(&stream));
  unsigned char* second = nullptr;
  size_t second_pitch = 0;
  WORKS(cudaMallocPitch(&second, &second_pitch, 600, kRows));
  CHECK(second_pitch > pitch);
  WORKS(cudaMemset2DAsync(second, second_pitch, 0, 600, kRows, stream));
  WORKS(cudaMemcpy2DAsync(second + 5, second_pitch, device, pitch, kWidth, kRows, cudaMemcpyDeviceToDevice, stream));
  WORKS(cudaMemcpy2DAsync(host.data(), kHostPitch, second + 5, second_pitch, kWidth, kRows, cudaMemcpyDefault, stream));
  WORKS(cudaStreamSynchronize(stream));
  good = true;
  for (int r = 0; r < kRows; ++r)
    for (int i = 0; i < kWidth; ++i) {
      bool filled = r >= 2 && r < 7 && i >= 10 && i < 30;
      good = good && host[r * kHostPitch + i] == (filled ? 0x55 : (unsigned char)(r * 7 + i));
    }
  CHECK(good);
  WORKS(cudaStreamDestroy(stream));
  WORKS(cudaFree(device));
  WORKS(cudaFree(second));
}

void boxes() {
  constexpr size_t kX = 24, kY = 6, kZ = 4;
  cudaPitchedPtr device;
  WORKS(cudaMalloc3D(&device, make_cudaExtent(kX, kY, kZ)));
  CHECK(device.pitch >= kX && device.xsize == kX && device.ysize == kY);
  WORKS(cudaMemset3D(device, 0x11, make_cudaExtent(kX, kY, kZ)));
  std::vector<unsigned char> from(kX * kY * kZ), to(kX * kY * kZ, 0);
  for (size_t i = 0; i < from.size(); ++i) from[i] = (unsigned char)(i * 5 + 1);

  // an inner box of 8 x 3 x 2 at (4, 2, 1) of the host goes to (1, 1, 2) of the device
  cudaMemcpy3DParms p = {};
  p.srcPtr = make_cudaPitchedPtr(from.data(), kX, kX, kY);
  p.srcPos = make_cudaPos(4, 2, 1);
  p.dstPtr = device;
  p.dstPos = make_cudaPos(1, 1, 2);
  p.extent = make_cudaExtent(8, 3, 2);
  p.kind = cudaMemcpyHostToDevice;
  WORKS(cudaMemcpy3D(&p));
  cudaMemcpy3DParms back = {};
  back.srcPtr = device;
  back.dstPtr = make_cudaPitchedPtr(to.data(), kX, kX, kY);
  back.extent = make_cudaExtent(kX, kY, kZ);
  back.kind = cudaMemcpyDeviceToHost;
  WORKS(cudaMemcpy3DAsync(&back, 0));
  WORKS(cudaDeviceSynchronize());
  bool good = true;
  for (size_t z = 0; z < kZ; ++z)
    for (size_t y = 0; y < kY; ++y)
      for (size_t x = 0; x < kX; ++x) {
        bool inside = z >= 2 && z < 4 && y >= 1 && y < 4 && x >= 1 && x < 9;
        unsigned char expected = inside ? from[((z - 1) * kY + y + 1) * kX + x + 3] : 0x11;
        good = good && to[(z * kY + y) * kX + x] == expected;
      }
  CHECK(good);
  WORKS(cudaMemset3DAsync(device, 0, make_cudaExtent(kX, 2, kZ), 0));  // two rows of every slice
  WORKS(cudaMemcpy3D(&back));
  CHECK(to[0] == 0 && to[kX * 2 - 1] == 0 && to[kX * 2] == 0x11 && to[kX * kY] == 0 && to[kX * kY + kX * 2] == 0x11);
  WORKS(cudaFree(device.ptr));
}

int main() {
  rows();
  boxes();
  char* device = nullptr;
  char host[512] = {};
  WORKS(cudaMalloc(&device, 256));
  GIVES(cudaErrorInvalidPitchValue, cudaMemcpy2D(device, 32, host, 128, 64, 4, cudaMemcpyHostToDevice));
  GIVES(cudaErrorInvalidPitchValue, cudaMemcpy2D(device, 64, host, 32, 64, 4, cudaMemcpyHostToDevice));
  WORKS(cudaMemcpy2D(device, 64, host, 32, 64, 0, cudaMemcpyHostToDevice));
  GIVES(cudaErrorInvalidValue, cudaMemset2D(device, 32, 0, 64, 4));
  return finish();
}
