"""Calls of packages for tensors, expressions and derivatives."""

from __future__ import annotations

from typing import Any

from interop.arrays import Case, load, matrix, vector


def _trained(np: Any) -> Any:
    torch = load("torch")
    model = torch.nn.Linear(3, 1, dtype=torch.float64)
    with torch.no_grad():
        model.weight.fill_(0.5)
        model.bias.fill_(0.25)
    return model(torch.from_numpy(matrix(np))).detach()


def _loaded(np: Any) -> Any:
    data: Any = load("torch.utils.data")
    pairs = [(matrix(np)[k % 2], k) for k in range(4)]
    return next(iter(data.DataLoader(pairs, batch_size=4)))[0]


def _written_through(np: Any) -> Any:
    array = vector(np)
    load("torch").from_numpy(array)[0] = 9
    return array


TORCH: dict[str, Case] = {
    "asarray": lambda np: load("torch").asarray(matrix(np)),
    "asarray of a view": lambda np: load("torch").asarray(matrix(np)[:, ::2]),
    "asarray with a dtype": lambda np: load("torch").asarray(
        matrix(np), dtype=load("torch").float32
    ),
    "asarray of integers": lambda np: load("torch").asarray(np.arange(4, dtype="i2")),
    "from_numpy": lambda np: load("torch").from_numpy(matrix(np)),
    "from_numpy shares": _written_through,
    "as_tensor": lambda np: load("torch").as_tensor(matrix(np)),
    "tensor": lambda np: load("torch").tensor(matrix(np)),
    "tensor of rows": lambda np: load("torch").tensor([matrix(np)[0], matrix(np)[1]]),
    "Tensor": lambda np: load("torch").Tensor(vector(np)),
    "from_dlpack": lambda np: load("torch").from_dlpack(matrix(np)),
    "sum on the left": lambda np: load("torch").ones(3) + vector(np),
    "product on the left": lambda np: load("torch").ones(3) * vector(np),
    "sum on the right": lambda np: vector(np) + load("torch").ones(3),
    "comparison": lambda np: load("torch").ones(3) < vector(np),
    "equality": lambda np: load("torch").ones(3) == vector(np),
    "index": lambda np: load("torch").arange(5)[np.array([0, 2])],
    "mask": lambda np: load("torch").arange(3)[vector(np) > 1],
    "layer": _trained,
    "loader": _loaded,
}


def _evaluated(np: Any) -> Any:
    a, b = vector(np), matrix(np)
    assert a is not b
    return load("numexpr").evaluate("a * b + sin(a)")


def _evaluated_into(np: Any) -> Any:
    out = np.zeros(3)
    load("numexpr").evaluate("2 * a", {"a": vector(np)}, out=out)
    return out


NUMEXPR: dict[str, Case] = {
    "evaluate": _evaluated,
    "evaluate into": _evaluated_into,
    "names": lambda np: load("numexpr").evaluate("sum(a)", {"a": vector(np)}),
    "where": lambda np: load("numexpr").evaluate(
        "where(m, a, 0)", {"a": vector(np), "m": vector(np) > 1}
    ),
    "views": lambda np: load("numexpr").evaluate("a + 1", {"a": matrix(np)[:, ::2]}),
}


def _anp() -> Any:
    return load("autograd.numpy")


AUTOGRAD: dict[str, Case] = {
    "grad": lambda np: load("autograd").grad(lambda x: _anp().sum(_anp().sin(x) ** 2))(vector(np)),
    "jacobian": lambda np: load("autograd").jacobian(lambda x: x**2)(vector(np)),
    "hessian": lambda np: load("autograd").hessian(lambda x: _anp().sum(x**3))(vector(np)),
    "value_and_grad": lambda np: load("autograd").value_and_grad(lambda x: _anp().dot(x, x))(
        vector(np)
    )[1],
    "constant": lambda np: load("autograd").grad(lambda x: _anp().sum(_anp().dot(matrix(np), x)))(
        vector(np)
    ),
    "operators": lambda np: load("autograd").grad(
        lambda x: _anp().sum(vector(np) * x + x * vector(np))
    )(vector(np)),
    "dict": lambda np: load("autograd").grad(lambda p: _anp().sum(p["a"] ** 2))({"a": vector(np)})[
        "a"
    ],
    "plain functions": lambda np: load("autograd").numpy.exp(vector(np)),
}


