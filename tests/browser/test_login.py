"""Who may see the console: a stranger's browser gets the login page and nothing else, Caesar's gets in."""

from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.async_api import Page, expect

from tests.browser.axe import faults
from tests.browser.browsing import NARROW, WIDE, Visit, visit
from tests.console.access.rig import HIDDEN, Site, init_data, site
from tests.scenes import scene, until

pytestmark = pytest.mark.browser

PATIENCE_MS = 30_000
LOADED = "performance.getEntriesByType('resource').map((entry) => new URL(entry.name).pathname)"
LOGIN_PAGE = {"/static/login.js", "/static/login.css", "/static/page.css", "/static/icon.svg", "/login/ways"}


async def inside(page: Page, made: Site) -> None:
    """The page has opened; nothing secret stands in its address or in what can be gone back to."""
    await expect(page.locator("main")).to_have_text(HIDDEN, timeout=PATIENCE_MS)
    assert page.url in {f"{made.url}/", f"{made.url}/#/secret"}


def word(made: Site) -> str:
    """What Telegram writes behind the address when Caesar opens the page from its menu."""
    return f"#tgWebAppData={quote(init_data(made.clock), safe='')}&tgWebAppVersion=9.0"


async def strange(page: Page, made: Site) -> None:
    """The login page is shown, and nothing else."""
    await expect(page.get_by_role("status")).to_have_text("This camp opens by a link.")
    assert page.url == f"{made.url}/login"
    assert HIDDEN not in await page.content()


def forgive(visited: Visit) -> None:
    """What the browser says of answers that were refused is no fault of the page's."""
    visited.complaints[:] = [each for each in visited.complaints if "the server responded with a" not in each]


@scene(deadline=120)
async def test_a_stranger_gets_the_login_page_and_a_link_opens_it_once(tmp_path: Path) -> None:
    async with site(tmp_path, codes=False) as made, visit(made.url, NARROW) as visited:
        page = visited.page
        page.set_default_timeout(PATIENCE_MS)
        await strange(page, made)
        assert set(await page.evaluate(LOADED)) <= LOGIN_PAGE
        await expect(page.locator("form")).to_be_hidden()
        assert await faults(page) == []
        await visited.look("login")

        link = await made.access.link(made.url)
        for address in (link, made.url, f"{made.url}/login"):
            await page.goto(address, wait_until="commit")  # what is loaded then goes on to the camp by itself
            await inside(page, made)
        await page.reload()
        await inside(page, made)
        assert made.reasons == []

        await page.get_by_text("Sign out").click()
        await visited.look("leaving")
        assert await faults(page) == []
        await page.get_by_role("button", name="On this device").click()
        await strange(page, made)
        await page.goto(made.url)
        await strange(page, made)

        await page.goto(link, wait_until="commit")
        await expect(page.get_by_role("status")).to_contain_text("This link is not good any more.")
        assert page.url == f"{made.url}/login", "not even a dead secret stays in the address"
        await visited.look("login-dead-link")
        forgive(visited)


@scene(deadline=120)
async def test_a_code_of_the_authenticator_opens_it_and_telegrams_word_alone_does_not(tmp_path: Path) -> None:
    async with site(tmp_path) as made, visit(made.url, WIDE) as visited:
        page = visited.page
        page.set_default_timeout(PATIENCE_MS)
        field = page.get_by_label("Code of your authenticator")
        await expect(field).to_be_focused()
        await page.keyboard.type(made.wrong)
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("status")).to_have_text(
            "That code is wrong. Look at your authenticator again."
        )
        assert await faults(page) == []
        await visited.look("login-code")
        code = made.code()
        await field.fill(f"{code[:3]} {code[3:]}")
        await page.keyboard.press("Enter")
        await inside(page, made)

        await page.get_by_text("Sign out").click()
        await page.get_by_role("button", name="Everywhere").click()
        await expect(field).to_be_visible()
        await page.goto(f"{made.url}/{word(made)}", wait_until="commit")
        await expect(page.get_by_role("status")).to_have_text(
            "This camp is opened with a code. Look at your authenticator."
        )
        assert page.url == f"{made.url}/login"
        assert HIDDEN not in await page.content()
        await until(lambda: made.reasons == ["code: wrong", "initData: a code is wanted"])
        forgive(visited)


@scene(deadline=120)
async def test_where_there_is_no_authenticator_telegrams_word_opens_it_once(tmp_path: Path) -> None:
    async with site(tmp_path, codes=False) as made, visit(made.url, NARROW) as visited:
        page, said = visited.page, word(made)
        page.set_default_timeout(PATIENCE_MS)
        await strange(page, made)
        await page.goto(f"{made.url}/{said}", wait_until="commit")
        await inside(page, made)
        await page.goto(f"{made.url}/login{said}", wait_until="commit")
        await inside(page, made)
        await until(lambda: made.reasons == ["initData: used before"])
        forgive(visited)
