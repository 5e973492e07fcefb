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

    SmallVec() = default;
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
    T* data() { return data_; }
    const T* data() const { return data_; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    T& back() { return data_[size_ - 1]; }
    const T& back() const { return data_[size_ - 1]; }
    operator std::span<const T>() const { return {data_, size_}; }

    void clear() { size_ = 0; }
    void pop_back() { --size_; }
    void push_back(T value) {
        if (size_ == capacity_) grow(size_ + 1);
        data_[size_++] = value;
    }
    // New elements are value-initialised.
    void resize(std::size_t count) {
        if (count > capacity_) grow(static_cast<std::uint32_t>(count));
        for (std::size_t i = size_; i < count; ++i) data_[i] = T{};
        size_ = static_cast<std::uint32_t>(count);
    }
    void insert(std::size_t at, T value) {
        push_back(value);
        std::memmove(data_ + at + 1, data_ + at, (size_ - 1 - at) * sizeof(T));
        data_[at] = value;
    }
    void erase(std::size_t at) {
        std::memmove(data_ + at, data_ + at + 1, (size_ - 1 - at) * sizeof(T));
        --size_;
    }
    void assign(const T* values, std::size_t count) {
        if (count > capacity_) grow(static_cast<std::uint32_t>(count));
        if (count) std::memcpy(data_, values, count * sizeof(T));
        size_ = static_cast<std::uint32_t>(count);
    }
    friend bool operator==(const SmallVec& a, const SmallVec& b) {
        if (a.size_ != b.size_) return false;
        for (std::uint32_t i = 0; i < a.size_; ++i) {  // short: a call of memcmp would cost more
            if (a.data_[i] != b.data_[i]) return false;
        }
        return true;
    }

  private:
    // Whole in-place arrays: a few vector moves instead of a call with a length.
    void copy(const SmallVec& other) {
        if (other.data_ == other.inline_ && data_ == inline_) {
            std::memcpy(inline_, other.inline_, sizeof inline_);
            size_ = other.size_;
        } else {
            assign(other.data(), other.size());
        }
    }
    void release() {
        if (data_ != inline_) std::free(data_);
        data_ = inline_;
        capacity_ = N;
    }
    void take(SmallVec& other) {
        size_ = other.size_;
        if (other.data_ == other.inline_) {
            std::memcpy(inline_, other.inline_, sizeof inline_);
            data_ = inline_;
            capacity_ = N;
        } else {
            data_ = other.data_;
            capacity_ = other.capacity_;
            other.data_ = other.inline_;
            other.capacity_ = N;
        }
        other.size_ = 0;
    }
    void grow(std::uint32_t least) {
        std::uint32_t capacity = capacity_ * 2 > least ? capacity_ * 2 : least;
        T* heap = static_cast<T*>(std::malloc(capacity * sizeof(T)));
        if (!heap) throw std::bad_alloc();
        std::memcpy(heap, data_, size_ * sizeof(T));
        if (data_ != inline_) std::free(data_);
        data_ = heap;
        capacity_ = capacity;
    }

    T* data_ = inline_;
    std::uint32_t size_ = 0;
    std::uint32_t capacity_ = N;
    T inline_[N] = {};
};

// Extents or strides of one view. Four axes in place: layered and time-indexed arrays have four.
using Dims = SmallVec<std::int64_t, 4>;

inline std::int64_t element_count(std::span<const std::int64_t> shape) {
    std::int64_t n = 1;
    for (std::int64_t extent : shape) n *= extent;
    return n;
}

}  // namespace hassium
