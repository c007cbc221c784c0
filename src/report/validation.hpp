// Predicted beside measured: reads tables of measured rows as they were published, says which loop each row is of and
// on which machine it ran, which rows have set constants of the model, and what the errors come to. Place: under
// `shmemu validate`, which runs the loops. Knows no program's output but rows.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace shmemu::validation {

// The machine and NVSHMEM's settings that a row was measured with.
enum class Setup { nvlink, ibgda, ibgda_one_queue, proxy };

struct Row {
  std::string table;
  std::string id;    // as a constant's source would name it; empty: by its test
  std::string test;  // of loop_probe, or of nvshmem_probe if `probe`
  std::string scope = "thread";
  int pes = 2, blocks = 1, threads = 1, iterations = 50;
  uint64_t bytes = 0;
  bool probe = false, perftest = false;
  Setup setup = Setup::nvlink;
  std::string metric = "latency_us";
  double measured = 0;
  std::optional<double> predicted;
  std::string fitted_by;  // constant that the row has set; empty: none
  std::string why_not;    // it cannot be run

  // What loop_probe is asked for and answers with; of nvshmem_probe the beginning of its line.
  std::string key() const;
  double error_percent() const { return (*predicted / measured - 1) * 100; }
};

// A number of the platform with where it comes from.
struct Constant {
  std::string name, source;
};

// Rows of a file: the CSV of nvshmem_probe, of published points, of perftest results, or the text perftest prints.
// UserError(usage) if it is none of them.
std::vector<Row> read_rows(const std::filesystem::path& file);
// All constants of a GPU, host or adapter file.
std::vector<Constant> read_constants(const std::filesystem::path& file);
// The first constant whose source names the row: its id, its table (with the sizes given), or its test, scope, blocks,
// size.
std::string fitted_by(const Row& row, const std::vector<Constant>& constants);

struct Table {
  std::string name;
  std::vector<const Row*> rows;  // predicted
  size_t unfitted() const;
  // Over the rows that set no constant; over all if there are none.
  double median_error_percent() const, max_error_percent() const;
  bool fitted() const { return unfitted() == 0; }
};
std::vector<Table> tables_of(const std::vector<Row>& rows);

}  // namespace shmemu::validation
