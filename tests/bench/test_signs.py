from legio.local.botapi.state import BotApiState, Call
from tests.bench.camp import CAESAR_ID, TOKEN
from tests.bench.report import Sample
from tests.bench.signs import first_sign, sign_figure


def test_the_first_sign_is_the_first_call_that_shows() -> None:
    state = BotApiState(token=TOKEN, owner_id=CAESAR_ID)
    methods = ("sendChatAction", "getUpdates", "editMessageText", "sendChatAction", "sendMessage")
    state.calls.extend(Call(method, {}, float(at)) for at, method in enumerate(methods))
    found = first_sign(state, since=0.5)
    assert found is not None
    assert found.at == 3.0
    assert first_sign(state, since=9.0) is None


def test_it_is_judged_by_its_95th_percentile() -> None:
    assert sign_figure(Sample((0.05,) * 19 + (9.0,))).met
    assert not sign_figure(Sample((0.05,) * 18 + (9.0, 9.0))).met
