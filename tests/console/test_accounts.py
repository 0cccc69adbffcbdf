"""What some days took, as tables and charts: by whom, in which order, and that it all adds up."""

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from defusedxml.ElementTree import fromstring

from legio.console.accounts import UNKNOWN, Account, By, wire
from legio.console.charts import COLOURS
from legio.console.quantities import COST, TURNS
from legio.days import last_days
from legio.ports import Figure
from tests.console.figures import TODAY, figure

YESTERDAY = TODAY - timedelta(days=1)
XSS = "<img src=x onerror=alert(1)>"
LONGEST = "a" + 31 * "m"


def account(*figures: Figure, days: int = 7, by: By = By.AGENT) -> Account:
    return Account(last_days(TODAY, days), figures, by)


def shown(told: Account) -> Any:
    """What the page is told."""
    return wire(told, width=400)


def test_names_come_by_what_they_cost_then_by_tokens_then_by_turns() -> None:
    told = account(
        figure("brutus", usd=0.0),
        figure("vorenus", usd=0.5),
        replace(figure("titus", usd=0.0), input_tokens=9000),
        figure("pullo"),
        figure("pullo", day=YESTERDAY),
        replace(figure("atia", usd=0.0), turns=2),
    )
    assert told.ranked() == ("pullo", "vorenus", "titus", "atia", "brutus")


def test_days_without_anything_are_days_all_the_same() -> None:
    charted = account(figure("pullo", usd=1.0), figure("pullo", usd=0.5, model="haiku")).charted(COST)
    assert [day.day for day in charted] == list(last_days(TODAY, 7))
    assert [day.shares for day in charted] == [{}] * 6 + [{"pullo": 1.5}]


def test_by_model_the_same_turns_are_those_of_models() -> None:
    told = account(
        figure("pullo", model="haiku"),
        figure("brutus", model="haiku"),
        figure("pullo", model="", usd=0),
        by=By.MODEL,
    )
    assert told.sums(TURNS) == {"haiku": 2, UNKNOWN: 1}
    assert [row["name"] for row in shown(told)["rows"]] == ["haiku", UNKNOWN]


def test_the_page_is_told_every_figure_as_it_is_to_be_read() -> None:
    told = shown(account(figure("vorenus", usd=300.0), figure("pullo", day=YESTERDAY, usd=0.0001, failed=1)))
    assert (told["since"], told["until"], told["by"]) == ("2026-11-15", "2026-11-21", "agent")
    assert told["legend"] == [
        {"name": "vorenus", "colour": "0", "total": "$300.00"},
        {"name": "pullo", "colour": "1", "total": "$0.0001"},
    ]
    assert told["columns"][:4] == ["Cost", "Turns", "Failures", "Time at work"]
    assert told["rows"][1] == {
        "name": "pullo",
        "colour": "1",
        "cells": ["$0.0001", "1", "1", "1.5 s", "1", "20", "300", "4,000"],
    }
    assert told["total"] == ["$300.00", "2", "1", "3.0 s", "2", "40", "600", "8,000"]
    assert [(each["what"], each["total"]) for each in told["charts"]] == [
        ("usd", "$300.00"),
        ("tokens", "8,642"),
        ("turns", "2"),
        ("seconds", "3.0 s"),
        ("failed", "1"),
    ]
    cost = told["charts"][0]
    assert cost["head"] == ["Day", "vorenus", "pullo", "all"]
    assert cost["rows"] == [
        ["Sat 21 Nov", "$300.00", "$0.00", "$300.00"],
        ["Fri 20 Nov", "$0.00", "$0.0001", "$0.0001"],
    ]
    desc = fromstring(cost["svg"]).findtext("{http://www.w3.org/2000/svg}desc")
    assert desc == "15 November to 21 November 2026: $300.00 in all, most on 21 November with $300.00."


def test_where_nothing_ended_there_is_nothing_to_draw() -> None:
    told = shown(account())
    assert (told["legend"], told["rows"], told["charts"]) == ([], [], [])


def test_what_nobody_has_any_of_has_no_picture() -> None:
    failures = shown(account(figure("pullo")))["charts"][-1]
    assert (failures["what"], failures["total"], failures["svg"], failures["rows"]) == ("failed", "0", "", [])


def test_of_twelve_agents_the_last_are_others_in_the_picture_and_themselves_in_the_table() -> None:
    told = shown(account(*(figure(f"agent{number:02}", usd=20.0 - number) for number in range(12)), days=90))
    assert [each["name"] for each in told["legend"]] == [
        *(f"agent{number:02}" for number in range(COLOURS)),
        "others",
    ]
    assert told["legend"][-1]["total"] == "$55.00"
    assert [row["colour"] for row in told["rows"]] == [
        *map(str, range(COLOURS)),
        *["others"] * (12 - COLOURS),
    ]
    (row,) = told["charts"][0]["rows"]
    assert len(row) == len(told["charts"][0]["head"]) == COLOURS + 3
    assert row[-2:] == ["$55.00", "$174.00"]


def test_an_agent_called_like_the_others_is_counted_as_himself() -> None:
    told = shown(
        account(figure("others", usd=50.0), *(figure(f"agent{number}") for number in range(COLOURS)))
    )
    assert told["legend"][0] == {"name": "others", "colour": "0", "total": "$50.00"}
    assert told["legend"][-1] == {"name": "others", "colour": "others", "total": "$0.25"}


def test_names_of_any_kind_stand_in_picture_and_table_as_they_are() -> None:
    told = shown(account(figure(LONGEST, model=XSS), by=By.MODEL))
    assert told["rows"][0]["name"] == XSS
    assert "<img" not in told["charts"][0]["svg"]
    assert shown(account(figure(LONGEST)))["rows"][0]["name"] == LONGEST


def test_one_day_alone_can_be_shown() -> None:
    told = shown(Account((date(2026, 11, 21),), (figure("pullo"),)))
    assert told["since"] == told["until"]
    assert told["charts"][0]["rows"] == [["Sat 21 Nov", "$0.25", "$0.25"]]
