from legio.local.model import state as state_module
from legio.local.model.script import Answer, Failure, Retried, Script
from legio.local.model.state import ModelState
from tests.local.model.asking import asking, user

AVE, VALE = asking(user("ave")), asking(user("vale"))


def test_the_recruit_decides_where_nothing_else_does() -> None:
    assert ModelState().decide(asking(user("echo ave"))) == Answer("ave")


def test_a_script_given_by_hand_comes_first_and_once() -> None:
    state = ModelState(answer=lambda _: Answer("recruit"))
    state.script_next(Answer("one"))
    state.script_next(Answer("two"))

    assert [state.decide(AVE) for _ in range(3)] == [Answer("one"), Answer("two"), Answer("recruit")]


def test_a_script_given_by_hand_waits_for_its_request() -> None:
    state = ModelState(answer=lambda _: Answer("recruit"))
    state.script_next(Answer("one"), match=lambda request: request == VALE)

    assert [state.decide(request) for request in (AVE, VALE, VALE)] == [
        Answer("recruit"),
        Answer("one"),
        Answer("recruit"),
    ]


def test_tries_are_counted_for_each_request_alone() -> None:
    state = ModelState(answer=lambda _: Retried(Failure(529), 2, Answer("ave")))

    tries = [state.decide(request) for request in (AVE, VALE, AVE, AVE, VALE)]

    assert tries == [Failure(529), Failure(529), Failure(529), Answer("ave"), Failure(529)]


def test_the_count_starts_again_when_it_has_ended() -> None:
    state = ModelState(answer=lambda _: Retried(Failure(529), 1, Answer("ave")))

    assert [state.decide(AVE) for _ in range(3)] == [Failure(529), Answer("ave"), Failure(529)]


def test_a_counted_script_given_by_hand_holds_for_its_tries() -> None:
    state = ModelState(answer=lambda _: Answer("recruit"))
    state.script_next(Retried(Failure(529), 1, Answer("scripted")))

    assert [state.decide(AVE) for _ in range(3)] == [Failure(529), Answer("scripted"), Answer("recruit")]


def test_counts_of_requests_that_never_come_again_are_forgotten() -> None:
    script: Script = Retried(Failure(529), 1, Answer("ave"))
    state = ModelState(answer=lambda _: script)
    state.decide(AVE)
    for number in range(state_module.MAX_TRIED):
        state.decide(asking(user(str(number))))

    assert state.decide(AVE) == Failure(529)


def test_the_last_requests_are_on_record() -> None:
    state = ModelState(keep=2)
    for request in (AVE, AVE, VALE):
        state.decide(request)

    assert list(state.requests) == [AVE, VALE]


def test_a_key_admits_only_itself() -> None:
    assert ModelState().admits("")
    assert ModelState(key="a").admits("a")
    assert not ModelState(key="a").admits("b")
    assert not ModelState(key="a").admits("")
