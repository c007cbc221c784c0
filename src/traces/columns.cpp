#include "traces/columns.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "traces/column_file.hpp"

namespace shmemu::traces {
namespace {

using Type = ColumnFile::Type;

enum Col : size_t {
  pe,
  kernel,
  block,
  thread,
  kind,
  scope,
  nbi,
  type,
  function,
  flags,
  signal_op,
  target,
  site,
  remote,
  local,
  bytes,
  value,
  compare,
  signal,
  qp,
  elements,
  remote_stride,
  local_stride,
  gap,
  slots,
  cycles,
  loads,
  moved,
  touched,
  data_bytes,
  count
};
struct Named {
  const char* name;
  Type type;
};
constexpr std::array<Named, Col::count> kColumns{{
    {"pe", Type::u32},           {"kernel", Type::u32},        {"block", Type::u32},        {"thread", Type::u32},
    {"kind", Type::u8},          {"scope", Type::u8},          {"nbi", Type::u8},           {"type", Type::u8},
    {"function", Type::u8},      {"flags", Type::u8},          {"signal_op", Type::u8},     {"target", Type::i32},
    {"site", Type::u64},         {"remote", Type::u64},        {"local", Type::u64},        {"bytes", Type::u64},
    {"value", Type::u64},        {"compare", Type::u64},       {"signal", Type::u64},       {"qp", Type::u32},
    {"elements", Type::u64},     {"remote_stride", Type::i64}, {"local_stride", Type::i64}, {"gap", Type::i64},
    {"work_slots", Type::u64},   {"work_cycles", Type::u64},   {"work_loads", Type::u64},   {"work_bytes", Type::u64},
    {"work_touched", Type::u64}, {"data_bytes", Type::u8},
}};
static_assert(sizeof(Op) == 112, "a new field of Op needs a column here and a name in format.cpp and reader.cpp");
constexpr uint64_t kWarp = 255;  // `kind` of a row that is the work of a warp
constexpr uint64_t kRows = ColumnFile::kChunk;

uint64_t bits(int64_t v) { return static_cast<uint64_t>(v); }

// Names of kinds by number, so that a later version may number them otherwise.
std::string kind_names() {
  std::string out;
  for (int k = 0; k < static_cast<int>(OpKind::count_); ++k) {
    if (k) out += ',';
    out += name_of(static_cast<OpKind>(k));
  }
  return out;
}

class ColumnWriter : public TraceWriter {
 public:
  explicit ColumnWriter(const std::filesystem::path& file) : file_(ColumnFile::create(file)) {
    for (size_t c = 0; c < Col::count; ++c) columns_[c] = file_.column(kColumns[c].name, kColumns[c].type);
    data_column_ = file_.column("data", Type::u8);
    text_column_ = file_.column("lines", Type::u8);
    before_column_ = file_.column("line_after_rows", Type::u64);
  }
  void header(const Header& h) override {
    file_.set("shmemu_trace", uint64_t{kVersion});
    file_.set("program", h.program);
    file_.set("platform", h.platform);
    file_.set("pes", bits(h.pes));
    file_.set("gpus", bits(h.gpus));
    file_.set("heap_base", h.heap_base);
    file_.set("heap_stride", h.heap_stride);
    file_.set("kinds", kind_names());
  }
  void line(const std::string& text) override {
    for (char c : text) text_.push_back(static_cast<unsigned char>(c));
    text_.push_back('\n');
    before_.push_back(row_);
    if (text_.size() >= kRows) flush_lines();
  }
  void lane(const Where& where, const Op& op, const Payload* payload, Time since, const shmemu_work& work) override {
    std::array<uint64_t, Col::count> r{};
    r[pe] = bits(where.pe), r[kernel] = where.kernel, r[block] = where.block, r[thread] = where.thread;
    r[kind] = static_cast<uint64_t>(op.kind), r[scope] = static_cast<uint64_t>(op.scope), r[nbi] = op.nbi;
    r[type] = op.type, r[function] = op.function, r[flags] = op.flags, r[signal_op] = op.signal_op;
    r[target] = bits(op.target.value), r[site] = op.site, r[remote] = op.remote, r[local] = op.local;
    r[bytes] = op.bytes, r[value] = op.value, r[compare] = op.compare, r[signal] = op.signal;
    r[qp] = op.qp, r[elements] = op.elements, r[remote_stride] = bits(op.remote_stride),
    r[local_stride] = bits(op.local_stride);
    r[gap] = bits(since.ps), r[slots] = work.quarter_slots, r[cycles] = work.cycles, r[loads] = work.quarter_loads;
    r[moved] = work.bytes, r[touched] = work.touched;
    if (payload && payload->size() <= kMostPayload) {
      r[data_bytes] = payload->size();
      for (uint64_t i = 0; i < payload->size(); ++i) data_.push_back(static_cast<uint64_t>(payload->data()[i]));
    }
    add(r);
  }
  void warp(const Where& where, const device::Work& work) override {
    std::array<uint64_t, Col::count> r{};
    r[pe] = bits(where.pe), r[kernel] = where.kernel, r[block] = where.block, r[thread] = where.thread;
    r[kind] = kWarp, r[slots] = work.quarter_slots, r[cycles] = work.cycles, r[loads] = work.quarter_loads;
    r[moved] = work.bytes;
    add(r);
  }
  void finish() override {
    flush_rows();
    flush_lines();
    file_.set("rows", row_);  // last: a trace without it was not finished
    file_.close();
  }

