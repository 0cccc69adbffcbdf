from pathlib import Path

from legio.roster import Profile
from legio.tuning import SETTING, Choice, Dial, Tuning
from tests.praetorium.record import praetorium_in
from tests.scenes import scene

PLAIN = Profile("pullo", "builds", "You build.")
PARTICULAR = Profile("brutus", "doubts", "You doubt.", model="claude-own", effort="max")


@scene
async def test_the_nearest_word_is_in_force_and_says_whose_it_is(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        tuning = Tuning(praetorium.settings, model="configured")
        assert tuning.model(PLAIN) == Choice("configured", "from legio.toml")
        assert tuning.effort(PLAIN).value is None
        assert "nobody named one" in tuning.effort(PLAIN).reason

        await tuning.say(Dial.MODEL, "haiku")
        await tuning.say(Dial.EFFORT, "low")
        assert tuning.model(PLAIN) == Choice("haiku", "set by /model for all")
        assert tuning.effort(PLAIN) == Choice("low", "set by /effort for all")
        assert tuning.model(PARTICULAR) == Choice("claude-own", "from his prompt.md")
        assert tuning.effort(PARTICULAR) == Choice("max", "from his prompt.md")

        await tuning.say(Dial.MODEL, "opus", "brutus")
        assert tuning.of(Dial.MODEL, PARTICULAR) == Choice("opus", "set by /model for brutus")
        assert tuning.of(Dial.EFFORT, PARTICULAR).value == "max"
        await tuning.say(Dial.MODEL, None, "brutus")
        await tuning.say(Dial.MODEL, None, "brutus")
        assert tuning.model(PARTICULAR).value == "claude-own"


@scene
async def test_what_was_said_outlives_a_restart_and_what_cannot_be_read_counts_for_nothing(
    tmp_path: Path,
) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        before = Tuning(praetorium.settings, model=None)
        await before.load()
        await before.say(Dial.MODEL, "haiku", "pullo")

        after = Tuning(praetorium.settings, model=None)
        await after.load()
        assert after.said(Dial.MODEL, "pullo") == "haiku"
        assert after.model(PLAIN).value == "haiku"

        for broken in ("{", "[]", '{"model": 3}'):
            await praetorium.settings.put(SETTING, broken)
            again = Tuning(praetorium.settings, model=None)
            await again.load()
            assert again.model(PLAIN).value is None


@scene
async def test_offered_are_the_aliases_and_whatever_is_named_anywhere(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        tuning = Tuning(praetorium.settings, model="configured")
        await tuning.say(Dial.MODEL, "said", "pullo")
        await tuning.say(Dial.MODEL, "haiku")
        offered = tuning.models((PLAIN, PARTICULAR))
    assert offered == ("opus", "sonnet", "haiku", "configured", "claude-own", "said")
