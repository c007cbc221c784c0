#include "model/event_queue.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

#include "base/random.hpp"
#include "tests/unit_support.hpp"

using namespace shmemu;

TEST_CASE("events run by time, then memory before agents, then in order of submission") {
  EventQueue queue;
  std::string order;
  queue.at(2_ns, Rank::agent, [&] { order += 'e'; });
  queue.at(1_ns, Rank::agent, [&] { order += 'c'; });
  queue.at(1_ns, Rank::memory, [&] { order += 'a'; });
  queue.at(1_ns, Rank::agent, [&] { order += 'd'; });
  queue.at(1_ns, Rank::memory, [&] { order += 'b'; });
  CHECK(queue.next_time() == 1_ns);
  while (!queue.empty()) queue.run_next();
  CHECK(order == "abcde");
  CHECK(queue.now() == 2_ns);
  CHECK(queue.processed() == 5);
  CHECK(queue.next_time() == Time::max());
}

TEST_CASE("an event may submit events for its own time and later") {
  EventQueue queue;
  std::string order;
  queue.at(1_ns, Rank::agent, [&] {
    order += '1';
    queue.at(queue.now(), Rank::agent, [&] { order += '3'; });
    queue.at(queue.now(), Rank::memory, [&] { order += '2'; });
    queue.at(5_ns, Rank::agent, [&] { order += '4'; });
  });
  while (!queue.empty()) queue.run_next();
  CHECK(order == "1234");
}

TEST_CASE("the queue refuses the past") {
  std::string text = test::abort_message([] {
    EventQueue queue;
    queue.at(2_ns, Rank::agent, [] {});
    queue.run_next();
    queue.at(1_ns, Rank::agent, [] {});
  });
  CHECK(text.find("event at 1000 ps, clock at 2000 ps") != std::string::npos);
}

TEST_CASE("ten thousand events in random order come out sorted and keep ties in order") {
  EventQueue queue;
  Random random(3);
  std::vector<std::pair<int64_t, int>> ran;
  for (int i = 0; i < 10'000; ++i) {
    Time when{static_cast<int64_t>(random.below(500))};
    queue.at(when, Rank::agent, [&ran, when, i] { ran.emplace_back(when.ps, i); });
  }
  while (!queue.empty()) queue.run_next();
  CHECK(ran.size() == 10'000);
  CHECK(std::is_sorted(ran.begin(), ran.end()));
}
