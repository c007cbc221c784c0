#include "ptx_parse.hpp"

#include <algorithm>

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace shmemu::plugin {
namespace {

bool is_name_char(char c) { return isAlnum(c) || c == '_' || c == '$' || c == '%'; }

/// Comments become blanks, ${0:x} becomes $0, ${:uid} disappears and $$ becomes a plain dollar sign.
std::string normalise(StringRef text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const StringRef rest = text.substr(i);
    if (rest.starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
      out += ' ';
    } else if (rest.starts_with("/*")) {
      const size_t end = text.find("*/", i);
      i = end == StringRef::npos ? text.size() : end + 1;
      out += ' ';
    } else if (rest.starts_with("$$")) {
      out += '$';
      ++i;
    } else if (rest.starts_with("${")) {
      const size_t end = text.find('}', i);
      if (end == StringRef::npos) break;
      const StringRef number = text.slice(i + 2, end).split(':').first;
      if (!number.empty()) out += "$" + number.str();
      i = end;
    } else {
      out += isSpace(text[i]) ? ' ' : text[i];
    }
  }
  return out;
}

/// Splits at top-level commas; brackets and braces keep their commas.
std::vector<std::string> split_operands(StringRef text) {
  std::vector<std::string> operands;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '{' || c == '[' || c == '(') ++depth;
    if (c == '}' || c == ']' || c == ')') --depth;
    if (c != ',' || (depth > 0 && i < text.size())) continue;
    const StringRef operand = text.slice(start, i).trim();
    if (!operand.empty()) operands.push_back(operand.str());
    start = i + 1;
  }
  return operands;
}

/// ".reg .b32 a, b<3>;"
bool parse_declaration(StringRef text, PtxProgram& program) {
  text = text.drop_front(StringRef(".reg").size()).trim();
  if (text.starts_with(".v")) return false;
  auto [type, names] = text.split(' ');
  if (!type.consume_front(".")) return false;
  for (const std::string& name : split_operands(names)) {
    const StringRef view = name;
    const size_t range = view.find('<');
    if (range == StringRef::npos) {
      program.registers.push_back({name, type.str()});
      continue;
    }
    unsigned count = 0;
    if (view.slice(range + 1, view.find('>')).getAsInteger(10, count) || count > 1024) return false;
    for (unsigned i = 0; i < count; ++i)
      program.registers.push_back({view.take_front(range).str() + std::to_string(i), type.str()});
  }
  return true;
}

bool parse_instruction(StringRef text, PtxProgram& program) {
  PtxInstruction instruction;
  instruction.text = text.str();
  if (text.consume_front("@")) {
    instruction.guard_negated = text.consume_front("!");
    const size_t end = text.find(' ');
    if (end == StringRef::npos) return false;
    instruction.guard = text.take_front(end).str();
    text = text.drop_front(end).trim();
  }
  const size_t end = std::min(text.find_first_of(" [{"), text.size());
  SmallVector<StringRef, 8> parts;
  text.take_front(end).split(parts, '.');
  instruction.opcode = parts[0].str();
  for (StringRef part : ArrayRef(parts).drop_front()) instruction.modifiers.push_back(part.str());
  instruction.operands = split_operands(text.drop_front(end));
  if (instruction.opcode.empty()) return false;
  program.code.push_back(std::move(instruction));
  return true;
}

/// Takes "name:" off the front (but not the "::" of a modifier).
std::optional<std::string> take_label(StringRef& text) {
  size_t end = 0;
  while (end < text.size() && is_name_char(text[end])) ++end;
  const StringRef rest = text.drop_front(end).ltrim();
  if (end == 0 || !rest.starts_with(":") || rest.starts_with("::")) return std::nullopt;
  std::string label = text.take_front(end).str();
  text = rest.drop_front().ltrim();
  return label;
}

}  // namespace

bool PtxInstruction::has(StringRef modifier) const { return is_contained(modifiers, modifier); }

bool PtxInstruction::has_prefix(StringRef prefix) const {
  return any_of(modifiers, [&](const std::string& m) { return StringRef(m).starts_with(prefix); });
}

StringRef PtxInstruction::one_of(std::initializer_list<const char*> candidates) const {
  for (const char* candidate : candidates)
    if (has(candidate)) return candidate;
  return "";
}

std::optional<PtxProgram> parse_ptx(StringRef asm_text) {
  const std::string text = normalise(asm_text);
  PtxProgram program;
  int depth = 0;
  for (StringRef rest = StringRef(text).trim(); !rest.empty(); rest = rest.ltrim()) {
    if (rest.consume_front(";")) continue;
    if (rest.consume_front("{")) {
      ++depth;
    } else if (rest.consume_front("}")) {
      if (--depth < 0) return std::nullopt;
    } else if (std::optional<std::string> label = take_label(rest)) {
      PtxInstruction mark;
      mark.label = *label;
      program.code.push_back(std::move(mark));
    } else {
      const size_t end = std::min(rest.find(';'), rest.size());
      StringRef statement = rest.take_front(end).trim();
      // The last instruction of a block may lack its ';'.
      if (end == rest.size() && depth > 0 && statement.ends_with("}") && !statement.contains('{'))
        statement = statement.drop_back().rtrim(), --depth;
      rest = rest.drop_front(end);
      const bool known = statement.starts_with(".reg") ? parse_declaration(statement, program)
                         : statement.starts_with(".")  ? statement.starts_with(".pragma")
                                                       : parse_instruction(statement, program);
      if (!known) return std::nullopt;
    }
  }
  return depth == 0 ? std::optional(std::move(program)) : std::nullopt;
}

std::vector<std::string> vector_elements(StringRef operand) {
  if (!operand.starts_with("{") || !operand.ends_with("}")) return {operand.str()};
  return split_operands(operand.drop_front().drop_back());
}

}  // namespace shmemu::plugin
