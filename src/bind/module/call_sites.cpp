#include "bind/module/call_sites.hpp"

#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "bind/module/instruction_table.hpp"
#include "bind/module/python_frames.hpp"
#include "bind/module/ref.hpp"

namespace hassium {
namespace {

// Returns the folder of the package's files, with a final slash. The name alone would also match a
// user's folder.
std::string find_package_folder() {
    const Ref module(PyImport_ImportModule("hassium._core"));
    const Ref file(module ? PyObject_GetAttrString(module.get(), "__file__") : nullptr);
    const char* text = file ? PyUnicode_AsUTF8(file.get()) : nullptr;
    std::string path = text ? text : "";
    PyErr_Clear();
    return path.substr(0, path.rfind('/') + 1);
}

const std::string& package_folder() {
    static const std::string* folder = nullptr;  // without a guard, as in made_once
    if (!folder) folder = new std::string(find_package_folder());
    return *folder;
}

bool is_ours(PyCodeObject* code) {
    // A file name that is not UTF-8 cannot be the package's.
    const char* file = PyUnicode_AsUTF8(code->co_filename);
    if (!file) PyErr_Clear();
    return file && std::string_view(file).starts_with(package_folder());
}

// ---- lines as numbers ----

constexpr char kUndecodable[] = "surrogateescape";  // for file names that are not UTF-8

// Returns the bytes of a name, or "" if it is no string.
std::string bytes_of(PyObject* name) {
    const Ref bytes(name && PyUnicode_Check(name)
                        ? PyUnicode_AsEncodedString(name, "utf-8", kUndecodable)
                        : nullptr);
    std::string text = bytes ? PyBytes_AS_STRING(bytes.get()) : "";
    PyErr_Clear();
    return text;
}

// Decodes such bytes; null with a Python error set.
Ref text_of(const std::string& bytes) {
    return Ref(
        PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), kUndecodable));
}

struct Line {
    std::string file;
    int number;
    std::string module;  // `__name__` of the frame's globals
};

struct Lines {
    std::map<std::tuple<std::string, int, std::string>, std::uint32_t> numbers;
    std::vector<Line> known;  // by site, from 1 on

    std::uint32_t intern(Line line) {
        const auto next = static_cast<std::uint32_t>(known.size() + 1);
        const auto [at, fresh] = numbers.try_emplace({line.file, line.number, line.module}, next);
        if (fresh) known.push_back(std::move(line));
        return at->second;
    }
    const Line* find(std::uint32_t site) const { return site == 0 ? nullptr : &known[site - 1]; }
};

Lines& lines() {
    static Lines all;
    return all;
}

// Returns the line of a frame as `warnings.warn` computes it.
Line line_of(PyFrameObject* frame, PyCodeObject* code) {
    const Ref globals(PyFrame_GetGlobals(frame));
    PyObject* module = globals ? PyDict_GetItemString(globals.get(), "__name__") : nullptr;
    return {bytes_of(code->co_filename), PyFrame_GetLineNumber(frame),
            module ? bytes_of(module) : "<string>"};
}

// ---- known instructions of code objects ----

constexpr std::uint32_t kOfPackage = 0xffffffff;  // no site: look at the caller's frame

InstructionTable<std::uint32_t>& known_instructions() {
    static auto* const known = new InstructionTable<std::uint32_t>;  // outlives the interpreter
    return *known;
}

// Walks the frame objects up to the first frame outside the package and inserts each; returns its
// site. An error that is already set stays. Not inlined: call_site() is a few instructions.
[[gnu::noinline]] std::uint32_t learn_site() {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    std::uint32_t site = kOfPackage;
    PyFrameObject* frame = PyEval_GetFrame();
    Py_XINCREF(reinterpret_cast<PyObject*>(frame));
    while (frame && site == kOfPackage) {
        PyCodeObject* code = PyFrame_GetCode(frame);
        if (!is_ours(code)) site = lines().intern(line_of(frame, code));
        known_instructions().insert({code, PyFrame_GetLasti(frame)}, site);
        Py_DECREF(reinterpret_cast<PyObject*>(code));
        Py_SETREF(frame, PyFrame_GetBack(frame));
    }
    Py_XDECREF(reinterpret_cast<PyObject*>(frame));
    PyErr_Restore(type, value, trace);
    return site == kOfPackage ? 0 : site;
}