 private:
  void add(const std::array<uint64_t, Col::count>& r) {
    for (size_t c = 0; c < Col::count; ++c) rows_[c].push_back(r[c]);
    ++row_;
    if (rows_[0].size() == kRows) flush_rows();
  }
  void flush_rows() {
    if (!rows_[0].empty())
      for (size_t c = 0; c < Col::count; ++c) file_.append(columns_[c], rows_[c]), rows_[c].clear();
    if (!data_.empty()) file_.append(data_column_, data_), data_.clear();
  }
  void flush_lines() {
    if (text_.empty()) return;
    file_.append(text_column_, text_), text_.clear();
    file_.append(before_column_, before_), before_.clear();
  }
  ColumnFile file_;
  std::array<int, Col::count> columns_{};
  int data_column_ = 0, text_column_ = 0, before_column_ = 0;
  std::array<std::vector<uint64_t>, Col::count> rows_;
  std::vector<uint64_t> data_, text_, before_;
  uint64_t row_ = 0;
};

class ColumnReader : public TraceReader {
 public:
  explicit ColumnReader(const std::filesystem::path& file) : TraceReader(file), file_(ColumnFile::open(file)) {
    if (!file_.has("shmemu_trace")) refuse("HDF5, but no trace of shmemu: attribute 'shmemu_trace' is missing");
    if (uint64_t version = file_.number("shmemu_trace"); version != kVersion)
      refuse(fmt::format("version {}, this shmemu reads {}", version, kVersion));
    if (!file_.has("rows")) refuse("the file is truncated: its recording was not finished");
    rows_ = file_.number("rows");
    header_ = {file_.text("program"), file_.text("platform"),    whole("pes"),
               whole("gpus"),         file_.number("heap_base"), file_.number("heap_stride")};
    if (header_.pes < 1) refuse("no PEs");
    read_kinds();
    for (size_t c = 0; c < Col::count; ++c) {
      columns_[c] = file_.column(kColumns[c].name, kColumns[c].type);
      if (file_.rows(columns_[c]) != rows_)
        refuse(fmt::format("column '{}' has {} rows, the trace {}", kColumns[c].name, file_.rows(columns_[c]), rows_));
    }
    data_column_ = file_.column("data", Type::u8);
    read_lines();
  }
  double done() const override { return rows_ ? static_cast<double>(row_) / static_cast<double>(rows_) : 1; }
  std::vector<std::vector<HostEntry>> hosts() override {
    std::vector<std::vector<HostEntry>> out(static_cast<size_t>(header_.pes));
    std::vector<bool> ended(out.size(), false);
    for (size_t i = 0; i < lines_.size(); ++i)
      if (Entry e = line(i); e.what == Entry::What::host) {
        auto host = static_cast<size_t>(e.where.pe);
        ended[host] = !e.host.submit && e.host.op.kind == OpKind::exit;
        out[host].push_back(std::move(e.host));
      }
    check_ends(ended);
    return out;
  }

 protected:
  bool read(Entry& e) override {
    if (next_line_ < lines_.size() && before_[next_line_] <= row_) {
      e = line(next_line_++);
      return true;
    }
    if (row_ == rows_) return false;
    if (row_ == first_ + held_) fetch();
    size_t i = static_cast<size_t>(row_ - first_);
    auto at = [&](Col c) { return block_[c][i]; };
    e = {};
    e.where = {static_cast<int>(at(pe)), static_cast<uint32_t>(at(kernel)), static_cast<uint32_t>(at(block)),
               static_cast<uint32_t>(at(thread))};
    if (at(pe) >= static_cast<uint64_t>(header_.pes)) refuse_row(fmt::format("PE {} of {}", at(pe), header_.pes));
    if (at(kind) == kWarp) {
      e.what = Entry::What::warp;
      e.work = {at(slots), at(cycles), at(loads), at(moved)};
    } else {
      e.what = Entry::What::lane;
      read_lane(e.lane, at);
    }
    ++row_;
    return true;
  }

