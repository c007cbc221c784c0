// Watches a run for a checker of programs: who issues what, who learns what by which means, what arrives where. Called
// by the Machine in the order in which things take effect. A witness changes nothing: with and without one a run takes
// the same virtual times (it may number an Op, which nobody else looks at).
#pragma once
#include <vector>

#include "device/grid.hpp"
#include "device/stream.hpp"

namespace shmemu::device {

class Witness {
 public:
  virtual ~Witness() = default;
  // `op` of an actor, in program order: posted, or where it stops. Requests of a warp or block come once more, as
  // `requested`, when all threads have come.
  virtual void issued(Actor& actor, Op& op) = 0;
  virtual void requested(const std::vector<Lane*>& group, Op& op) = 0;
  // The actor goes on behind actor.stop.
  virtual void resumes(Actor& actor) = 0;
  // Bytes of one piece were written to, or read at, the target.
  virtual void delivered(const Op& op) = 0;

  // Threads that meet: a lane comes to a barrier; lanes leave it; lanes meet without one (warp operations, grids).
  virtual void arrived(Cta& cta, int barrier, Lane& lane) = 0;
  virtual void left(Cta& cta, int barrier, const std::vector<Lane*>& lanes) = 0;
  virtual void met(const std::vector<Lane*>& lanes) = 0;

  // Streams and kernels. A grid starts while its command begins.
  virtual void submitted(Host& host, const Command& command) = 0;
  virtual void follows(const Command& command, const Command& earlier) = 0;
  virtual void began(const Command& command) = 0;
  virtual void finished(const Command& command) = 0;
  virtual void awaits(Host& host, const Command& command) = 0;
  virtual void started(const Grid& grid) = 0;
  virtual void ended(const Cta& cta) = 0;
};

}  // namespace shmemu::device
