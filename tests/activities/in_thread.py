"""What the servers that tests start have in common."""

import asyncio
import threading


class InThread:
    """A server on 127.0.0.1 in a thread and a loop of its own; who inherits it answers in `_connection`."""

    def start(self):
        started = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(started)), daemon=True)
        self._thread.start()
        assert started.wait(5)

    def stop(self):
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(5)

    def _options(self):
        """More for `asyncio.start_server`."""
        return {}

    async def _serve(self, started):
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._connection, "127.0.0.1", 0, **self._options())
        self.port = server.sockets[0].getsockname()[1]
        started.set()
        await self._stop.wait()
        server.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
