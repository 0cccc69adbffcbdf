import re
from pathlib import Path

import pyotp

from legio.cli import picture
from legio.config import take
from tests.processes import contents, said
from tests.scenes import scene


@scene
async def test_a_secret_is_shown_with_its_picture_and_written_nowhere(tmp_path: Path) -> None:
    code, output = await said("totp", folder=tmp_path)
    _, other = await said("totp", folder=tmp_path)
    found = re.search(r"^secret:  ([A-Z2-7]{32})\naddress: (otpauth://\S+)$", output, re.MULTILINE)
    assert code == 0
    assert found is not None
    secret, address = found.groups()
    parsed = pyotp.parse_uri(address)
    assert isinstance(parsed, pyotp.TOTP)
    assert (parsed.secret, parsed.interval, parsed.digits) == (secret, 30, 6)
    assert output.startswith(picture.of(address))
    assert "LEGIO_TOTP_SECRET_FILE" in output
    assert secret not in other, "each is a new one"
    assert contents(tmp_path) == {}
    assert take({"LEGIO_TOTP_SECRET": secret}).totp_secret == secret
