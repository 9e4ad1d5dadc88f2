// dream-memory: tells dream that a conversation moved. Written by `dream connect openclaw`.
import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

const NAMED = process.env.OPENCLAW_PROFILE;
const FOLDER = NAMED && NAMED !== "default" ? `.openclaw-${NAMED}` : ".openclaw";
const STATE = process.env.OPENCLAW_STATE_DIR || join(process.env.OPENCLAW_HOME || homedir(), FOLDER);
const EVENTS = {
@EVENTS@
};

function sessionsOf(event) {
  const { sessionFile, storePath, agentId } = event.context ?? {};
  const named = [sessionFile, storePath].find((p) => typeof p === "string" && isAbsolute(p) && /\.(jsonl|sqlite)$/.test(p));
  const agent = agentId || /^agent:([^:]+):/.exec(event.sessionKey ?? "")?.[1] || "main";
  return named ?? join(STATE, "agents", agent, "agent", "openclaw-agent.sqlite");
}

export default async function handler(event) {
  const ours = EVENTS[`${event.type}:${event.action}`];
  if (!ours) return;
  const words = @COMMAND@;
  const child = spawn(words[0], [...words.slice(1), "hook", ours], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  child.on("error", () => {});
  child.stdin?.on("error", () => {});
  child.stdin?.end(JSON.stringify({
    session_id: event.context?.previousSessionEntry?.sessionId ?? event.context?.sessionEntry?.sessionId
      ?? event.sessionKey ?? "",
    transcript_path: sessionsOf(event),
    cwd: event.context?.workspaceDir ?? "",
  }));
  child.unref();
}
