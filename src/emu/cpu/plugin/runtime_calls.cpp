#include "runtime_calls.hpp"

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace shmemu::plugin {
namespace {

// One letter per type, the result first: v void, i 32 bits, l 64 bits, p pointer.
struct Prototype {
  const char* name;
  const char* types;
  bool returns = true;
};
constexpr Prototype prototypes[] = {
    {"__shmemu_bar_sync", "vii"},
    {"__shmemu_bar_arrive", "vii"},
    {"__shmemu_bar_red", "iii"},
    {"__shmemu_syncwarp", "vi"},
    {"__shmemu_shfl", "liliii"},
    {"__shmemu_ballot", "iii"},
    {"__shmemu_activemask", "i"},
    {"__shmemu_match_any", "iil"},
    {"__shmemu_match_all", "iilp"},
    {"__shmemu_reduce", "iiiii"},
    {"__shmemu_poll", "vpii"},
    {"__shmemu_order", "vpii"},
    {"__shmemu_wrote", "vpii"},
    {"__shmemu_peer_load", "ipip"},
    {"__shmemu_peer_store", "ipip"},
    {"__shmemu_peer_atomic", "ipiillp"},
    {"__shmemu_touch", "vpli"},
    {"__shmemu_fence", "vi"},
    {"__shmemu_globaltimer", "l"},
    {"__shmemu_clock", "l"},
    {"__shmemu_nanosleep", "vi"},
    {"__shmemu_vprintf", "ipp"},
    {"__shmemu_malloc", "pl"},
    {"__shmemu_free", "vp"},
    {"__shmemu_trap", "v", false},
    {"__shmemu_thread_exit", "v", false},
    {"__shmemu_assert_fail", "vppip"},
    {"__shmemu_unknown_ptx", "vppi"},
    {"__shmemu_smid", "i"},
    {"__shmemu_nsmid", "i"},
    {"__shmemu_warpid", "i"},
    {"__shmemu_gridid", "i"},
    {"__shmemu_dynamic_shared_bytes", "i"},
    {"__shmemu_register_2", "vp"},
};

constexpr ContextField fields[] = {
    {"__shmemu_get_tid_x", false, 0, false},      {"__shmemu_get_tid_y", false, 4, false},
    {"__shmemu_get_tid_z", false, 8, false},      {"__shmemu_get_lane", false, 12, false},
    {"__shmemu_get_shared", false, 24, true},     {"__shmemu_get_dynamic_shared", false, 32, true},
    {"__shmemu_get_work", false, 40, true},       {"__shmemu_get_ntid_x", true, 0, false},
    {"__shmemu_get_ntid_y", true, 4, false},      {"__shmemu_get_ntid_z", true, 8, false},
    {"__shmemu_get_ctaid_x", true, 16, false},    {"__shmemu_get_ctaid_y", true, 20, false},
    {"__shmemu_get_ctaid_z", true, 24, false},    {"__shmemu_get_nctaid_x", true, 32, false},
    {"__shmemu_get_nctaid_y", true, 36, false},   {"__shmemu_get_nctaid_z", true, 40, false},
    {"__shmemu_get_heaps_begin", true, 48, true}, {"__shmemu_get_heaps_bytes", true, 56, true},
};

Type* letter_type(char letter, LLVMContext& context) {
  switch (letter) {
    case 'i':
      return Type::getInt32Ty(context);
    case 'l':
      return Type::getInt64Ty(context);
    case 'p':
      return PointerType::get(context, 0);
    default:
      return Type::getVoidTy(context);
  }
}

Function* declare_getter(Module& module, const ContextField& field) {
  LLVMContext& context = module.getContext();
  Type* result = letter_type(field.is_pointer ? 'p' : 'i', context);
  auto* function =
      cast<Function>(module.getOrInsertFunction(field.getter, FunctionType::get(result, false)).getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  function->addFnAttr(Attribute::NoSync);
  function->addFnAttr(Attribute::Speculatable);
  return function;
}

Function* declare(Module& module, const Prototype& prototype) {
  LLVMContext& context = module.getContext();
  const StringRef letters = prototype.types;
  SmallVector<Type*, 6> parameters;
  for (char letter : letters.drop_front()) parameters.push_back(letter_type(letter, context));
  auto* type = FunctionType::get(letter_type(letters[0], context), parameters, false);
  auto* function = cast<Function>(module.getOrInsertFunction(prototype.name, type).getCallee());
  function->setDoesNotThrow();
  if (!prototype.returns) function->setDoesNotReturn();
  for (const char* name : {"__shmemu_poll", "__shmemu_order", "__shmemu_wrote", "__shmemu_touch"})
    if (StringRef(prototype.name) == name) {  // the word may change meanwhile, but not through this pointer
      function->addParamAttr(0, Attribute::NoCapture);
      function->addParamAttr(0, Attribute::ReadOnly);
    }
  if (may_stop(prototype.name)) function->setConvergent();  // lanes of a warp meet at one call site: keep it one
  return function;
}

Value* convert(IRBuilderBase& builder, Value* value, Type* type) {
  if (value->getType() == type) return value;
  if (type->isIntegerTy() && value->getType()->isIntegerTy()) return builder.CreateZExtOrTrunc(value, type);
  if (type->isPointerTy()) return builder.CreateAddrSpaceCast(value, type);
  return builder.CreateBitCast(value, type);
}

}  // namespace

CallInst* call_runtime(IRBuilderBase& builder, StringRef name, ArrayRef<Value*> arguments) {
  Module& module = *builder.GetInsertBlock()->getModule();
  if (const ContextField* field = find_context_field(name)) return builder.CreateCall(declare_getter(module, *field));
  for (const Prototype& prototype : prototypes) {
    if (name != prototype.name) continue;
    Function* function = declare(module, prototype);
    SmallVector<Value*, 6> converted;
    for (auto [value, type] : zip(arguments, function->getFunctionType()->params()))
      converted.push_back(convert(builder, value, type));
    return builder.CreateCall(function, converted);
  }
  report_fatal_error("shmemu: no prototype for runtime function " + name);
}

bool may_stop(StringRef function) {
  if (function.starts_with("nvshmem")) return true;
  if (!function.starts_with("__shmemu_")) return false;
  static const StringSet<> never = {"__shmemu_vprintf",
                                    "__shmemu_touch",
                                    "__shmemu_malloc",
                                    "__shmemu_free",
                                    "__shmemu_trap",
                                    "__shmemu_assert_fail",
                                    "__shmemu_smid",
                                    "__shmemu_unknown_ptx",
                                    "__shmemu_nsmid",
                                    "__shmemu_warpid",
                                    "__shmemu_gridid",
                                    "__shmemu_register_2",
                                    "__shmemu_dynamic_shared_bytes",
                                    "__shmemu_grid_is_cooperative"};
  return !never.contains(function) && !find_context_field(function);
}

bool only_synchronises(const Function* function) {
  if (!function) return false;
  static const StringSet<> names = {
      "__shmemu_bar_sync",  "__shmemu_bar_arrive", "__shmemu_bar_red",   "__shmemu_syncwarp",    "__shmemu_shfl",
      "__shmemu_ballot",    "__shmemu_activemask", "__shmemu_match_any", "__shmemu_match_all",   "__shmemu_reduce",
      "__shmemu_grid_sync", "__shmemu_fence",      "__shmemu_clock",     "__shmemu_globaltimer", "__shmemu_nanosleep"};
  return names.contains(function->getName());
}

bool reads_clock(StringRef function) { return function == "__shmemu_clock" || function == "__shmemu_globaltimer"; }

ArrayRef<ContextField> context_fields() { return fields; }

const ContextField* find_context_field(StringRef getter) {
  if (!getter.starts_with("__shmemu_get_")) return nullptr;
  for (const ContextField& field : fields)
    if (getter == field.getter) return &field;
  return nullptr;
}

std::pair<std::string, unsigned> source_place(const Instruction* at) {
  const DILocation* location = at ? at->getDebugLoc().get() : nullptr;
  if (!location) return {"", 0};
  return {location->getFilename().str(), location->getLine()};
}

void warn(const Instruction* at, const Twine& message) {
  auto [file, line] = source_place(at);
  if (!file.empty()) errs() << file << ":" << line << ": ";
  errs() << "warning: " << message << "\n";
}

}  // namespace shmemu::plugin
