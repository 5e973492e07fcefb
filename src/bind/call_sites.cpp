#include "bind/call_sites.hpp"

#include <map>
#include <string_view>

namespace hassium {
namespace {

// Where the package's own files are, with the last slash. Its name is not enough: a user's folder
// may be called the same.
const std::string& package_folder() {
    static const std::string folder = [] {
        PyObject* module = PyImport_ImportModule("hassium._core");
        PyObject* file = module ? PyObject_GetAttrString(module, "__file__") : nullptr;
        const char* text = file ? PyUnicode_AsUTF8(file) : nullptr;
        std::string path = text ? text : "";
        PyErr_Clear();
        Py_XDECREF(file);
        Py_XDECREF(module);
        return path.substr(0, path.rfind('/') + 1);
    }();
    return folder;
}

bool is_ours(PyCodeObject* code) {
    // A file name that is no UTF-8 has no text; it cannot be the package's.
    const char* file = PyUnicode_AsUTF8(code->co_filename);
    if (!file) PyErr_Clear();
    return file && std::string_view(file).starts_with(package_folder());
}

// The innermost frame outside the package, and its code.
struct Caller {
    PyFrameObject* frame = PyEval_GetFrame();
    PyCodeObject* code = nullptr;
    int level = 1;  // as Python counts frames for a warning

    Caller() {
        Py_XINCREF(reinterpret_cast<PyObject*>(frame));
        for (; frame; step_back()) {
            code = PyFrame_GetCode(frame);
            if (!is_ours(code)) return;
            ++level;
        }
    }
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;
    ~Caller() {
        Py_XDECREF(reinterpret_cast<PyObject*>(code));
        Py_XDECREF(reinterpret_cast<PyObject*>(frame));
    }
    // "file:line"
    PyObject* text() const {
        if (!frame) return PyUnicode_FromString("?");
        return PyUnicode_FromFormat("%U:%d", code->co_filename, PyFrame_GetLineNumber(frame));
    }

  private:
    void step_back() {
        Py_CLEAR(code);
        Py_SETREF(frame, PyFrame_GetBack(frame));
    }
};

// ---- counts ----

// By name, then by text; of what is no UTF-8 the bytes, as Python's file names keep them.
using Counts = std::map<std::string, std::map<std::string, std::int64_t>, std::less<>>;
constexpr char kOddBytes[] = "surrogateescape";

// A program counts at a few places again and again, and the text of one costs more than the call
// that is counted. So the last places are remembered by their code; what they hold is bounded.
struct Place {
    PyCodeObject* code = nullptr;
    int instruction = 0;
    std::string_view name;
    std::int64_t* count = nullptr;

    bool is(const PyCodeObject* its_code, int its_instruction, const char* its_name) const {
        return count && code == its_code && instruction == its_instruction && name == its_name;
    }
};
constexpr std::size_t kPlaces = 64;

struct SiteCounts {
    Counts counts;
    Place places[kPlaces];

    Place& place(const PyCodeObject* code, int instruction) {
        const auto spread = reinterpret_cast<std::uintptr_t>(code) / sizeof(PyCodeObject);
        return places[(spread + static_cast<unsigned>(instruction)) % kPlaces];
    }
};
SiteCounts eager_sites, fallback_sites;

void find_count(Place& place, Counts& counts, const char* name, const Caller& caller) {
    PyObject* text = caller.text();
    PyObject* bytes = text ? PyUnicode_AsEncodedString(text, "utf-8", kOddBytes) : nullptr;
    if (!bytes) PyErr_Clear();
    const auto row = counts.try_emplace(name).first;
    place.count = &row->second[bytes ? PyBytes_AS_STRING(bytes) : "?"];
    place.name = row->first;
    Py_XDECREF(bytes);
    Py_XDECREF(text);
}

// A frame that has counted is no one of the package's: nobody need look at its file again.
bool count_again(SiteCounts& sites, const char* name) {
    PyFrameObject* frame = PyEval_GetFrame();
    if (!frame) return false;
    PyCodeObject* code = PyFrame_GetCode(frame);
    Py_DECREF(code);  // the frame has it
    const int instruction = PyFrame_GetLasti(frame);
    Place& place = sites.place(code, instruction);
    if (!place.is(code, instruction, name)) return false;
    ++*place.count;
    return true;
}

// Errors of a count must not disturb the program, nor what it has raised already.
void count_at_site(SiteCounts& sites, const char* name) {
    if (count_again(sites, name)) return;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    {
        const Caller caller;
        const int instruction = caller.frame ? PyFrame_GetLasti(caller.frame) : 0;
        Place& place = sites.place(caller.code, instruction);
        if (!place.is(caller.code, instruction, name)) {
            find_count(place, sites.counts, name, caller);
            Py_XINCREF(reinterpret_cast<PyObject*>(caller.code));
            Py_XSETREF(place.code, caller.code);
            place.instruction = instruction;
        }
        ++*place.count;
    }
    PyErr_Restore(type, value, trace);
}

// dict[key] = value, which it takes.
void set(PyObject* dict, const std::string& key, PyObject* value) {
    PyObject* word =
        PyUnicode_DecodeUTF8(key.data(), static_cast<Py_ssize_t>(key.size()), kOddBytes);
    if (word && value) PyDict_SetItem(dict, word, value);
    Py_XDECREF(word);
    Py_XDECREF(value);
}

PyObject* dict_of(const Counts& counts) {
    PyObject* all = PyDict_New();
    for (const auto& [name, places] : counts) {
        PyObject* sites = PyDict_New();
        std::int64_t total = 0;
        for (const auto& [text, count] : places) {
            total += count;
            set(sites, text, PyLong_FromLongLong(count));
        }
        set(all, name,
            Py_BuildValue("{s:L,s:N}", "count", static_cast<long long>(total), "sites", sites));
    }
    return all;
}

void forget(SiteCounts& sites) {
    for (Place& place : sites.places) {
        Py_CLEAR(place.code);
        place.count = nullptr;
    }
    sites.counts.clear();
}

// ---- lines as numbers ----

std::map<std::string, std::uint32_t>& lines() {
    static std::map<std::string, std::uint32_t> known;
    return known;
}

}  // namespace

int caller_level() { return Caller().level; }

std::uint32_t intern_site() {
    PyObject* site = Caller().text();
    const char* text = site ? PyUnicode_AsUTF8(site) : nullptr;
    std::uint32_t number = 0;
    if (text) {
        auto next = static_cast<std::uint32_t>(lines().size() + 1);
        number = lines().try_emplace(text, next).first->second;
    } else {
        PyErr_Clear();
    }
    Py_XDECREF(site);
    return number;
}

std::string site_text(std::uint32_t site) {
    for (const auto& [text, number] : lines()) {
        if (number == site) return text;
    }
    return "";
}

void count_eager(const char* name) { count_at_site(eager_sites, name); }
void count_fallback(const char* name) { count_at_site(fallback_sites, name); }
PyObject* eager_counts() { return dict_of(eager_sites.counts); }
PyObject* fallback_counts() { return dict_of(fallback_sites.counts); }
void reset_site_counts() {
    forget(eager_sites);
    forget(fallback_sites);
}

}  // namespace hassium
