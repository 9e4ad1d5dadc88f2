"""The recall server beside a living service: there when it is asked for, gone with the service."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from standing_by import lay_graphs

RUN = """
import sys
from pathlib import Path
from dreamd.core.clock import SystemClock
from dreamd.core.paths import Paths, default_config, read_environment
from dreamd.service.run import Rhythm, Service
from dreamd.core.settings import load_settings
from dreamd.core.world import World
home, config = Path(sys.argv[1]), Path(sys.argv[2])
world = World(Paths(home), load_settings(config), SystemClock(), read_environment())
sys.exit(Service(world, config=config, reload=lambda: world, say=lambda *_, **__: None, rhythm=Rhythm(tick_s=0.2)).run())
"""


def until(is_so: Callable[[], bool], *, seconds: float = 180) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.model
def test_whoever_searches_beside_a_running_service_soon_finds_a_warm_server(tmp_path: Path) -> None:
    home, config = tmp_path / "home", tmp_path / "dream.toml"
    lay_graphs(home)
    config.write_text("[service]\nsettle_s = 3600\n")  # it serves and dreams of nothing
    env = {**os.environ, "HOME": str(tmp_path), "DREAM_CONFIG": str(config), "OMP_NUM_THREADS": "1", "DREAM_HOME": str(home)}
    dream = [sys.executable, "-m", "dreamd.cli.main"]
    subprocess.run([*dream, "note", "The cedar kiln is fired on Wednesdays"], env=env, check=True, capture_output=True)
    subprocess.run([*dream, "consolidate"], env=env, check=True, capture_output=True)
    service = subprocess.Popen([sys.executable, "-c", RUN, str(home), str(config)], env=env)
    try:
        until(lambda: (home / "heartbeat.json").exists())
        assert not (home / "dream.sock").exists()
        search = [*dream, "search", "--json", "when is the kiln fired?"]
        cold = json.loads(subprocess.run(search, env=env, check=True, capture_output=True).stdout)
        until(lambda: (home / "dream.sock").exists())
        # Whoever gets no answer in time looks for itself; on a busy machine that may happen once or twice.
        look = ("import sys; from dreamd.cli.main import main\n"
                f"main({search[3:]!r}); sys.stderr.write(str('numpy' in sys.modules))")

        def is_answered_without_numpy() -> bool:
            warm = subprocess.run([sys.executable, "-c", look], env=env, check=True, capture_output=True)
            assert json.loads(warm.stdout)["results"][0]["score"] == pytest.approx(cold["results"][0]["score"], abs=0.01)
            return warm.stderr.endswith(b"False")

        until(is_answered_without_numpy)
    finally:
        service.send_signal(signal.SIGTERM)
        assert service.wait(timeout=120) == 0
    until(lambda: not (home / "dream.sock").exists(), seconds=60)
