// A move-only `void()` callable with inline storage: event callbacks without an allocation per event.
// Callables above 64 bytes are refused at compile time; capture a pointer instead.
#pragma once
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace shmemu {

class Action {
 public:
  Action() = default;
  template <class F>
    requires(!std::is_same_v<std::decay_t<F>, Action>)
  Action(F&& f) {  // NOLINT: implicit, so that a lambda can be passed where an Action is due
    using T = std::decay_t<F>;
    static_assert(sizeof(T) <= sizeof(storage_), "capture less, or a pointer");
    new (storage_) T(std::forward<F>(f));
    call_ = [](void* p) { (*static_cast<T*>(p))(); };
    move_ = [](void* to, void* from) {
      if (to) new (to) T(std::move(*static_cast<T*>(from)));
      static_cast<T*>(from)->~T();
    };
  }
  Action(Action&& o) noexcept { take(o); }
  Action& operator=(Action&& o) noexcept {
    if (this != &o) reset(), take(o);
    return *this;
  }
  ~Action() { reset(); }
  void operator()() { call_(storage_); }
  explicit operator bool() const { return call_ != nullptr; }

 private:
  void take(Action& o) {
    if (o.move_) o.move_(storage_, o.storage_);
    call_ = std::exchange(o.call_, nullptr), move_ = std::exchange(o.move_, nullptr);
  }
  void reset() {
    if (move_) move_(nullptr, storage_);
    call_ = nullptr, move_ = nullptr;
  }
  alignas(std::max_align_t) std::byte storage_[64];
  void (*call_)(void*) = nullptr;
  void (*move_)(void*, void*) = nullptr;
};

}  // namespace shmemu
