#include "debug_frames.hpp"

#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace shmemu::plugin {

DebugLoc add_debug_frame(Function& made, const Function& kernel) {
  DISubprogram* source = kernel.getSubprogram();
  if (!source) return {};
  DIBuilder builder(*made.getParent(), /*AllowUnresolved=*/false, source->getUnit());
  DISubroutineType* type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
  DISubprogram* frame = builder.createFunction(source->getFile(), source->getName(), made.getName(), source->getFile(),
                                               source->getLine(), type, source->getLine(), DINode::FlagArtificial,
                                               DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized);
  builder.finalizeSubprogram(frame);
  made.setSubprogram(frame);
  return DILocation::get(made.getContext(), source->getLine(), 0, frame);
}

}  // namespace shmemu::plugin
