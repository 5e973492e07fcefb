#include "bind/value_uses.hpp"

#include <unordered_map>

#include "base/settings.hpp"
#include "bind/array_parts.hpp"
#include "bind/stack_temporary.hpp"

namespace hassium {
namespace {

// As hassium/_uses.py names them.
enum class Maker : std::uint8_t { Other, Operator, Call };
enum class Use : std::uint8_t { Escapes, Calculated, Returned };

struct Site {
    Ref code;  // kept, or another one could come to lie where it was
    Maker maker = Maker::Other;
    Use use = Use::Escapes;
};

struct Key {
    const void* code;
    int offset;
    bool operator==(const Key&) const = default;
};
struct KeyHash {
    std::size_t operator()(const Key& key) const {
        return std::hash<const void*>()(key.code) ^ static_cast<std::size_t>(key.offset) << 20;
    }
};

// Guarded by the GIL. Programs that make code as they run would fill it without end.
constexpr std::size_t kMostSites = 4096;
std::unordered_map<Key, Site, KeyHash>& known_sites() {
    static auto* sites = new std::unordered_map<Key, Site, KeyHash>();
    return *sites;
}

Site read_bytecode(Ref code, int offset) {
    // Not initialised under a guard: an import lets other threads run, and one of them may fork.
    static PyObject* use_at = nullptr;
    if (!use_at) {
        const Ref module = own(PyImport_ImportModule("hassium._uses"));
        Py_XSETREF(use_at, own(PyObject_GetAttrString(module.get(), "use_at")).release());
    }
    const Ref found = own(PyObject_CallFunction(use_at, "Oi", code.get(), offset));
    int maker = 0, use = 0;
    if (!PyArg_ParseTuple(found.get(), "ii", &maker, &use)) throw PythonError();
    return {std::move(code), static_cast<Maker>(maker), static_cast<Use>(use)};
}

const Site& site_of(PyFrameObject* frame) {
    Ref code(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
    const Key key{code.get(), PyFrame_GetLasti(frame)};
    auto& sites = known_sites();
    if (const auto found = sites.find(key); found != sites.end()) return found->second;
    if (sites.size() == kMostSites) sites.clear();
    return sites.emplace(key, read_bytecode(std::move(code), key.offset)).first->second;
}

}  // namespace

bool may_stay_pending(PyObject* const* place) {
    if (settings().choice(Setting::deferred_reads) == "on") return true;
    PyFrameObject* frame = PyEval_GetFrame();
    if (!frame) return false;
    const Site& site = site_of(frame);
    if (site.maker == Maker::Call && !is_on_stack(place)) return false;
    return site.use != Use::Escapes;
}

}  // namespace hassium
