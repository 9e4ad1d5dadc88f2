"""The queue as a worker meets it: procrastinate, with its tables behind our border and its traps closed.

Retrying a task while another of its lock waits violates an index of the library's (procrastinate #1446) and would leave the
first one running for ever: here handing one back is one statement that knows of the other.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from functools import partial
from typing import Any  # procrastinate's own words

from procrastinate import App, BaseRetryStrategy, JobContext, PsycopgConnector, RetryDecision
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job
from procrastinate.manager import JobManager
from procrastinate.utils import utcnow

from dreamd.service.workers.errands import Errands, Later
from dreamd.store.team import task_queue
from dreamd.store.team.database import link
from dreamd.store.team.shape import SCHEMA
from dreamd.store.team.task_shape import TASKS

LOOK_CRON = "*/15 * * * *"
CATCH_UP_S = 7 * 86_400.0
"""A tick that nobody was there for is made up for; the library's own limit is ten minutes."""
MOST_ATTEMPTS = 8
FIRST_WAIT_S = 2.0
"""Before the second attempt; each further one waits twice as long."""
CONNECT_S = 10.0


class _Connector(PsycopgConnector):
    """Looks for the library's tables in their schema, in each transaction: a pool keeps nothing between two of them."""

    @asynccontextmanager
    async def _get_cursor(self, connection: Any = None) -> AsyncIterator[Any]:
        async with super()._get_cursor(connection) as cursor:
            await cursor.execute(f"SET LOCAL search_path = {TASKS}, {SCHEMA}, pg_temp".encode())
            yield cursor


class Tasks(JobManager):
    """The library's tasks, taken only where they are handed out, and handed back without tripping over one that waits."""

    def __init__(self, connector: PsycopgConnector) -> None:
        super().__init__(connector)
        self.uncounted: set[int] = set()
        """Tasks that go back without having failed."""

    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> Job | None:
        """The next task, unless its tenant is drained."""
        row = await self.connector.execute_query_one_async(
            "SELECT * FROM take_task(%(queues)s::text[], %(worker)s)", queues=list(queues or ()) or None, worker=worker_id)
        return None if row["id"] is None else Job.from_row(row)

    async def retry_job(self, job: Job, retry_at: Any = None, priority: int | None = None, queue: str | None = None,
                        lock: str | None = None) -> None:
        """Hand a task back, by the server's clock; the rest is the library's and not used here."""
        assert job.id is not None and (priority, queue, lock) == (None, None, None)
        wait = max(timedelta(0), retry_at - utcnow()) if retry_at else timedelta(0)
        await self.hand_back(job.id, wait=wait, counted=job.id not in self.uncounted)
        self.uncounted.discard(job.id)

    async def hand_back(self, identity: int, *, wait: timedelta, counted: bool) -> str:
        """Have a task done again, or leave it to the one of its lock that waits; says which it was."""
        row = await self.connector.execute_query_one_async(
            "SELECT hand_back(%(id)s, %(wait)s, %(counted)s) AS became", id=identity, wait=wait, counted=counted)
        return str(row["became"])

    async def sweep(self, *, lost_after_s: float) -> Mapping[str, int]:
        """Take back the tasks of workers that gave no sign of life, and forget those; one bad row never stops that."""
        became: dict[str, int] = {}
        lost = await self.connector.execute_query_all_async("SELECT * FROM lost_tasks(%(after)s)", after=lost_after_s)
        for row in lost:
            word = ""
            if row["attempts"] < MOST_ATTEMPTS:
                with suppress(ConnectorException):  # whatever is wrong with this one, the others are taken back
                    word = await self.hand_back(row["id"], wait=timedelta(0), counted=True)
            if not word:
                with suppress(ConnectorException):
                    await self.connector.execute_query_async("SELECT procrastinate_finish_job_v1(%(id)s, 'failed', false)",
                                                             id=row["id"])
                    word = "failed"
            became[word or "bad"] = became.get(word or "bad", 0) + 1
        await self.prune_stalled_workers(lost_after_s)
        return became


class _Patience(BaseRetryStrategy):
    """When a task that failed is tried again."""

    def __init__(self, tasks: Tasks) -> None:
        self._tasks = tasks

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        if isinstance(exception, Later):
            self._tasks.uncounted.add(job.id or 0)
            return RetryDecision(retry_at=utcnow() + timedelta(seconds=exception.wait_s))
        if job.attempts >= MOST_ATTEMPTS:
            return None
        return RetryDecision(retry_at=utcnow() + timedelta(seconds=FIRST_WAIT_S * 2**job.attempts))


def make_app(errands: Errands, *, connections: int, periodic: bool) -> App:
    """The library's app with our tasks; `periodic` has it look by itself whether a night is due."""
    _be_silent()
    connector = _Connector(conninfo=errands.url, min_size=1, max_size=connections, timeout=CONNECT_S,
                           kwargs={"prepare_threshold": None, "application_name": "dream worker",
                                   "connect_timeout": int(CONNECT_S), **link(errands.url)})
    app = App(connector=connector, periodic_defaults={"max_delay": CATCH_UP_S})
    app.job_manager = tasks = Tasks(connector)
    patience = _Patience(tasks)
    made = {name: app.task(name=name, retry=patience, pass_context=True)(partial(_carry_out, errands, name))
            for name in (task_queue.DREAM, task_queue.NIGHT, task_queue.REST, task_queue.HEALTH, task_queue.LOOK)}
    for tenant in errands.tenants if periodic else ():
        with task_queue.bound(errands.url, tenant) as base:
            lock = task_queue.lock_of(base, task_queue.LOOK)
        app.periodic(cron=LOOK_CRON, periodic_id=tenant, queue=tenant, lock=lock, queueing_lock=lock,
                     task_kwargs={"tenant": tenant, "scope": lock})(made[task_queue.LOOK])
    return app


def _carry_out(errands: Errands, name: str, _context: JobContext, *, tenant: str, scope: str, timestamp: int = 0) -> str:
    """What the library calls in a thread; `timestamp` is that of a tick."""
    del timestamp
    return errands.carry_out(name, tenant, scope)


def _be_silent() -> None:
    """The library tells its log what a task was called with and what went wrong in it: that is nobody's business."""
    for name in ("procrastinate", "psycopg.pool"):
        logger = logging.getLogger(name)
        logger.propagate = False
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())
