"""Integer programs for HiGHS, from the package `highspy`: rows of columns with coefficients."""

from __future__ import annotations

import importlib
import math
import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy


class Linear:
    """A linear expression: columns with coefficients, and a constant."""

    __slots__ = ("constant", "terms")

    def __init__(self, terms: dict[int, float] | None = None, constant: float = 0.0) -> None:
        self.terms = terms or {}
        self.constant = constant

    def __add__(self, other: Linear | float) -> Linear:
        if not isinstance(other, Linear):
            return Linear(self.terms, self.constant + other)
        terms = dict(self.terms)
        for column, value in other.terms.items():
            terms[column] = terms.get(column, 0.0) + value
        return Linear(terms, self.constant + other.constant)

    def __mul__(self, factor: float) -> Linear:
        return Linear({c: factor * v for c, v in self.terms.items()}, factor * self.constant)

    def __sub__(self, other: Linear | float) -> Linear:
        return self + (other * -1 if isinstance(other, Linear) else -other)

    def at(self, values: Any) -> float:
        return self.constant + sum(v * float(values[c]) for c, v in self.terms.items())


class Answer(NamedTuple):
    values: Any  # by column; None when there is no solution yet
    bound: float  # lower bound of all costs; of a relaxed program only when `optimal`
    optimal: bool


@dataclass
class Column:
    lower: float
    upper: float
    integer: bool


class Model:
    """Minimizes `objective` subject to `expression >= 0` for each of `rows`."""

    def __init__(self) -> None:
        self.columns: list[Column] = []
        self.rows: list[Linear] = []
        self.objective = Linear()

    def column(self, lower: float = 0, upper: float = 1, integer: bool = False) -> Linear:
        self.columns.append(Column(lower, upper, integer))
        return Linear({len(self.columns) - 1: 1.0})

    def binary(self) -> Linear:
        return self.column(integer=True)

    def at_least(self, left: Linear, right: Linear | float) -> None:
        row = left - right
        if row.terms or row.constant < 0:
            self.rows.append(row)

    def equal(self, left: Linear, right: Linear | float) -> None:
        self.at_least(left, right)
        self.at_least(left * -1, right * -1)

    def pay(self, price: Linear) -> None:
        self.objective = self.objective + price

    def solver(self, relaxed: bool) -> Any:
        highspy = highs()
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = len(self.columns), len(self.rows)
        costs = numpy.zeros(len(self.columns))
        for column, value in self.objective.terms.items():
            costs[column] = value
        lp.col_cost_, lp.offset_ = costs, self.objective.constant
        lp.col_lower_ = numpy.array([c.lower for c in self.columns], float)
        lp.col_upper_ = numpy.array([c.upper for c in self.columns], float)
        lp.row_lower_ = numpy.array([-row.constant for row in self.rows], float)
        lp.row_upper_ = numpy.full(len(self.rows), highspy.kHighsInf)
        kinds = highspy.HighsVarType
        if not relaxed:
            lp.integrality_ = [
                kinds.kInteger if c.integer else kinds.kContinuous for c in self.columns
            ]
        matrix = lp.a_matrix_
        matrix.format_ = highspy.MatrixFormat.kRowwise
        matrix.start_ = numpy.cumsum([0, *(len(row.terms) for row in self.rows)])
        matrix.index_ = numpy.array([c for row in self.rows for c in row.terms], int)
        matrix.value_ = numpy.array([v for row in self.rows for v in row.terms.values()], float)
        solver = silent(highspy)
        solver.setOptionValue("threads", 1)
        solver.setOptionValue("mip_rel_gap", 0.0)
        solver.passModel(lp)
        return solver

    def solve(self, seconds: float = math.inf, relaxed: bool = False) -> Answer:
        """Returns the best solution within the time; `relaxed` drops integrality."""
        if not self.columns:
            return Answer([], self.objective.constant, True)
        solver = self.solver(relaxed)
        if math.isfinite(seconds):
            solver.setOptionValue("time_limit", max(seconds, 0.0))
        solver.run()
        status = solver.getModelStatus()
        info = solver.getInfo()
        found = info.primal_solution_status == highs().kSolutionStatusFeasible
        optimal = status == highs().HighsModelStatus.kOptimal
        objective = info.objective_function_value
        values = solver.getSolution().col_value if found else None
        return Answer(values, objective if optimal else info.mip_dual_bound, optimal)


def highs() -> Any:
    """Imports highspy; raises ValueError if it is not installed."""
    try:
        return importlib.import_module("highspy")
    except ImportError:
        raise ValueError(
            "the partitioner 'ilp' needs the package highspy: pip install highspy"
        ) from None


def silent(highspy: Any) -> Any:
    """Returns a solver that never prints; its constructor prints a line unless output is off."""

    class Silent(highspy.Highs):  # type: ignore[misc]
        def enableCallbacks(self) -> None:
            self.setOptionValue("output_flag", False)
            super().enableCallbacks()

    return Silent()


class Clock:
    """The remaining seconds of a time limit."""

    def __init__(self, seconds: float) -> None:
        self.start = time.perf_counter()
        self.seconds = seconds

    def spent(self) -> float:
        return time.perf_counter() - self.start

    def left(self) -> float:
        return self.seconds - self.spent()
