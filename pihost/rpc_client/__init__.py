"""The typed client of rpc mode: a session in another process, without importing the host.

```python
async with RpcClient.start(cwd=project) as client:
    async for event in client.prompt("read README.md"):
        ...
```
"""

from pihost.protocol.replies import CommandRecord, ExtensionRecord, Extensions, HandlerTimeRecord, State
from pihost.protocol.stream import EventsLost, MessageUpdate, SessionBegun, UnknownEvent
from pihost.rpc_client._client import RpcClient
from pihost.rpc_client._errors import RpcCommandError, RpcConnectionError, RpcError
from pihost.ui import UI, NoUI

__all__ = [
    "UI",
    "CommandRecord",
    "EventsLost",
    "ExtensionRecord",
    "Extensions",
    "HandlerTimeRecord",
    "MessageUpdate",
    "NoUI",
    "RpcClient",
    "RpcCommandError",
    "RpcConnectionError",
    "RpcError",
    "SessionBegun",
    "State",
    "UnknownEvent",
]
