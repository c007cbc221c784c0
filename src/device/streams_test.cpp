// Order of commands: CUDA programming guide, streams and the legacy default stream.
#include <catch2/catch.hpp>

#include "tests/device_fakes.hpp"

using namespace shmemu;
using namespace shmemu::device;
using test::Rig;

namespace {

struct Three {
  Stream null, a, b, free;  // the legacy default stream, two blocking ones, one that is not
  std::vector<Stream*> all{&null, &a, &b, &free};
  Three() {
    a.number = 1, b.number = 2, free.number = 3;
    free.blocking = false;
  }
};

Rig::Ran ran(const Rig& rig, const std::string& name) {
  for (const auto& r : rig.commands)
    if (r.name == name) return r;
  FAIL("command " << name << " has not run");
  return {};
}

// One host step that submits commands, then the run.
std::unique_ptr<Rig> run(const std::function<void(Rig&, Host&, Three&)>& submit) {
  auto rig = std::make_unique<Rig>(1);
  auto streams = std::make_shared<Three>();
  rig->hosts.steps[0] = {[&, r = rig.get()](Host& h) {
    submit(*r, h, *streams);
    h.stop.kind = OpKind::host_work;
  }};
  rig->machine.run();
  return rig;
}

}  // namespace

TEST_CASE("streams: commands of one stream follow each other") {
  auto rig = run([](Rig& r, Host& h, Three& s) {
    r.busy(h, s.a, s.all, "first", 5_us);
    r.busy(h, s.a, s.all, "second", 3_us);
  });
  CHECK(ran(*rig, "first").from == Time{});
  CHECK(ran(*rig, "second").from == 5_us);
  CHECK(ran(*rig, "second").to == 8_us);
}

TEST_CASE("streams: different streams run side by side") {
  auto rig = run([](Rig& r, Host& h, Three& s) {
    r.busy(h, s.a, s.all, "a", 5_us);
    r.busy(h, s.b, s.all, "b", 5_us);
    r.busy(h, s.free, s.all, "free", 5_us);
  });
  for (const char* name : {"a", "b", "free"}) CHECK(ran(*rig, name).from == Time{});
}

TEST_CASE("streams: the default stream waits for blocking streams, and they for it") {
  auto rig = run([](Rig& r, Host& h, Three& s) {
    r.busy(h, s.a, s.all, "a1", 5_us);
    r.busy(h, s.null, s.all, "null", 2_us);
    r.busy(h, s.b, s.all, "b", 1_us);
    r.busy(h, s.a, s.all, "a2", 1_us);
  });
  CHECK(ran(*rig, "null").from == 5_us);
  CHECK(ran(*rig, "b").from == 7_us);  // although its own stream was idle
  CHECK(ran(*rig, "a2").from == 7_us);
}

TEST_CASE("streams: a non-blocking stream and the default stream do not wait for each other") {
  auto rig = run([](Rig& r, Host& h, Three& s) {
    r.busy(h, s.free, s.all, "free1", 5_us);
    r.busy(h, s.null, s.all, "null", 2_us);
    r.busy(h, s.free, s.all, "free2", 1_us);
  });
  CHECK(ran(*rig, "null").from == Time{});
  CHECK(ran(*rig, "free2").from == 5_us);
}

TEST_CASE("streams: an event orders commands of different streams") {
  auto rig = run([](Rig& r, Host& h, Three& s) {
    CommandRef event = r.busy(h, s.a, s.all, "recorded", 5_us);
    r.busy(h, s.b, s.all, "after", 1_us, {event});
    r.busy(h, s.b, s.all, "next", 1_us);
  });
  CHECK(ran(*rig, "after").from == 5_us);
  CHECK(ran(*rig, "next").from == 6_us);
}

TEST_CASE("streams: a command starts at its submission, not before") {
  auto rig = run([](Rig& r, Host& h, Three& s) {
    r.busy(h, s.a, s.all, "early", 1_us);
    h.gap += 9_us;  // the host computes
    r.busy(h, s.a, s.all, "late", 1_us);
  });
  CHECK(ran(*rig, "late").from == 9_us);
}

TEST_CASE("streams: a host that synchronises goes on when the command has ended") {
  Time after, again;
  Rig rig(1);
  Three s;
  CommandRef command;
  rig.hosts.steps[0] = {[&](Host& h) {
                          command = rig.busy(h, s.a, s.all, "work", 5_us);
                          rig.wait_for(h, command);
                        },
                        [&](Host& h) {
                          after = h.time;
                          rig.wait_for(h, command);
                        },
                        [&](Host& h) {
                          again = h.time;
                          h.stop.kind = OpKind::exit;
                        }};
  rig.machine.run();
  const HostModel& host = test::h200_node().host;
  CHECK(after == 5_us + host.sync_return);
  CHECK(again == after + host.api_call);  // it had ended long before
}

TEST_CASE("streams: kernels of different streams share the GPU") {
  Rig rig(1);
  Three s;
  auto step = [](Lane&, int n) -> std::optional<Op> {
    if (n > 0) return std::nullopt;
    Op op = test::op_of(OpKind::sleep);
    op.value = 10'000'000;  // 10 µs
    return op;
  };
  auto kernel = std::make_shared<test::ScriptedKernel>(step);
  Launch shape;
  shape.block.x = 32;
  rig.hosts.steps[0] = {[&](Host& h) {
    shape.name = "a";
    rig.launch(h, s.a, shape, kernel, s.all);
    shape.name = "b";
    rig.launch(h, s.b, shape, kernel, s.all);
    h.stop.kind = OpKind::host_work;
  }};
  rig.machine.run();
  CHECK(kernel->most_resident == 2);
  CHECK(ran(rig, "a").to == ran(rig, "b").to);
}
