"""The Agent SDK's gate: the only importer of `claude_agent_sdk`."""

import os

# The CLI that is started is the one that the SDK bundles: asking it for its version at every start would
# only start it twice.
os.environ.setdefault("CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK", "1")
