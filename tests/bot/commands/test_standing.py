from datetime import UTC, datetime
from pathlib import Path

from legio.ports import Work
from legio.standing.scheduler import URGENT
from tests.bot.desks import desk
from tests.scenes import scene

# The zone of the desk is Europe/Zurich, its clock the real one: days are far away, or relative.
YEAR = datetime.now(UTC).year + 2


@scene
async def test_a_reminder_is_set_up_said_in_full_and_undone(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        reply = await commands.run(f"/remind {YEAR}-06-01 18:00 to call Livia", update_id=7)
        again = await commands.run(f"/remind {YEAR}-06-01 18:00 to call Livia", update_id=7)
        (standing,) = await camp.standing.all()

        assert f"1 June {YEAR} 18:00 Europe/Zurich\nReminder 1: call Livia" in reply.text
        assert reply.text == again.text
        assert (standing.work, standing.text, standing.author) == (Work.REMINDER, "call Livia", "caesar")
        assert await camp.decisions.press(reply.buttons[0].data) == "Undone: nothing is set up."
        assert await camp.standing.all() == ()


@scene
async def test_reminders_are_written_as_people_speak(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        for line in (
            "/remind me in 20 minutes that tea is ready",
            "/remind in 20 minutes: call",
            "/remind every day at 7 rise",
        ):
            await commands.run(line)

        assert {each.text for each in await camp.standing.all()} == {"tea is ready", "call", "rise"}


@scene
async def test_schedules_are_listed_and_taken_away(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        empty = await commands.run("/schedule")
        made = await commands.run("/schedule every Monday 8:00 @vorenus survey the ford")
        listed = await commands.run("/schedule")
        gone = await commands.run("/unschedule 1")

        assert empty.text.startswith("Nothing stands. It is ")
        assert "then every Monday at 08:00\nTask 1: @vorenus survey the ford" in made.text
        assert listed.text.startswith("1 · task · ⏰ Monday ")
        assert "@vorenus survey the ford" in listed.text
        assert gone.text == "Task 1 is taken away: @vorenus survey the ford"
        assert await camp.standing.all() == ()
        assert (await camp.decisions.press(gone.buttons[0].data)).startswith("It stands again: ⏰ Monday")
        assert "no schedule 9 stands" in (await commands.run("/unschedule 9")).text


@scene
async def test_what_is_not_understood_is_answered_with_examples(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        alone = await commands.run("/remind")
        vague = await commands.run("/remind soon to call Livia")
        empty = await commands.run("/remind tomorrow")
        unnumbered = await commands.run("/unschedule all")

        assert "Usage: /remind <when> <text>" in alone.text
        assert "the time is not understood" in vague.text
        assert "every weekday 7:30" in vague.text
        assert "nothing to be said" in empty.text
        assert "Usage: /unschedule <number>" in unnumbered.text
        assert await camp.standing.all() == ()


@scene
async def test_quiet_hours_are_set_shown_and_ended(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        before = await commands.run("/quiet")
        put = await commands.run("/quiet 22:00-07:00")
        shown = await commands.run("/quiet")
        wrong = await commands.run("/quiet often")
        kept = await camp.praetorium.settings.get("quiet")
        off = await commands.run("/quiet off")

        assert before.text == off.text == "There are no quiet hours. /quiet 22:00-07:00 sets them."
        assert put.text.startswith("Messages come silently 22:00-07:00 Europe/Zurich. It is ")
        assert shown.text.split("now")[0] == put.text.split("now")[0]
        assert "Write them like 22:00-07:00" in wrong.text
        assert kept == "22:00-07:00"
        assert await camp.praetorium.settings.get("quiet") is None


@scene
async def test_a_reminder_that_will_not_ring_says_so(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, _, _):
        await commands.run("/quiet 22:00-07:00")

        silent = await commands.run(f"/remind {YEAR}-06-01 6:30 rise")
        urgent = await commands.run(f"/remind {YEAR}-06-01 6:30 {URGENT} rise")
        later = await commands.run(f"/remind {YEAR}-06-01 7:00 rise")
        task = await commands.run(f"/schedule {YEAR}-06-01 6:30 rise")

    assert "comes silently" in silent.text
    assert not any("comes silently" in reply.text for reply in (urgent, later, task))
