"""The Legatus's tools for standing work. Caesar sees what is set up in his name, and can undo it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from legio.brevity import on_one_line
from legio.decisions import Choice, Decisions
from legio.errors import Refused
from legio.nuntius import LEGATUS, Turn
from legio.ports import Button, Schedule, Tool, Work, takes
from legio.standing.standing import LONGEST_TEXT, Order, Standing

LISTED_CHARACTERS = 200
SHOWN = "Caesar was shown it, with a button to undo it."

Tell = Callable[[str, Sequence[Button]], Awaitable[None]]


def standing_tools(
    standing: Standing, decisions: Decisions, tell: Tell, turn: Callable[[], Turn | None]
) -> tuple[Tool, ...]:
    """The tools over `standing`; `turn` is the one that the Legatus works on."""
    return (
        _schedule(standing, decisions, tell, turn),
        _list_schedules(standing),
        _unschedule(standing, decisions, tell),
    )


def _schedule(standing: Standing, decisions: Decisions, tell: Tell, turn: Callable[[], Turn | None]) -> Tool:
    async def schedule(arguments: Mapping[str, object]) -> str:
        work = Work(str(arguments["kind"]))
        asking = turn()
        if work is Work.TASK and asking is not None and asking.nuntius.origin:
            raise Refused(
                "a turn that a schedule began sets up no further task.",
                remedy="Tell Caesar what you would set up.",
            )
        when = standing.read_when(str(arguments["when"]))
        made = await standing.set_up(Order(work, str(arguments["text"]), when, LEGATUS))
        said = standing.said(made)
        await tell(f"{said}\n{_what(made)}, set up by the Legatus.", undo(standing, decisions, made))
        return f"Understood, as schedule {made.number}: {said}. It is now {standing.now}. {SHOWN}"

    return Tool(
        "schedule",
        "Have something said or done later, once or again and again. A `reminder` is shown to Caesar as"
        " it stands and asks nobody. A `task` is put to the legion at that time in Caesar's name: write"
        " it as he would, with @name in front for a centurio. `when` is local time, such as"
        ' "2026-12-24 18:00", "tomorrow at 9:00", "in 20 minutes", "every Monday 8:00",'
        ' "every weekday 7:30", "every 2 hours" or "every month on the 1st 9:00". Tell Caesar what'
        " was understood.",
        takes(
            kind={"type": "string", "enum": [work.value for work in Work]},
            text={"type": "string", "minLength": 1, "maxLength": LONGEST_TEXT},
            when={"type": "string", "minLength": 1, "maxLength": 200},
        ),
        schedule,
    )


def _list_schedules(standing: Standing) -> Tool:
    async def list_schedules(_: Mapping[str, object]) -> str:
        rows = [listed(standing, each) for each in await standing.all()]
        return "\n".join([*rows, f"It is now {standing.now}."])

    return Tool(
        "list_schedules",
        "What stands for later: numbers, times and texts. And what time it is.",
        takes(),
        list_schedules,
    )


def _unschedule(standing: Standing, decisions: Decisions, tell: Tell) -> Tool:
    async def unschedule(arguments: Mapping[str, object]) -> str:
        ended = await standing.end(_number(arguments["number"]))
        await tell(f"The Legatus took away {_what(ended)}.", restore(standing, decisions, ended))
        return f"Schedule {ended.number} does not stand any more. {SHOWN}"

    return Tool(
        "unschedule",
        "Take away what stands under a number of list_schedules. Only at Caesar's word.",
        takes(number={"type": "integer", "minimum": 1}),
        unschedule,
    )


def listed(standing: Standing, schedule: Schedule) -> str:
    """A schedule on a line of its own, and its text below, shortened."""
    by = ", set up by the Legatus" if schedule.author == LEGATUS else ""
    text = on_one_line(schedule.text, LISTED_CHARACTERS)
    return f"{schedule.number} · {schedule.work}{by} · {standing.said(schedule)}\n{text}"


def undo(standing: Standing, decisions: Decisions, schedule: Schedule) -> tuple[Button, ...]:
    """The button that takes away what was just set up."""

    async def act() -> str:
        await standing.end(schedule.number)
        return "Undone: nothing is set up."

    stands = f"It stands; /unschedule {schedule.number} takes it away."
    return decisions.offer([Choice("Undo", act)], expired=stands)


def restore(standing: Standing, decisions: Decisions, schedule: Schedule) -> tuple[Button, ...]:
    """The button that lets stand again what was just taken away."""

    async def act() -> str:
        return f"It stands again: {standing.said(await standing.resume(schedule.number))}"

    return decisions.offer([Choice("Undo", act)], expired="It is taken away.")


def _what(schedule: Schedule) -> str:
    return f"{schedule.work} {schedule.number}: {schedule.text}"


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
