"""The methods by which a bot receives: the long poll, or the webhook, and never both."""

from legio.local.botapi.parameters import Parameters
from legio.local.botapi.state import BotApiState, Method
from legio.local.botapi.updates import BATCH_LIMIT
from legio.local.botapi.webhook import target
from legio.local.botapi.wire import Wire, conflict

WEBHOOK_ACTIVE = (
    "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
)


async def get_updates(state: BotApiState, parameters: Parameters) -> list[Wire]:
    """The next updates; waits for one as long as `timeout` says."""
    if state.webhook.active:
        raise conflict(WEBHOOK_ACTIVE)
    state.updates.allow(parameters.sequence("allowed_updates"))
    return await state.updates.take(
        offset=parameters.integer("offset"),
        limit=parameters.integer("limit", BATCH_LIMIT),
        timeout=max(0, parameters.integer("timeout")),
    )


async def set_webhook(state: BotApiState, parameters: Parameters) -> bool:
    """Updates are pushed to `url` from now on; an empty one ends that."""
    url = parameters.string("url")
    chosen = target(url, parameters.string("secret_token")) if url else None
    state.updates.allow(parameters.sequence("allowed_updates"))
    if parameters.flag("drop_pending_updates"):
        state.updates.clear()
    if chosen is None:
        await state.webhook.stop()
        return True
    state.updates.send_away(conflict("terminated by setWebhook request"))
    await state.webhook.start(chosen)
    return True


async def delete_webhook(state: BotApiState, parameters: Parameters) -> bool:
    """Updates are fetched again."""
    if parameters.flag("drop_pending_updates"):
        state.updates.clear()
    await state.webhook.stop()
    return True


async def get_webhook_info(state: BotApiState, _: Parameters) -> Wire:
    """How the delivery goes."""
    return state.webhook.info()


METHODS: dict[str, Method] = {
    "getUpdates": get_updates,
    "setWebhook": set_webhook,
    "deleteWebhook": delete_webhook,
    "getWebhookInfo": get_webhook_info,
}
