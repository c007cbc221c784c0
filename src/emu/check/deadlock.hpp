// What a deadlock breaks: the report of the Machine says who waits for what, this names the rule and its two places.
#pragma once

namespace shmemu::emu {

class World;

// Adds findings sync.never, coll.participation and launch.not-coresident. Called when nothing can move any more.
void explain_deadlock(World& world);

}  // namespace shmemu::emu
