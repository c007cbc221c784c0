// Text of one asm statement -> PTX instructions. Knows the grammar, no opcode.
//
// Input is LLVM's form of the asm text: operands are $0, $1 … or ${0:x}, a literal dollar sign is $$. A statement may
// hold several instructions, { } blocks with .reg declarations, labels, guards (@p, @!p) and comments.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"

namespace shmemu::plugin {

struct PtxRegister {
  std::string name;
  std::string type;  // without the dot: "pred", "b32", "f16x2" …
};

struct PtxInstruction {
  std::string label;  // the statement is only a label when set
  std::string guard;  // predicate register, empty = always
  bool guard_negated = false;
  std::string opcode;
  std::vector<std::string> modifiers;  // the dotted parts behind the opcode
  std::vector<std::string> operands;   // trimmed text; "{a,b}", "[p+4]" and "p|q" stay one operand
  std::string text;                    // as written, for messages

  bool has(llvm::StringRef modifier) const;
  /// Some modifier begins with `prefix` ("shared" finds shared::cta).
  bool has_prefix(llvm::StringRef prefix) const;
  /// The first of `candidates` that is a modifier, else "".
  llvm::StringRef one_of(std::initializer_list<const char*> candidates) const;
};

struct PtxProgram {
  std::vector<PtxRegister> registers;
  std::vector<PtxInstruction> code;
};

/// nullopt: the braces or the statement form are not PTX.
std::optional<PtxProgram> parse_ptx(llvm::StringRef asm_text);

/// "{a, b}" -> {"a", "b"}; a plain operand gives itself.
std::vector<std::string> vector_elements(llvm::StringRef operand);

}  // namespace shmemu::plugin
