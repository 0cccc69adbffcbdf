"""What some days took, by agent or by model: who comes first, the charts, and all of it as tables.

All figures leave as they are to be read, so that picture, table and hover say the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from legio.console.charts import COLOURS, Chart, colours, svg
from legio.console.quantities import CHARTED, COLUMNS, COST, TOKENS, TURNS, Quantity
from legio.ports import Figure
from legio.stacks import OTHERS, Day, Shown, pieces, shown

UNKNOWN = "no model"
"""Whose a turn is that never reached a model."""
ALL = "all"
"""What the sum over all names is called."""


class By(StrEnum):
    """Whose the pieces are."""

    AGENT = "agent"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class Account:
    """The figures of these days, oldest first and one at least."""

    days: tuple[date, ...]
    figures: tuple[Figure, ...]
    by: By = By.AGENT

    def name(self, figure: Figure) -> str:
        """Whose it is."""
        return figure.agent if self.by is By.AGENT else figure.model or UNKNOWN

    def sums(self, quantity: Quantity) -> Mapping[str, float]:
        """What each has of it over all days."""
        found: dict[str, float] = {}
        for figure in self.figures:
            name = self.name(figure)
            found[name] = found.get(name, 0.0) + quantity.of(figure)
        return found

    def total(self, quantity: Quantity) -> float:
        """What all have of it."""
        return sum(quantity.of(figure) for figure in self.figures)

    def ranked(self) -> tuple[str, ...]:
        """All names, those first who cost most; where that says nothing, by tokens, then by turns."""
        sums = [self.sums(quantity) for quantity in (COST, TOKENS, TURNS)]
        return tuple(sorted(sums[0], key=lambda name: (*(-each[name] for each in sums), name)))

    def charted(self, quantity: Quantity) -> tuple[Day, ...]:
        """What each has of it, day by day."""
        shares: dict[date, dict[str, float]] = {day: {} for day in self.days}
        for figure in self.figures:
            own, name = shares[figure.day], self.name(figure)
            own[name] = own.get(name, 0.0) + quantity.of(figure)
        return tuple(Day(day, own) for day, own in shares.items())


def wire(account: Account, *, width: int) -> Mapping[str, object]:
    """The account as JSON has it; its pictures are so many pixels wide."""
    names = account.ranked()
    whose = shown(names, COLOURS)
    colour = dict(zip(whose.names, colours(whose), strict=False))
    sums = [account.sums(quantity) for quantity in COLUMNS]
    spent = pieces(Day(account.days[-1], account.sums(COST)), whose)
    return {
        "by": account.by,
        "since": account.days[0].isoformat(),
        "until": account.days[-1].isoformat(),
        "legend": [
            {"name": name, "colour": each, "total": COST.written(usd)}
            for name, each, usd in zip((*whose.names, OTHERS), colours(whose), spent, strict=False)
        ],
        "columns": [quantity.title for quantity in COLUMNS],
        "rows": [
            {"name": name, "colour": colour.get(name, OTHERS), "cells": _cells([each[name] for each in sums])}
            for name in names
        ],
        "total": _cells([account.total(quantity) for quantity in COLUMNS]),
        "charts": [_chart(account, quantity, whose, width) for quantity in CHARTED] if names else [],
    }


def _cells(figures: Sequence[float]) -> Sequence[str]:
    return [quantity.written(figure) for quantity, figure in zip(COLUMNS, figures, strict=True)]


def _chart(account: Account, quantity: Quantity, whose: Shown, width: int) -> Mapping[str, object]:
    days = account.charted(quantity)
    total, most = account.total(quantity), max(day.total for day in days)
    chart = Chart(
        name=quantity.name,
        title=f"{quantity.title} by day and {account.by}",
        about=_about(quantity, days),
        days=days,
        whose=whose,
        step=quantity.axis.step(most),
        tick=quantity.axis.tick,
        written=quantity.written,
    )
    return {
        "what": quantity.name,
        "title": quantity.title,
        "total": quantity.written(total),
        "svg": svg(chart, width=width) if total > 0 else "",
        "head": ["Day", *whose.names, *([OTHERS] if whose.others else []), ALL],
        "rows": [_day_row(quantity, day, whose) for day in reversed(days) if day.total > 0],
    }


def _day_row(quantity: Quantity, day: Day, whose: Shown) -> Sequence[str]:
    own = [quantity.written(share) for share in pieces(day, whose)]
    return [f"{day.day:%a %-d %b}", *own, quantity.written(day.total)]


def _about(quantity: Quantity, days: Sequence[Day]) -> str:
    most = max(days, key=lambda day: day.total)
    total = quantity.written(sum(day.total for day in days))
    span = f"{days[0].day:%-d %B} to {days[-1].day:%-d %B %Y}"
    return f"{span}: {total} in all, most on {most.day:%-d %B} with {quantity.written(most.total)}."
