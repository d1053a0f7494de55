"""A client at the other end of two pipes, and the real mode between it and a real host."""

import asyncio
import contextlib
import json
import os

import pytest

from pihost import Host, HostConfig
from pihost.config import HostOptions
from pihost.modes.rpc.mode import Limits, RpcMode

PATIENCE = 20.0
_LIMITS = Limits()


class Client:
    """What a client writes and reads, line by line."""

    def __init__(self, source, target):
        self.host = None
        self._source = source
        self._target = target
        self._begun = b""
        self.seen = []
        self.served = None

    def write(self, data):
        """Write bytes as they are."""
        os.write(self._source, data)

    def send(self, **record):
        """Write a record."""
        self.write(json.dumps(record).encode() + b"\n")

    def close(self):
        """Say nothing more."""
        if self._source is not None:
            os.close(self._source)
            self._source = None

    async def read(self):
        """The next record."""
        while b"\n" not in self._begun:
            async with asyncio.timeout(PATIENCE):
                piece = await asyncio.to_thread(os.read, self._target, 65536)
            assert piece, "the mode has closed its end"
            self._begun += piece
        line, self._begun = self._begun.split(b"\n", 1)
        self.seen.append(json.loads(line))
        return self.seen[-1]

    async def until(self, **fields):
        """The next record that has these fields."""
        while True:
            record = await self.read()
            if fields.items() <= record.items():
                return record

    async def ask(self, **record):
        """Send a command and give its response."""
        self.send(id="asked", **record)
        return await self.until(type="response", id="asked")

    async def rest(self):
        """Every record up to the end."""
        data = self._begun
        while piece := await asyncio.to_thread(os.read, self._target, 65536):
            data += piece
        self.seen += map(json.loads, data.splitlines())
        return self.seen

    def types(self):
        """The types of what was read."""
        return [record["type"] for record in self.seen]


@pytest.fixture
def connected(tmp_path, project):
    """A client of a session that is served until the block ends."""

    @contextlib.asynccontextmanager
    async def connect(limits=_LIMITS, before=lambda client: None, **options):
        (source, client_source), (client_target, target) = os.pipe(), os.pipe()
        mode = RpcMode(source, target, limits)
        client = Client(client_source, client_target)
        before(client)
        try:
            async with Host.open(
                project,
                config=HostConfig(home=tmp_path / "home"),
                options=HostOptions(mode="rpc", **options),
                ui=mode.ui,
                before_start=mode.follow,
            ) as host:
                client.host = host
                client.served = asyncio.ensure_future(mode.run(host, []))
                try:
                    yield client
                finally:
                    client.close()
                    async with asyncio.timeout(PATIENCE):
                        assert await client.served == 0
        finally:
            mode.finish()
            for descriptor in (source, target):
                os.close(descriptor)
            await client.rest()
            os.close(client_target)

    return connect
