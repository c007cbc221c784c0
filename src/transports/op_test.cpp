#include "transports/op.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <string>

using namespace shmemu;

TEST_CASE("every kind of operation has a name of its own") {
  std::set<std::string_view> names;
  for (int k = 0; k < static_cast<int>(OpKind::count_); ++k) {
    CHECK_FALSE(name_of(static_cast<OpKind>(k)).empty());
    names.insert(name_of(static_cast<OpKind>(k)));
  }
  CHECK(names.size() == static_cast<size_t>(OpKind::count_));
  CHECK(name_of(OpKind::host_work) == "host_work");
  CHECK(name_of(OpKind::put_signal) == "put_signal");
}

TEST_CASE("posted operations are the writes without a result") {
  for (OpKind k : {OpKind::put, OpKind::p, OpKind::iput, OpKind::put_signal, OpKind::signal, OpKind::atomic})
    CHECK(is_posted(k));
  for (OpKind k : {OpKind::none, OpKind::get, OpKind::g, OpKind::fetch, OpKind::wait, OpKind::quiet, OpKind::barrier,
                   OpKind::exit})
    CHECK_FALSE(is_posted(k));
}

TEST_CASE("a payload keeps its bytes when it moves, small or large") {
  for (size_t bytes : {0u, 1u, 16u, 17u, 1000u}) {
    std::string text(bytes, 'x');
    for (size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>('a' + i % 26);
    Payload a(text.data(), bytes);
    Payload b = std::move(a);
    CHECK(b.size() == bytes);
    CHECK(std::string(reinterpret_cast<const char*>(b.data()), bytes) == text);
  }
}
