// dream-memory: tells dream that a conversation moved. Written by `dream connect opencode`.
import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

const SHARE = process.env.XDG_DATA_HOME || join(homedir(), ".local", "share");
const SESSIONS = resolve(SHARE, "opencode", process.env.OPENCODE_DB || "opencode.db");
const EVENTS = {
@EVENTS@
};

function tell(event, payload) {
  const words = @COMMAND@;
  const child = spawn(words[0], [...words.slice(1), "hook", event], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify(payload));
  child.unref();
}

function moved(event, directory) {
  const ours = EVENTS[event?.type];
  const about = event?.data ?? event?.properties;
  const session_id = about?.sessionID ?? about?.info?.id ?? "";
  if (ours) tell(ours, { session_id, transcript_path: SESSIONS, cwd: directory ?? "", hook_event_name: event.type });
}

// Version 1 calls `server` and hands its events to what that returns; version 2 calls `setup` and lets it subscribe.
const server = async (context) => ({ event: async ({ event }) => moved(event, context?.directory) });

async function setup(context) {
  if (typeof context?.event?.subscribe !== "function") return undefined;
  const stream = (await context.event.subscribe())[Symbol.asyncIterator]();
  (async () => {
    for (let next = await stream.next(); !next.done; next = await stream.next()) moved(next.value, context.location?.directory);
  })().catch(() => {});
  return () => stream.return?.();
}

export default { id: "dream-memory", server, setup };
