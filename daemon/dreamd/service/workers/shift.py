"""A worker at work: takes tasks until it is told to stop or none is left, and outlives a server that goes away."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from procrastinate import App
from procrastinate.exceptions import ConnectorException
from procrastinate.worker import Worker
from psycopg_pool import PoolTimeout

from dreamd.core.errors import DreamError
from dreamd.service.workers.errands import OTHER_VERSION, Errands
from dreamd.service.workers.queue_door import Tasks, make_app
from dreamd.store.team import task_queue
from dreamd.store.team.database import as_told

POLL_S = 2.0
LONGEST_PAUSE_S = 15.0
AWAY = (ConnectorException, PoolTimeout, OSError)


@dataclass(frozen=True)
class Shift:
    """How a worker works."""

    concurrency: int = 1
    lost_after_s: float = 30.0
    """Without a sign of life for so long, a worker's tasks are taken over."""
    until_idle: bool = False
    once: bool = False
    poll_s: float = POLL_S

    @property
    def stays(self) -> bool:
        """Whether it waits for tasks to come."""
        return not (self.until_idle or self.once)


class _Turn:
    """One worker of the library's, for as long as the server answers; made again where it did not."""

    def __init__(self, errands: Errands, shift: Shift, tell: Callable[[str], None]) -> None:
        self._errands, self._shift, self._tell = errands, shift, tell
        self._worker: Worker | None = None
        self._left: list[int] = []
        """Workers of ours that could not sign off: nothing of theirs runs any more."""

    def stop(self) -> None:
        """Take no more tasks; the ones at work end after their step."""
        if self._worker is not None:
            self._worker.stop()  # type: ignore[no-untyped-call]

    async def take(self) -> None:
        """Work until there is nothing left, or until somebody stops it."""
        shift = self._shift
        app = make_app(self._errands, connections=shift.concurrency + 3, periodic=shift.stays)
        async with app.open_async():
            while self._left:
                await app.job_manager.unregister_worker(self._left[-1])
                self._left.pop()
            self._worker = worker = Worker(
                app, queues=self._errands.tenants, concurrency=shift.concurrency, wait=shift.stays,
                fetch_job_polling_interval=shift.poll_s, abort_job_polling_interval=60, listen_notify=False,
                install_signal_handlers=False, update_heartbeat_interval=shift.lost_after_s / 3,
                stalled_worker_timeout=shift.lost_after_s)
            sweeping = asyncio.create_task(self._sweep(app, worker))
            try:
                await self._first_sweep(app)
                if not self._errands.stop():
                    await worker.run()  # type: ignore[no-untyped-call]
            finally:
                sweeping.cancel()
                self._left += [worker.worker_id] if worker.worker_id is not None else []
                self._worker = None

    async def _first_sweep(self, app: App) -> None:
        assert isinstance(app.job_manager, Tasks)
        await app.job_manager.sweep(lost_after_s=self._shift.lost_after_s)

    async def _sweep(self, app: App, worker: Worker) -> None:
        while True:
            await asyncio.sleep(self._shift.lost_after_s / 2)
            assert isinstance(app.job_manager, Tasks)
            with suppress(*AWAY):  # the worker itself notices that the server is away
                if worker.worker_id is not None:  # whoever looks for the others is alive, however busy the machine was
                    await app.job_manager.update_heartbeat(worker.worker_id)
                became = await app.job_manager.sweep(lost_after_s=self._shift.lost_after_s)
                if became:
                    self._tell("taken back from a worker that is gone: " + ", ".join(f"{n} {w}" for w, n in became.items()))


async def work(errands: Errands, shift: Shift, tell: Callable[[str], None], *, hears: bool = True) -> None:
    """Work a shift; with `hears`, SIGTERM and SIGINT end it after the step, and at once when they come again."""
    turn, asked = _Turn(errands, shift, tell), asyncio.Event()
    loop = asyncio.get_running_loop()
    # As many threads as tasks; Python's own choice goes by the processors, and a dream mostly waits for the server.
    loop.set_default_executor(ThreadPoolExecutor(shift.concurrency + 1, thread_name_prefix="task"))

    def ask(number: int = signal.SIGTERM) -> None:
        if errands.stop.code:
            os._exit(errands.stop.code)  # a kill is survived, so this is too
        errands.stop.ask(number)
        asked.set()
        turn.stop()

    for number in (signal.SIGTERM, signal.SIGINT) if hears else ():
        loop.add_signal_handler(number, ask, number)
    errands.after = partial(_leave_after, errands, shift, partial(loop.call_soon_threadsafe, turn.stop))
    pause_s, first = 0.5, True
    while not errands.stop():
        done, put_off = errands.done + errands.failed, errands.put_off
        try:
            if not shift.stays:
                await asyncio.to_thread(_look_first, errands, look=first, hurry=shift.until_idle)
                first = False
            await turn.take()
            pause_s = 0.5
        except (*AWAY, DreamError) as error:
            if not shift.stays:
                raise _in_words(error) from None
            tell(f"the server does not answer ({type(error).__name__}), trying again")
            with suppress(TimeoutError):
                await asyncio.wait_for(asked.wait(), pause_s)
            pause_s = min(LONGEST_PAUSE_S, 2 * pause_s)
            continue
        if errands.broken is not None and _is_broken(errands, shift):
            raise errands.broken
        worked = errands.done + errands.failed > done
        if shift.once:
            return
        if not shift.stays and not worked and errands.put_off == put_off and not await asyncio.to_thread(_waits, errands):
            return
        if not worked and not errands.stop():
            with suppress(TimeoutError):
                await asyncio.wait_for(asked.wait(), min(1.0, shift.poll_s))


def _in_words(error: BaseException) -> BaseException:
    """What the library or its pool says of a server, as the store says it."""
    import psycopg

    if isinstance(error, DreamError):
        return error
    return as_told(error.__cause__ if isinstance(error.__cause__, psycopg.Error) else psycopg.OperationalError())


def _leave_after(errands: Errands, shift: Shift, leave: Callable[[], object]) -> None:
    """Whether the task that was just done was the last one."""
    if shift.once or _is_broken(errands, shift):
        leave()


def _is_broken(errands: Errands, shift: Shift) -> bool:
    """Whether there is no use in waiting: a dream of another version has to be installed, or nobody waits."""
    return errands.broken is not None and (not shift.stays or errands.broken.code in OTHER_VERSION)


def _waits(errands: Errands) -> bool:
    """Whether another worker was only quicker, or is at what has to be done before."""
    for tenant in errands.tenants:
        with task_queue.bound(errands.url, tenant) as base:
            if task_queue.is_waiting(base):
                return True
    return False


def _look_first(errands: Errands, *, look: bool, hurry: bool) -> None:
    """Who does not stay has no ticks: what is due is looked for now, and nothing waits only for more to come."""
    for tenant in errands.tenants:
        with task_queue.bound(errands.url, tenant) as base:
            if look:
                task_queue.call_for(base, task_queue.LOOK)
            if hurry:
                task_queue.hurry(base)
