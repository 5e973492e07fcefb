// Parsing of the keyword arguments of ufuncs.
#include "bind/array/array_call.hpp"
#include "bind/ufunc/ufunc_parts.hpp"

namespace hassium {
namespace {

enum class Key : std::uint8_t {
    Out,
    Where,
    Dtype,
    Casting,
    Order,
    Subok,
    Signature,
    Core,
    Unknown
};

struct KeyName {
    const char* name;
    Key key;
};
constexpr KeyName kKeys[] = {{"out", Key::Out},
                             {"where", Key::Where},
                             {"dtype", Key::Dtype},
                             {"casting", Key::Casting},
                             {"order", Key::Order},
                             {"subok", Key::Subok},
                             {"signature", Key::Signature},
                             {"sig", Key::Signature},
                             {"axes", Key::Core},
                             {"axis", Key::Core},
                             {"keepdims", Key::Core}};

Key key_of(PyObject* name) {
    for (const KeyName& k : kKeys) {
        if (PyUnicode_CompareWithASCIIString(name, k.name) == 0) return k.key;
    }
    return Key::Unknown;
}

[[noreturn]] void fail_type(const std::string& message) { fail(ErrorKind::Type, message); }

char parse_order_word(PyObject* word) {
    if (word == Py_None) return 'K';
    if (PyUnicode_Check(word) && PyUnicode_GET_LENGTH(word) == 1) {
        const Py_UCS4 letter = Py_TOUPPER(PyUnicode_READ_CHAR(word, 0));
        if (letter == 'C' || letter == 'F' || letter == 'A' || letter == 'K') {
            return static_cast<char>(letter);
        }
    }
    if (!PyUnicode_Check(word))
        fail_type("order must be str, not " + std::string(Py_TYPE(word)->tp_name));
    Ref text = own(PyObject_Str(word));
    fail(ErrorKind::Value, "order must be one of 'C', 'F', 'A', or 'K' (got '", text_of(text.get()),
         "')");
}

void set_dtype(Keywords& keywords, PyObject* dtype) {
    if (dtype == Py_None) return;
    keywords.has_dtype = parse_dtype(dtype, keywords.dtype);
    keywords.foreign = keywords.foreign || !keywords.has_dtype;
}

// Parses signature=, which names a loop. A loop of one output is found by the output's dtype; NumPy
// handles any other signature.
void set_signature(Op op, Keywords& keywords, PyObject* signature) {
    const OpInfo& row = info(op);
    const std::string arrow = "->";
    if (PyUnicode_Check(signature)) {
        const std::string text = text_of(signature);
        const std::size_t at = text.find(arrow);
        if (at == row.nin && text.size() == at + arrow.size() + 1 && row.nout == 1) {
            const DType out = [&] {
                Ref code = own(PyUnicode_FromStringAndSize(text.data() + text.size() - 1, 1));
                DType dtype = DType::Bool;
                try {
                    keywords.has_dtype = parse_dtype(code.get(), dtype);
                } catch (const PythonError&) {
                    PyErr_Clear();  // NumPy raises the error for the whole text
                }
                return dtype;
            }();
            const std::optional<Loop> loop = loop_of(op, out);
            bool same = keywords.has_dtype && loop && loop->out[0] == out;
            for (std::size_t k = 0; same && k < row.nin; ++k) {
                same = info(loop->in[k]).code == text[k];
            }
            if (same) {
                keywords.dtype = out;
                return;
            }
        }
    }
    keywords.has_dtype = false;
    keywords.foreign = true;
}

void set_out(Op op, Keywords& keywords, PyObject* out) {
    const int nout = info(op).nout;
    if (out == Py_None) {
        keywords.out_is_none = true;
        return;
    }
    if (!PyTuple_CheckExact(out)) {
        if (nout > 1) fail_type("'out' must be a tuple of arrays");
        keywords.out[0] = out;
        return;
    }
    if (PyTuple_GET_SIZE(out) != nout) {
        fail(ErrorKind::Value, "The 'out' tuple must have exactly one entry per ufunc output");
    }
    keywords.out_is_none = true;
    for (int k = 0; k < nout; ++k) {
        PyObject* item = PyTuple_GET_ITEM(out, k);
        if (is_dots(item)) {
            fail_type("must use `...` as `out=...` and not per-operand/in a tuple");
        }
        if (item != Py_None) keywords.out[k] = item;
    }
}

void set_keyword(Op op, Keywords& keywords, PyObject* name, PyObject* value) {
    switch (key_of(name)) {
        case Key::Out:
            if (keywords.positional_out) {
                fail_type("cannot specify 'out' as both a positional and keyword argument");
            }
            if (is_dots(value)) {
                keywords.as_array = keywords.out_is_none = true;
            } else {
                set_out(op, keywords, value);
            }
            return;
        case Key::Where:
            if (info(op).is_opaque()) break;
            keywords.where = value == Py_True ? nullptr : value;
            return;
        case Key::Dtype:
            if (keywords.has_dtype) fail_type("cannot specify both 'signature' and 'dtype'");
            set_dtype(keywords, value);
            return;
        case Key::Casting:
            keywords.casting = parse_casting(value);
            return;
        case Key::Order:
            keywords.order = parse_order_word(value);
            return;
        case Key::Subok:
            if (!PyBool_Check(value)) fail_type("'subok' must be a boolean");
            return;  // hassium has no array subclasses
        case Key::Signature:
            if (value == Py_None) return;
            if (keywords.has_dtype) fail_type("cannot specify both 'signature' and 'dtype'");
            set_signature(op, keywords, value);
            return;
        case Key::Core:
            if (info(op).is_opaque()) {
                keywords.foreign = true;
                return;
            }
            break;
        case Key::Unknown:
            break;
    }
    const std::string called(info(op).name);
    PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", called.c_str(),
                 name);
    throw PythonError();
}

// Raises NumPy's warning of a third positional argument of maximum or minimum, which may be meant
// as an operand; newer versions have it.
void warn_of_third_operand(Op op) {
    const Ref zero = own(PyArray_ZEROS(0, nullptr, NPY_BOOL, 0));
    const Ref answer = own(
        PyObject_CallFunctionObjArgs(numpy_ufunc(op), zero.get(), zero.get(), zero.get(), nullptr));
}

}  // namespace

Keywords parse_keywords(Op op, const RawCall& raw, Py_ssize_t first_out) {
    Keywords keywords;
    keywords.positional_out = raw.count > first_out;
    if (keywords.positional_out && info(op).is_extremum()) {
        warn_of_third_operand(op);
    }
    for (Py_ssize_t k = first_out; k < raw.count; ++k) {
        if (is_dots(raw.args[k])) {
            fail_type("out=... is only allowed as a keyword argument.");
        }
        if (raw.args[k] != Py_None) keywords.out[k - first_out] = raw.args[k];
    }
    const Py_ssize_t names = raw.names ? PyTuple_GET_SIZE(raw.names) : 0;
    for (Py_ssize_t k = 0; k < names; ++k) {
        set_keyword(op, keywords, PyTuple_GET_ITEM(raw.names, k), raw.args[raw.count + k]);
    }
    return keywords;
}

}  // namespace hassium
