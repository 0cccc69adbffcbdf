"""Figures for the tests of the console's costs."""

from datetime import date

from legio.ports import Figure

TODAY = date(2026, 11, 21)


def figure(
    agent: str, *, day: date = TODAY, model: str = "sonnet", usd: float = 0.25, failed: int = 0
) -> Figure:
    """One turn of that agent, of a second and a half."""
    return Figure(day, agent, model, 1, failed, 1, 20, 300, 4000, usd, 1.5)
