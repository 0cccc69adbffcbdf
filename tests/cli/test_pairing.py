"""Pairing as the owner meets it: a real process, a terminal with a code, and a chat that obeys him then."""

import re
import signal
from pathlib import Path

from legio.cli.pairing import WELCOME
from legio.config import load
from legio.local.botapi.message import Person
from tests.processes import CAESAR, Station, contents, legio, refused, said, station
from tests.scenes import scene

INVITED = re.compile(
    r"Nobody is Caesar yet\. Open https://t\.me/legio_bot\?start=([A-Z2-9-]{14}) and press Start, or send"
    r" \1 to @legio_bot in a private chat\. Whoever sends it first is Caesar; it is good for 10 minutes\.\n"
)


def unpaired(made: Station) -> dict[str, str]:
    return {name: value for name, value in made.environment.items() if "CAESAR" not in name}


def code_of(line: str) -> str:
    found = INVITED.fullmatch(line)
    assert found, line
    return found[1]


@scene(deadline=60)
async def test_whoever_sends_the_code_is_caesar_from_then_on_and_in_the_next_process(tmp_path: Path) -> None:
    async with station(tmp_path) as made:
        path = tmp_path / "legio.toml"
        before = path.read_text()
        async with legio(folder=tmp_path, environment=unpaired(made)) as process:
            code = code_of(await process.says("Nobody is Caesar"))
            busy = await refused("run", folder=tmp_path, environment=made.environment)
            made.telegram.say("who is there?", user=Person(666, "Stranger"))
            made.telegram.say(f"/start {code}")
            await process.says("Ctrl-C stops it.")
            (greeting,) = await made.telegram.wait_for(lambda: made.telegram.answers)
            (answer,) = await made.ask("echo at your service")
            process.signal(signal.SIGTERM)
            assert await process.ends() == 0
        async with legio("run", folder=tmp_path, environment=unpaired(made)) as process:
            await process.says("Ctrl-C stops it.")
        strangers = made.telegram.chats.of(Person(666, "Stranger")).messages.values()

    assert "another Legio (pid" in busy
    assert greeting.text.plain == WELCOME
    assert answer.endswith("at your service")
    assert [message.sender.is_bot for message in strangers] == [False]
    assert path.read_text().replace(f"caesar_id = {CAESAR}\n", "", 1) == before
    assert code not in process.errors


@scene(deadline=60)
async def test_a_file_that_may_not_be_written_is_told_and_legio_serves_all_the_same(tmp_path: Path) -> None:
    async with station(tmp_path) as made:
        path = tmp_path / "legio.toml"
        path.chmod(0o444)
        before = contents(tmp_path)["legio.toml"]
        async with legio("run", folder=tmp_path, environment=unpaired(made), mortal=True) as process:
            made.telegram.say(code_of(await process.says("Nobody is Caesar")))
            await process.says("Ctrl-C stops it.")
            await made.telegram.wait_for(lambda: made.telegram.answers)
            (answer,) = await made.ask("/version")
            log = process.errors
    assert process.stdout[1] == (
        f"Caesar is {CAESAR}, but {path}: it cannot be written (it is read-only). Write"
        f" `caesar_id = {CAESAR}` under [telegram] there yourself, or set LEGIO_TELEGRAM_CAESAR_ID={CAESAR};"
        " until then each start asks anew.\n"
    )
    assert answer.startswith("Legio ")
    assert contents(tmp_path)["legio.toml"] == before
    assert "pairing.done" in log
    assert process.stdout[0].split("start=")[1][:14] not in log


@scene
async def test_an_interrupt_ends_the_pairing_and_a_health_check_finds_it_alive(tmp_path: Path) -> None:
    async with (
        station(tmp_path) as made,
        legio("run", folder=tmp_path, environment=unpaired(made)) as process,
    ):
        await process.says("Nobody is Caesar")
        healthy, _ = await said("health", folder=tmp_path, environment=unpaired(made))
        process.signal(signal.SIGINT)
        assert await process.ends() == 130
    assert healthy == 0
    assert "Traceback" not in process.errors


@scene(deadline=60)
async def test_five_wrong_codes_end_legio_with_1_and_a_castra_of_nobody_begins_no_pairing(
    tmp_path: Path,
) -> None:
    async with station(tmp_path) as made:
        environment = unpaired(made)
        async with legio("run", folder=tmp_path, environment=environment) as process:
            await process.says("Nobody is Caesar")
            for _ in range(5):
                made.telegram.say("/start ZZZZ-ZZZZ-ZZZZ")
            assert await process.ends() == 1
        deserted = environment | {"LEGIO_CASTRA": "nowhere"}
        nowhere = await refused("run", folder=tmp_path, environment=deserted)
        asked = made.telegram.answers
    assert process.errors.splitlines()[-1] == (
        "legio: the pairing is over: 5 wrong codes were sent to the bot. Start Legio again for a new code."
    )
    assert process.stdout[1:] == [
        f"A wrong code was sent to the bot; tries left: {n}.\n" for n in (4, 3, 2, 1)
    ]
    assert load(tmp_path / "legio.toml", {}).telegram.caesar_id is None
    assert "there is no Legatus in this castra" in nowhere
    assert not (tmp_path / "nowhere").exists()
    assert asked == ()
