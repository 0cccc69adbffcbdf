from pathlib import Path

from legio.ports import Button
from tests.bot.desks import desk
from tests.scenes import scene


@scene
async def test_what_is_in_force_is_shown_and_every_word_is_offered(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        prompt = camp.castra.prompt("brutus")
        prompt.write_text(prompt.read_text().replace("---\n", "---\nmodel: claude-own\neffort: low\n", 1))
        every, one = await commands.run("/model"), await commands.run("/effort @brutus")
    assert "brutus: claude-own (from his prompt.md)" in every.text
    assert "legatus: default (nobody named one)" in every.text
    assert [button.label for button in every.buttons] == ["opus", "sonnet", "haiku", "claude-own", "default"]
    assert one.text == "brutus: low (from his prompt.md)\n\nSet effort for brutus:"
    assert [button.label for button in one.buttons] == ["low", "medium", "high", "xhigh", "max", "default"]


@scene
async def test_a_word_is_set_for_one_or_for_all_and_taken_back(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, _, _):
        one = (await commands.run("/model @Brutus opus")).text
        every = (await commands.run("/model haiku")).text
        shown = (await commands.run("/model")).text
        back = (await commands.run("/model brutus default")).text
        none = (await commands.run("/model default")).text
        effort = (await commands.run("/effort legatus max")).text
    assert one.startswith("brutus has the model opus (set by /model for brutus) from his next turn on")
    assert "/model @brutus default goes back" in one
    assert "Model for all: haiku" in every
    assert "brutus keeps opus (set by /model for brutus)" in every
    assert "pullo: haiku (set by /model for all)" in shown
    assert (
        back
        == "brutus has the model haiku (set by /model for all) from his next turn on; his thread goes on."
    )
    assert none == "Model for all: default, from each one's next turn on; the threads go on."
    assert effort.startswith("legatus has the effort max (set by /effort for legatus) from his next turn on;")


@scene
async def test_a_button_sets_what_it_says(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        buttons: dict[str, Button] = {it.label: it for it in (await commands.run("/model pullo")).buttons}
        said = await camp.decisions.press(buttons["sonnet"].data)
        shown = (await commands.run("/model pullo")).text
    assert said.startswith("pullo has the model sonnet")
    assert "pullo: sonnet (set by /model for pullo)" in shown


@scene
async def test_what_is_no_name_no_effort_or_too_much_is_said(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, _, _):
        assert "nobody called 'titus'" in (await commands.run("/model @titus opus")).text
        assert "'huge' is no effort.\n\nUsage: /effort" in (await commands.run("/effort huge")).text
        for line in ("/model pullo opus now", "/model opus pullo", f"/model {'x' * 101}"):
            assert "one name and one word are enough" in (await commands.run(line)).text
