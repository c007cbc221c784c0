#include "traces/writer.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "traces/columns.hpp"

namespace shmemu::traces {
namespace {

class TextWriter : public TraceWriter {
 public:
  explicit TextWriter(const std::filesystem::path& file) : path_(file), file_(std::fopen(file.c_str(), "w")) {
    if (!file_) fail();
  }
  void header(const Header& h) override { put(write_header(h)); }
  void line(const std::string& text) override { put(text + "\n"); }
  void lane(const Where& where, const Op& op, const Payload* payload, Time gap, const shmemu_work& work) override {
    put(write_lane(where, op, payload, gap, work));
  }
  void warp(const Where& where, const device::Work& work) override { put(write_warp(where, work)); }
  void finish() override {
    if (std::fflush(file_.get())) fail();
  }

 private:
  struct CloseFile {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  [[noreturn]] void fail() const {
    throw UserError(ExitCode::usage, fmt::format("cannot write '{}': {}", path_.string(), std::strerror(errno)));
  }
  void put(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail();
  }
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, CloseFile> file_;
};

}  // namespace

void TraceWriter::host(PeId pe, const HostEntry& entry) {
  std::string text = write_host(pe, entry);
  text.pop_back();
  line(text);
}

void TraceWriter::entry(const Entry& e) {
  switch (e.what) {
    case Entry::What::comment:
    case Entry::What::host:
      return line(e.text);
    case Entry::What::lane:
      return lane(e.where, e.lane.op, &e.lane.payload, e.lane.gap, e.lane.work);
    case Entry::What::warp:
      return warp(e.where, e.work);
  }
}

std::unique_ptr<TraceWriter> trace_writer(const std::filesystem::path& file) {
  if (file.extension() == ".h5" || file.extension() == ".hdf5") return column_writer(file);
  return std::make_unique<TextWriter>(file);
}

}  // namespace shmemu::traces
