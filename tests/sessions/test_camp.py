from inspect import signature

from legio.nuntius import Nuntius
from legio.ports import Enclosed
from legio.sessions import Camp
from tests.clocks import DAWN
from tests.scenes import scene


@scene
async def test_a_legion_without_files_encloses_nothing() -> None:
    enclose = signature(Camp).parameters["enclose"].default
    nuntius = Nuntius("id", "caesar", "look", ("vorenus",), DAWN)
    assert await enclose(nuntius, None) == Enclosed()
