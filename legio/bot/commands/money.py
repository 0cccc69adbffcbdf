"""Money: what the legion has cost, as a table that a phone can show and as a picture of the last days."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import date

import structlog

from legio.bot.chart import png
from legio.bot.commands.command import Command
from legio.bot.desk import Call, Desk, Reply
from legio.bot.payload import FileMessage, TextMessage
from legio.bot.piece import Entity, utf16_length
from legio.brevity import cut
from legio.days import beginning, day_of, last_days, month_of, week_of
from legio.errors import LegioError
from legio.ports import Expense
from legio.stacks import Day

log = structlog.get_logger()

DAYS = 14
"""How many days the picture shows."""
NAME_WIDTH, COLUMN_WIDTH = 11, 7
"""Together 32 characters: as many as a phone shows on a line in letters of one width."""
COLUMNS = ("today", "week", "month")
TOTAL = "total"
NOTHING = "Nothing has been spent this month."
CENT = 0.005
"""Less than this is not even a cent when it is rounded."""

ROUND_DOLLARS, MOST_DOLLARS = 100, 10_000
"""From the first on cents are left out, from the second on there is no room for the figure."""
THOUSAND, ONE_DIGIT_MORE = 1_000, 100

Spans = Mapping[str, Sequence[Expense]]


class MoneyCommands:
    """What Caesar asks about money."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._sight = desk.sight
        self.table = (
            Command("cost", "", "What was spent today, this week and this month, and by whom", self._cost),
        )

    async def _cost(self, _: Call) -> Reply:
        today = day_of(self._sight.clock.now(), self._sight.zone)
        spans = {name: await self._since(start) for name, start in _starts(today)}
        if not any(spans.values()):
            return Reply("\n".join([NOTHING, *await self._caps(today, ())]))
        head, table = "Spent so far, on your days:\n", tables(spans)
        tail = "\n".join(["", *await self._caps(today, spans["today"])])
        text = (head + table + tail).rstrip()
        block = Entity("pre", utf16_length(head), utf16_length(table))
        return Reply(text, shown=TextMessage(text, (block,)), file=await self._picture(today))

    async def _since(self, start: date, end: date | None = None) -> tuple[Expense, ...]:
        zone = self._sight.zone
        until = None if end is None else beginning(end, zone)
        return await self._sight.costs.expenses(beginning(start, zone), until)

    async def _caps(self, today: date, spent: Sequence[Expense]) -> list[str]:
        """What is left of the caps, where there are any."""
        caps, raised = self._desk.budget, await self._sight.costs.raised(today)
        rows = []
        if caps.day_usd is not None:
            size = caps.day_usd + raised.get("", 0.0)
            rows.append(f"Budget today: {_usd(sum(it.usd for it in spent))} of {_usd(size)}")
        if caps.agent_day_usd is not None:
            more = [f", {name} {_usd(caps.agent_day_usd + usd)}" for name, usd in raised.items() if name]
            rows.append(f"Budget of each agent: {_usd(caps.agent_day_usd)} a day{''.join(more)}")
        return rows

    async def _picture(self, today: date) -> FileMessage | None:
        """The last days, drawn and kept; None where that failed, for the table says it all."""
        days = [
            Day(day, {it.agent: it.usd for it in await self._since(day, following)})
            for day, following in _pairs(last_days(today, DAYS))
        ]
        try:
            place = await asyncio.to_thread(
                lambda: self._desk.depot.keep(today, "cost", "cost.png", png(days))
            )
        except LegioError as error:
            log.warning("chart.failed", error=str(error))
            return None
        return FileMessage(place, "cost.png", f"The last {DAYS} days", picture=True, silent=True)


def tables(spans: Spans) -> str:
    """Dollars, and under them tokens: one row an agent, who spent most this month first, and the total."""
    names = sorted(
        {it.agent for expenses in spans.values() for it in expenses},
        key=lambda name: (-_of(spans["month"], name).usd, name),
    )
    dollars = [[_usd(_of(spans[column], name).usd) for column in COLUMNS] for name in names]
    tokens = [[_count(_of(spans[column], name).tokens) for column in COLUMNS] for name in names]
    sums = {column: _sum(spans[column]) for column in COLUMNS}
    dollars.append([_usd(sums[column].usd) for column in COLUMNS])
    tokens.append([_count(sums[column].tokens) for column in COLUMNS])
    rows = [*names, TOTAL]
    return "\n".join(["\n".join(_grid("US $", rows, dollars)), "", "\n".join(_grid("tokens", rows, tokens))])


def _grid(corner: str, names: Sequence[str], cells: Sequence[Sequence[str]]) -> list[str]:
    rows = [_row(name, row) for name, row in zip(names, cells, strict=True)]
    line = "─" * (NAME_WIDTH + len(COLUMNS) * COLUMN_WIDTH)
    return [_row(corner, COLUMNS), line, *rows[:-1], line, rows[-1]]


def _row(name: str, cells: Sequence[str]) -> str:
    return cut(name, NAME_WIDTH).ljust(NAME_WIDTH) + "".join(cell.rjust(COLUMN_WIDTH) for cell in cells)


def _starts(today: date) -> tuple[tuple[str, date], ...]:
    return tuple(zip(COLUMNS, (today, week_of(today), month_of(today)), strict=True))


def _pairs(days: Sequence[date]) -> list[tuple[date, date | None]]:
    return list(zip(days, [*days[1:], None], strict=True))


def _of(expenses: Sequence[Expense], agent: str) -> Expense:
    return next((it for it in expenses if it.agent == agent), Expense(agent, 0, 0, 0.0))


def _sum(expenses: Sequence[Expense]) -> Expense:
    return Expense(TOTAL, 0, sum(it.tokens for it in expenses), sum(it.usd for it in expenses))


def _usd(usd: float) -> str:
    """At most six characters; what is less than a cent is not nothing."""
    if 0 < usd < CENT:
        return "<$.01"
    if round(usd, 2) < ROUND_DOLLARS:
        return f"${usd:.2f}"
    return f"${usd:,.0f}" if round(usd) < MOST_DOLLARS else _count(round(usd), sign="$")


def _count(count: int, *, sign: str = "") -> str:
    """Three figures and a letter where it is long."""
    if count < THOUSAND:
        return f"{sign}{count}"
    figures, letter = float(count), ""
    for letter in "kMGT":  # noqa: B007  (the last one is used)
        figures /= THOUSAND
        if round(figures) < THOUSAND:
            break
    return (
        f"{sign}{figures:.1f}{letter}"
        if round(figures, 1) < ONE_DIGIT_MORE
        else f"{sign}{figures:.0f}{letter}"
    )
