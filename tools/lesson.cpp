#include "lesson.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "model/yaml_section.hpp"

namespace shmemu::tools {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> lessons_of(const fs::path& course) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (auto& entry : fs::directory_iterator(course, ignored))
    if (fs::exists(entry.path() / "lesson.yaml")) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

fs::path find_folder(const fs::path& course, const std::string& name) {
  if (fs::exists(fs::path(name) / "lesson.yaml")) return name;
  std::string known;
  for (const fs::path& folder : lessons_of(course)) {
    std::string whole = folder.filename().string();  // "02-put-get"
    size_t dash = whole.find('-');
    std::string number = whole.substr(0, dash);
    if (name == whole || name == whole.substr(dash + 1) || name == number || "0" + name == number) return folder;
    known += (known.empty() ? "" : ", ") + whole;
  }
  throw UserError(ExitCode::usage,
                  fmt::format("no lesson '{}'; {}", name,
                              known.empty() ? "no course at " + course.string() : "there are " + known));
}

struct Reader {
  fs::path file;

  template <class T>
  T value(const YAML::Node& node, const char* what) const {
    try {
      return node.as<T>();
    } catch (const YAML::Exception&) {
      refuse(file, node, fmt::format("expected {}", what));
    }
  }

  YAML::Node need(const YAML::Node& map, const char* key) const {
    if (YAML::Node found = map[key]) return found;
    refuse(file, map, fmt::format("'{}' is missing", key));
  }

  LessonRun run(const YAML::Node& node) const {
    refuse_unknown(node, file, {"pes", "pes_per_node", "seeds", "prints", "at_most"});
    LessonRun r;
    r.pes = value<int>(need(node, "pes"), "a number of PEs");
    if (node["pes_per_node"]) r.pes_per_node = value<int>(node["pes_per_node"], "a number of PEs");
    if (node["seeds"]) r.seeds = value<std::vector<uint64_t>>(node["seeds"], "a list of seeds");
    r.prints = value<std::vector<std::string>>(need(node, "prints"), "a list of lines");
    std::sort(r.prints.begin(), r.prints.end());
    if (YAML::Node time = node["at_most"]) {
      if (!time.IsSequence() || time.size() != 2 || value<std::string>(time[1], "a unit") != "us")
        refuse(file, time, "'at_most' is [number, us]");
      r.at_most = Time::from_us(value<double>(time[0], "a number"));
    }
    return r;
  }
};

}  // namespace

Lesson load_lesson(const fs::path& course, const std::string& name) {
  Lesson lesson;
  lesson.folder = find_folder(course, name);
  Reader reader{lesson.folder / "lesson.yaml"};
  YAML::Node root = load_yaml(reader.file);
  refuse_unknown(root, reader.file, {"title", "platform", "runs", "allowed_findings", "when_slow", "wrong"});
  lesson.title = reader.value<std::string>(reader.need(root, "title"), "text");
  if (root["platform"]) lesson.platform = reader.value<std::string>(root["platform"], "the name of a platform");
  for (const YAML::Node& node : reader.need(root, "runs")) lesson.runs.push_back(reader.run(node));
  if (root["allowed_findings"])
    lesson.allowed_findings = reader.value<std::vector<std::string>>(root["allowed_findings"], "a list of rules");
  if (root["when_slow"]) lesson.when_slow = reader.value<std::string>(root["when_slow"], "text");
  for (const YAML::Node& node : root["wrong"]) {
    refuse_unknown(node, reader.file, {"file", "says"});
    lesson.wrong.push_back({reader.value<std::string>(reader.need(node, "file"), "a path"),
                            reader.value<std::string>(reader.need(node, "says"), "text")});
  }
  return lesson;
}

}  // namespace shmemu::tools
