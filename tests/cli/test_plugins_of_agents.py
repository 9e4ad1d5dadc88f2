"""The small programs dream leaves in OpenCode and OpenClaw, run by node the way their harness would call them."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")
PATIENCE_S = 90.0


def connected(dream: Any, harness: str, sign: str, file: str) -> Path:
    """The program `dream connect` leaves, where node takes it for a module."""
    dream.env.pop("XDG_CONFIG_HOME"), dream.env.pop("XDG_DATA_HOME")
    (dream.person / sign).mkdir(parents=True)
    dream.json("connect", harness, "--yes")
    module = dream.root / f"{harness}.mjs"
    shutil.copy(dream.person / file, module)
    return module


def run_node(dream: Any, program: str) -> float:
    """Run a program; how long node was kept, in seconds."""
    started = time.monotonic()
    done = subprocess.run([str(NODE), "--input-type=module", "-e", program], env=dream.env, capture_output=True, text=True,
                          timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return time.monotonic() - started


def inbox(dream: Any, count: int) -> list[dict[str, Any]]:
    """What arrived in the inbox, once as much as expected is there: the programs wait for nobody."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        files = sorted((dream.home / "inbox").glob("*.json"))
        if len(files) >= count:
            break
        time.sleep(0.05)
    return [json.loads(file.read_text())["touched"] for file in files]


def test_the_plugin_of_opencode_tells_that_a_session_rests_and_nothing_else(dream):
    module = connected(dream, "opencode", ".config/opencode", ".config/opencode/plugins/dream.js")
    run_node(dream, f"""
        const plugin = (await import({json.dumps(module.as_uri())})).default;
        const hooks = await plugin.server({{ directory: "/srv/otter" }});
        if (await plugin.setup({{}}) !== undefined) throw new Error("subscribed where there is nothing to subscribe to");
        await hooks.event({{ event: {{ type: "message.updated", properties: {{}} }} }});
        await hooks.event({{ event: {{ type: "session.idle", properties: {{ sessionID: "o-1" }} }} }});
        await hooks.event({{ event: {{ type: "session.deleted", properties: {{ info: {{ id: "o-2" }} }} }} }});
        await hooks.event({{ event: {{ type: "session.compacted" }} }});
    """)
    told = inbox(dream, 3)
    assert {(t["event"], t["conversation"]) for t in told} == {("stop", "o-1"), ("session-end", "o-2"), ("pre-compact", "")}
    assert {t["path"] for t in told} == {str(dream.person / ".local/share/opencode/opencode.db")}
    assert {t["cwd"] for t in told} == {"/srv/otter"}


def test_the_plugin_of_opencode_subscribes_where_version_two_lets_it(dream):
    module = connected(dream, "opencode", ".config/opencode", ".config/opencode/plugins/dream.js")
    run_node(dream, f"""
        const plugin = (await import({json.dumps(module.as_uri())})).default;
        if (typeof plugin.id !== "string") throw new Error("a plugin needs a name");
        async function* events() {{
            yield {{ type: "session.text.ended", data: {{ sessionID: "o-1", text: "x" }} }};
            yield {{ type: "session.execution.succeeded", data: {{ sessionID: "o-1" }} }};
            yield {{ type: "session.compaction.ended", data: {{ sessionID: "o-2" }} }};
            throw new Error("the server went away");
        }}
        const end = await plugin.setup({{ event: {{ subscribe: () => events() }}, location: {{ directory: "/srv/otter" }} }});
        await new Promise((done) => setTimeout(done, 50));
        await end();
    """)
    told = inbox(dream, 2)
    assert {(t["event"], t["conversation"], t["cwd"]) for t in told} == {
        ("stop", "o-1", "/srv/otter"), ("pre-compact", "o-2", "/srv/otter")}


def test_the_plugin_of_opencode_knows_a_store_that_is_named_beside_the_usual_one(dream):
    module = connected(dream, "opencode", ".config/opencode", ".config/opencode/plugins/dream.js")
    dream.env["OPENCODE_DB"] = "work.db"
    run_node(dream, f"""
        const plugin = (await import({json.dumps(module.as_uri())})).default;
        await (await plugin.server({{ directory: "/" }})).event({{ event: {{ type: "session.idle", properties: {{}} }} }});
    """)
    assert [t["path"] for t in inbox(dream, 1)] == [str(dream.person / ".local/share/opencode/work.db")]


def test_the_hook_of_openclaw_tells_in_which_store_the_session_lies(dream):
    module = connected(dream, "openclaw", ".openclaw", ".openclaw/hooks/dream/handler.ts")
    run_node(dream, f"""
        const handler = (await import({json.dumps(module.as_uri())})).default;
        await handler({{ type: "command", action: "reset", sessionKey: "agent:work:main",
                         context: {{ sessionFile: "main", sessionEntry: {{ sessionId: "c-2" }},
                                     previousSessionEntry: {{ sessionId: "c-1" }} }} }});
    """)
    [told] = inbox(dream, 1)
    store = dream.person / ".openclaw/agents/work/agent/openclaw-agent.sqlite"
    assert (told["event"], told["conversation"], told["path"]) == ("session-end", "c-1", str(store))


def test_the_hook_of_openclaw_tells_where_the_session_lies(dream):
    module = connected(dream, "openclaw", ".openclaw", ".openclaw/hooks/dream/handler.ts")
    run_node(dream, f"""
        const handler = (await import({json.dumps(module.as_uri())})).default;
        await handler({{ type: "command", action: "help", sessionKey: "w-1" }});
        await handler({{ type: "command", action: "new", sessionKey: "w-1",
                         context: {{ sessionFile: "/srv/claw/w-1.jsonl", workspaceDir: "/srv/claw" }} }});
        await handler({{ type: "session", action: "compact:before", sessionKey: "w-2" }});
    """)
    told = {t["event"]: t for t in inbox(dream, 2)}
    ended = told["session-end"]
    assert (ended["conversation"], ended["path"], ended["cwd"]) == ("w-1", "/srv/claw/w-1.jsonl", "/srv/claw")
    assert told["pre-compact"]["path"].endswith("/.openclaw/agents/main/agent/openclaw-agent.sqlite")


@pytest.mark.parametrize(("harness", "sign", "file", "call"), [
    ("opencode", ".config/opencode", ".config/opencode/plugins/dream.js",
     "(await m.default.server({ directory: '/' })).event({ event: { type: 'session.idle', properties: {} } })"),
    ("openclaw", ".openclaw", ".openclaw/hooks/dream/handler.ts", "m.default({ type: 'command', action: 'new' })")])
def test_a_dream_that_is_gone_costs_the_agent_nothing(dream, harness, sign, file, call):
    module = connected(dream, harness, sign, file)
    module.write_text(module.read_text().replace("const words = [", 'const words = ["/nowhere/dream", '))
    run_node(dream, f"const m = await import({json.dumps(module.as_uri())}); await {call};")