def _symbol() -> Any:
    return load("sympy").Symbol("x")


SYMPY: dict[str, Case] = {
    "symbol times array": lambda np: [str(e) for e in (_symbol() * np.arange(3)).ravel().tolist()],
    "array times symbol": lambda np: [str(e) for e in (np.arange(3) * _symbol()).ravel().tolist()],
    "symbol plus array": lambda np: [str(e) for e in (_symbol() + vector(np)).ravel().tolist()],
    "array of one": lambda np: [str(e) for e in (_symbol() * np.ones(1)).ravel().tolist()],
    "Matrix": lambda np: str(load("sympy").Matrix(np.arange(4).reshape(2, 2))),
    "Array": lambda np: str(load("sympy").Array(np.arange(4).reshape(2, 2))),
    "sympify": lambda np: str(load("sympy").sympify(np.arange(3))),
    "lambdify": lambda np: load("sympy").lambdify(_symbol(), load("sympy").sin(_symbol()))(
        vector(np)
    ),
    "subs": lambda np: str((_symbol() ** 2).subs(_symbol(), np.arange(3)[2])),
    "matrix product": lambda np: str(
        load("sympy").Matrix([[1, 2], [3, 4]]) * np.arange(4).reshape(2, 2)
    ),
}


def _jax(np: Any) -> Any:
    return load("jax.numpy")


JAX: dict[str, Case] = {
    "function": lambda np: load("jax.numpy").sin(vector(np)),
    "asarray": lambda np: load("jax.numpy").asarray(matrix(np)),
    "primitive": lambda np: load("jax").lax.add(vector(np), vector(np)),
    "list": lambda np: load("jax.numpy").stack([vector(np), vector(np)]),
    "jit": lambda np: load("jax").jit(lambda x: x * 2)(vector(np)),
    "jit of a tree": lambda np: load("jax").jit(lambda d: d["a"] + 1)({"a": vector(np)}),
    "constant": lambda np: load("jax").jit(lambda x: x * vector(np))(load("jax.numpy").ones(3)),
    "grad": lambda np: load("jax").grad(lambda x: (x**2).sum())(vector(np)),
    "vmap": lambda np: load("jax").vmap(lambda x: x.sum())(matrix(np)),
    "scan": lambda np: load("jax").lax.scan(lambda c, x: (c + x, c), 0.0, vector(np))[1],
    "on the right": lambda np: load("jax.numpy").ones(3) + vector(np),
    "on the left": lambda np: vector(np) * load("jax.numpy").ones(3),
    "index": lambda np: load("jax.numpy").arange(5)[np.array([0, 2])],
    "at": lambda np: load("jax.numpy").zeros(5).at[np.array([0, 2])].set(vector(np)[:2]),
    "device_put": lambda np: load("jax").device_put(vector(np)),
}


def _compiled(np: Any) -> Any:
    total = load("numba").njit(lambda a: a.sum() * 2.0)
    return total(vector(np))


def _overwritten(np: Any) -> Any:
    def twice(a: Any) -> None:
        for i in range(a.size):
            a[i] *= 2.0

    array = vector(np)
    load("numba").njit("void(float64[:])")(twice)(array)
    return array + 1


def _vectorized(np: Any) -> Any:
    return load("numba").vectorize(["float64(float64)"])(lambda a: a + 1.0)(vector(np))


NUMBA: dict[str, Case] = {
    "function": _compiled,
    "in place": _overwritten,
    "vectorize": _vectorized,
    "list": lambda np: load("numba").njit(lambda xs: xs[1][0])((vector(np), vector(np))),
}
