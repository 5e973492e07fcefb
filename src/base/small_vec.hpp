// A vector of trivially copyable values with N of them in place: shapes, strides and operand lists
// are almost always short, and the recorder copies them several times per operation.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>
#include <span>
#include <type_traits>

namespace hassium {

template <class T, std::uint32_t N>
class SmallVec {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    using value_type = T;

    SmallVec() {}  // initializes only the size: many stay empty while recording
    SmallVec(std::initializer_list<T> values) { assign(values.begin(), values.size()); }
    explicit SmallVec(std::span<const T> values) { assign(values.data(), values.size()); }
    SmallVec(std::size_t count, T value) {
        resize(count);
        for (T& v : *this) v = value;
    }
    SmallVec(const SmallVec& other) { copy(other); }
    SmallVec(SmallVec&& other) noexcept { take(other); }
    SmallVec& operator=(const SmallVec& other) {
        if (this != &other) copy(other);
        return *this;
    }
    SmallVec& operator=(SmallVec&& other) noexcept {
        if (this != &other) {
            release();
            take(other);
        }
        return *this;
    }
    ~SmallVec() { release(); }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* data() { return in_place() ? storage_.inline_ : storage_.heap_; }
    const T* data() const { return in_place() ? storage_.inline_ : storage_.heap_; }
    T* begin() { return data(); }
    T* end() { return data() + size_; }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size_; }
    T& operator[](std::size_t i) { return data()[i]; }
    const T& operator[](std::size_t i) const { return data()[i]; }
    const T& front() const { return data()[0]; }
    T& back() { return data()[size_ - 1]; }
    const T& back() const { return data()[size_ - 1]; }
    operator std::span<const T>() const { return {data(), size_}; }

    void clear() { size_ = 0; }
    void pop_back() { --size_; }
    void push_back(T value) {
        if (size_ == capacity_) grow(size_ + 1);
        data()[size_++] = value;
    }
    void append(std::span<const T> values) {
        if (size_ + values.size() > capacity_) {
            grow(static_cast<std::uint32_t>(size_ + values.size()));
        }
        T* to = data() + size_;
        for (std::size_t i = 0; i < values.size(); ++i) to[i] = values[i];
        size_ += static_cast<std::uint32_t>(values.size());
    }
    // New elements are value-initialised.
    void resize(std::size_t count) {
        if (count > capacity_) grow(static_cast<std::uint32_t>(count));
        T* values = data();
        for (std::size_t i = size_; i < count; ++i) values[i] = T{};
        size_ = static_cast<std::uint32_t>(count);
    }
    // New elements are unwritten: for callers that write every one.
    void resize_for_overwrite(std::size_t count) {
        if (count > capacity_) grow(static_cast<std::uint32_t>(count));
        size_ = static_cast<std::uint32_t>(count);
    }
    void insert(std::size_t at, T value) {
        push_back(value);
        T* values = data();
        std::memmove(values + at + 1, values + at, (size_ - 1 - at) * sizeof(T));
        values[at] = value;
    }
    void erase(std::size_t at) {
        T* values = data();
        std::memmove(values + at, values + at + 1, (size_ - 1 - at) * sizeof(T));
        --size_;
    }
    void assign(const T* values, std::size_t count) {
        if (count > capacity_) grow(static_cast<std::uint32_t>(count));
        T* to = data();
        for (std::size_t i = 0; i < count; ++i) to[i] = values[i];  // short: avoids a memcpy call
        size_ = static_cast<std::uint32_t>(count);
    }
    friend bool operator==(const SmallVec& a, const SmallVec& b) {
        if (a.size_ != b.size_) return false;
        const T* left = a.data();
        const T* right = b.data();
        for (std::uint32_t i = 0; i < a.size_; ++i) {  // short: avoids a memcmp call
            if (left[i] != right[i]) return false;
        }
        return true;
    }

  private:
// Copies of whole in-place arrays copy unwritten elements, which are never read.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
    bool in_place() const { return capacity_ <= N; }
    // Copies whole in-place arrays: a few vector moves instead of a loop of variable length.
    void copy(const SmallVec& other) {
        if (in_place() && other.in_place()) {
            std::memcpy(&storage_, &other.storage_, sizeof storage_);
            size_ = other.size_;
        } else {
            assign(other.data(), other.size());
        }
    }
    void release() {
        if (in_place()) return;
        std::free(storage_.heap_);
        capacity_ = N;
    }
    // Requires that nothing is owned yet.
    void take(SmallVec& other) {
        std::memcpy(&storage_, &other.storage_, sizeof storage_);  // including a heap pointer
        size_ = other.size_;
        capacity_ = other.capacity_;
        other.size_ = 0;
        other.capacity_ = N;
    }
#pragma GCC diagnostic pop
    void grow(std::uint32_t least) {
        std::uint32_t capacity = capacity_ * 2 > least ? capacity_ * 2 : least;
        T* heap = static_cast<T*>(std::malloc(capacity * sizeof(T)));
        if (!heap) throw std::bad_alloc();
        std::memcpy(heap, data(), size_ * sizeof(T));
        if (!in_place()) std::free(storage_.heap_);
        storage_.heap_ = heap;
        capacity_ = capacity;
    }

    std::uint32_t size_ = 0;
    std::uint32_t capacity_ = N;  // above N: on the heap
    union Storage {
        Storage() {}  // elements start to exist as the size grows
        T inline_[N];
        T* heap_;
    } storage_;
};

// Extents or strides of one view. Four axes in place: layered and time-indexed arrays have four.
using Dims = SmallVec<std::int64_t, 4>;

inline std::int64_t element_count(std::span<const std::int64_t> shape) {
    std::int64_t n = 1;
    for (std::int64_t extent : shape) n *= extent;
    return n;
}

}  // namespace hassium