// ---- warnings ----

// Returns the `__warningregistry__` of the module `name`, or one of our own for globals that belong
// to no module. Null with a Python error set.
Ref registry_of(const std::string& name) {
    static PyObject* others = nullptr;  // without a guard, as in made_once
    if (!others) others = PyDict_New();
    const Ref key = text_of(name);
    const Ref module(key ? PyImport_GetModule(key.get()) : nullptr);
    PyErr_Clear();
    PyObject* names =
        module && PyModule_Check(module.get()) ? PyModule_GetDict(module.get()) : nullptr;
    const Ref word = names ? Ref(PyUnicode_FromString("__warningregistry__")) : key;
    const Ref fresh(PyDict_New());
    if (!word || !fresh) return {};
    return borrow(PyDict_SetDefault(names ? names : others, word.get(), fresh.get()));
}

// ---- counts ----

using Counts = std::map<std::string, std::map<std::uint32_t, std::int64_t>, std::less<>>;
Counts eager_sites, fallback_sites;

void count_at_site(Counts& counts, const char* name) {
    auto row = counts.find(std::string_view(name));
    if (row == counts.end()) row = counts.try_emplace(name).first;
    ++row->second[call_site()];
}

void set(PyObject* dict, const std::string& key, const Ref& value) {
    const Ref word = text_of(key);
    if (word && value) PyDict_SetItem(dict, word.get(), value.get());
}

PyObject* dict_of(const Counts& counts) {
    PyObject* all = PyDict_New();
    for (const auto& [name, places] : counts) {
        std::map<std::string, std::int64_t> by_text;  // several modules may have the same line
        std::int64_t total = 0;
        for (const auto& [site, count] : places) {
            total += count;
            by_text[site ? site_text(site) : "?"] += count;
        }
        PyObject* sites = PyDict_New();
        for (const auto& [text, count] : by_text) set(sites, text, Ref(PyLong_FromLongLong(count)));
        set(all, name,
            Ref(Py_BuildValue("{s:L,s:N}", "count", static_cast<long long>(total), "sites",
                              sites)));
    }
    return all;
}

}  // namespace

std::uint32_t call_site() {
    const InstructionTable<std::uint32_t>& known = known_instructions();
    for (RunningFrame frame; frame; frame.step_back()) {
        const std::uint32_t* site = known.find(frame.instruction());
        if (!site) return learn_site();
        if (*site != kOfPackage) return *site;
    }
    return 0;
}

std::string site_text(std::uint32_t site) {
    const Line* line = lines().find(site);
    return line ? line->file + ":" + std::to_string(line->number) : "";
}

int warn_at(std::uint32_t site, PyObject* category, const char* text) {
    const Line* line = lines().find(site);
    if (!line) return PyErr_WarnEx(category, text, 1);
    const Ref message(PyUnicode_FromString(text));
    const Ref file = text_of(line->file), module = text_of(line->module);
    const Ref registry = registry_of(line->module);
    if (!message || !file || !module || !registry) return -1;
    return PyErr_WarnExplicitObject(category, message.get(), file.get(), line->number, module.get(),
                                    registry.get());
}

void count_eager(const char* name) { count_at_site(eager_sites, name); }
void count_fallback(const char* name) { count_at_site(fallback_sites, name); }
PyObject* eager_counts() { return dict_of(eager_sites); }
PyObject* fallback_counts() { return dict_of(fallback_sites); }
void reset_site_counts() {
    eager_sites.clear();
    fallback_sites.clear();
}

}  // namespace hassium
