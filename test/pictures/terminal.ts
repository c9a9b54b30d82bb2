import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { vi } from "vitest";
import { DEFAULT_ENDPOINT } from "../../src/http/default-endpoint.ts";
import { DEFAULT_INSPECTOR_PORT } from "../../src/inspector/default-port.ts";
import { BIN, openSession, sendReserialised } from "./session.ts";

export const HAS_TMUX = spawnSync("tmux", ["-V"]).status === 0;
if (!HAS_TMUX)
  process.stdout.write("\nskipped: the picture of the terminal (apt-get install tmux)\n");

/** Time limit in milliseconds, generous for a busy machine. */
const PATIENCE = 60_000;

export const COLUMNS = 80;
const ROWS = 44;
const COMMAND = "npx hookporter listen --handlers handlers/";

/**
 * What `listen` shows on a terminal of 80 columns after deliveries of every sort, with escape
 * sequences for colours.
 */
export async function showTerminal(): Promise<string> {
  const { cwd, env, at, trigger } = openSession({ handlers: true });
  const folder = dirname(cwd);
  // A socket in the session's folder leaves a tmux that somebody else uses alone.
  const tmux = (...argv: string[]) =>
    spawnSync("tmux", ["-S", join(folder, "tmux"), "-f", "/dev/null", ...argv], {
      cwd,
      env,
      encoding: "utf8",
    });
  const screen = () => tmux("capture-pane", "-e", "-p", "-J").stdout;
  const until = (text: string, count = 1) =>
    vi.waitFor(() => {
      if (screen().split(text).length <= count)
        throw new Error(`expected ${text} in:\n${screen()}`);
    }, PATIENCE);
  const start = async () => {
    const program = `'${process.execPath}' '${BIN}' listen --handlers handlers/ --port 0 --inspect-port 0`;
    tmux(
      "new-session",
      "-d",
      "-x",
      `${COLUMNS}`,
      "-y",
      `${ROWS}`,
      `echo '$ ${COMMAND}'; exec ${program}`,
    );
    await until("? help");
  };
  const end = async () => {
    tmux("send-keys", "q");
    await vi.waitFor(() => {
      if (tmux("has-session").status === 0) throw new Error("expected listen to end");
    }, PATIENCE);
  };
  try {
    await start(); // makes the inbox, and says so; the picture is of a usual start
    await end();
    await start();
    const [endpoint = ""] = /http:\S+\/webhooks/.exec(screen()) ?? [];
    at(12);
    await trigger(endpoint, "property.created");
    at(19);
    await trigger(endpoint, "payment.received", "--duplicate", "2");
    await until("duplicate");
    at(31);
    await trigger(endpoint, "payment.overdue");
    at(33);
    await until("same error");
    await sendReserialised(endpoint, "lead.created", at(44));
    await until("401");
    at(58);
    await trigger(endpoint, "property.created", "--set", "data.surface=large");
    await until("invalid_data");
    at(71);
    await trigger(endpoint, "payment.received");
    await until("payment.received", 4);
    const shown = screen();
    await end(); // so that nothing is written to the folder once it is removed
    return asUsual(shown, endpoint, folder);
  } finally {
    tmux("kill-server");
  }
}

/**
 * The screen with the default ports, with one name of the page for all runs, without the token, and
 * with the session's folder as home.
 */
function asUsual(screen: string, endpoint: string, folder: string): string {
  return screen
    .replaceAll(` --url ${endpoint}`, "")
    .replaceAll(endpoint, DEFAULT_ENDPOINT)
    .replace(/\w+\.localhost:/, "4c1yq8m0zt7w.localhost:")
    .replaceAll(/:\d+\/#token=[\w-]+/g, `:${DEFAULT_INSPECTOR_PORT}/#token=…`)
    .replaceAll(folder, "~")
    .trimEnd();
}
