"""All of it joined, as the composition root does it."""

from pathlib import Path

from legio.console.access import Access, Identity, Links
from legio.praetorium import open_praetorium
from tests.clocks import FakeClock
from tests.console.access.rig import BOT, CAESAR, HIDDEN, PUBLIC, site
from tests.scenes import scene


def test_who_caesar_is_can_be_shown_and_the_bots_token_cannot() -> None:
    assert str(CAESAR) in repr(Identity(CAESAR, BOT))
    assert BOT not in repr(Identity(CAESAR, BOT))


@scene
async def test_a_link_stands_where_it_is_said_to(tmp_path: Path) -> None:
    async with open_praetorium(tmp_path / "praetorium.db", FakeClock()) as praetorium:
        access = Access(praetorium.settings, FakeClock(), Identity(CAESAR, BOT))
        assert (await access.link(PUBLIC)).startswith(f"{PUBLIC}/login#")
        paths = {getattr(route, "path", "") for route in access.routes()}
    assert paths == {
        "/login",
        "/login/ways",
        "/login/link",
        "/login/code",
        "/login/telegram",
        "/logout",
        "/logout/everywhere",
    }


@scene
async def test_a_link_that_another_process_made_opens_the_page_of_this_one(tmp_path: Path) -> None:
    clock = FakeClock()
    async with site(tmp_path, clock=clock) as made:
        async with open_praetorium(tmp_path / "praetorium.db", clock) as elsewhere:
            link = await Links(elsewhere.settings, clock).make(made.url)
        browser = made.browser()
        assert (await browser.opens(link)).status_code == 200
        assert (await browser.get("/camp/secret/words")).json() == {"words": HIDDEN}