 private:
  template <class At>
  void read_lane(LaneEntry& lane, At at) {
    if (at(kind) >= kinds_.size()) refuse_row(fmt::format("unknown operation {}", at(kind)));
    if (at(target) >= static_cast<uint64_t>(header_.pes))
      refuse_row(fmt::format("target PE {} of {}", static_cast<int64_t>(at(target)), header_.pes));
    Op& op = lane.op;
    op.kind = kinds_[at(kind)], op.scope = static_cast<Scope>(at(scope)), op.nbi = at(nbi) != 0;
    op.type = static_cast<uint8_t>(at(type)), op.function = static_cast<uint8_t>(at(function));
    op.flags = static_cast<uint8_t>(at(flags)), op.signal_op = static_cast<uint8_t>(at(signal_op));
    op.issuer = {static_cast<int>(at(pe))}, op.target = {static_cast<int>(at(target))};
    op.site = at(site), op.remote = at(remote), op.local = at(local), op.bytes = at(bytes), op.value = at(value);
    op.compare = at(compare), op.signal = at(signal), op.elements = at(elements);
    op.qp = static_cast<uint32_t>(at(qp));
    op.remote_stride = static_cast<int64_t>(at(remote_stride)),
    op.local_stride = static_cast<int64_t>(at(local_stride));
    lane.gap = {static_cast<int64_t>(at(gap))};
    auto narrow = [](uint64_t n) { return static_cast<uint32_t>(n); };
    lane.work = {narrow(at(slots)), narrow(at(cycles)), narrow(at(loads)), narrow(at(moved)), at(touched)};
    if (uint64_t n = at(data_bytes)) {
      if (n > kMostPayload || data_at_ + n > data_.size()) refuse_row(fmt::format("{} bytes of data are missing", n));
      std::array<std::byte, kMostPayload> some;
      for (uint64_t b = 0; b < n; ++b) some[b] = static_cast<std::byte>(data_[data_at_ + b]);
      data_at_ += n;
      lane.payload = Payload(some.data(), n);
    }
  }
  void fetch() {
    first_ = row_, held_ = std::min(kRows, rows_ - row_);
    for (size_t c = 0; c < Col::count; ++c) {
      block_[c].resize(held_);
      file_.read(columns_[c], first_, held_, block_[c].data());
    }
    uint64_t n = 0;
    for (uint64_t b : block_[data_bytes]) n += b;
    if (data_first_ + n > file_.rows(data_column_))
      refuse(fmt::format("rows {} to {}: column 'data' ends too early", first_, first_ + held_ - 1));
    data_.resize(n), data_at_ = 0;
    file_.read(data_column_, data_first_, n, data_.data());
    data_first_ += n;
  }
  void read_lines() {
    int text = file_.column("lines", Type::u8), before = file_.column("line_after_rows", Type::u64);
    std::vector<uint64_t> part;
    std::string line;
    for (uint64_t at = 0; at < file_.rows(text); at += part.size()) {
      part.resize(std::min(kRows, file_.rows(text) - at));
      file_.read(text, at, part.size(), part.data());
      for (uint64_t c : part) {
        if (c != '\n') {
          line.push_back(static_cast<char>(c));
          continue;
        }
        lines_.push_back(std::move(line));
        line.clear();
      }
    }
    if (!line.empty() || file_.rows(before) != lines_.size())
      refuse(fmt::format("{} lines of hosts, positions of {}", lines_.size(), file_.rows(before)));
    before_.resize(lines_.size());
    file_.read(before, 0, before_.size(), before_.data());
  }
  Entry line(size_t i) {
    try {
      return parse_line(lines_[i], header_);
    } catch (const std::exception& e) {
      refuse(fmt::format("line {} of its hosts: not a trace line: {}", i + 1, e.what()));
    }
  }
  void read_kinds() {
    std::string names = file_.text("kinds");
    for (size_t from = 0; from <= names.size();) {
      size_t to = std::min(names.find(',', from), names.size());
      std::string name = names.substr(from, to - from);
      int k = 0;
      while (k < static_cast<int>(OpKind::count_) && name_of(static_cast<OpKind>(k)) != name) ++k;
      if (k == static_cast<int>(OpKind::count_)) refuse(fmt::format("unknown operation '{}'", name));
      kinds_.push_back(static_cast<OpKind>(k));
      from = to + 1;
    }
  }
  int whole(const std::string& name) {
    uint64_t n = file_.number(name);
    if (n > 1u << 30) refuse(fmt::format("attribute '{}' is {}", name, n));
    return static_cast<int>(n);
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw UserError(ExitCode::usage, fmt::format("{}: {}", path_.string(), why));
  }
  [[noreturn]] void refuse_row(const std::string& why) const { refuse(fmt::format("row {}: {}", row_, why)); }

  ColumnFile file_;
  std::array<int, Col::count> columns_{};
  int data_column_ = 0;
  std::vector<OpKind> kinds_;
  std::vector<std::string> lines_;
  std::vector<uint64_t> before_;
  size_t next_line_ = 0;
  uint64_t rows_ = 0, row_ = 0, first_ = 0, held_ = 0;
  std::array<std::vector<uint64_t>, Col::count> block_;
  std::vector<uint64_t> data_;
  uint64_t data_first_ = 0, data_at_ = 0;
};

}  // namespace

std::unique_ptr<TraceWriter> column_writer(const std::filesystem::path& file) {
  return std::make_unique<ColumnWriter>(file);
}

std::unique_ptr<TraceReader> column_reader(const std::filesystem::path& file) {
  return std::make_unique<ColumnReader>(file);
}

}  // namespace shmemu::traces
