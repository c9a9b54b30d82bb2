import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempFolder } from "../cli/fake-io.ts";
import { startReceiving } from "../cli/fake-target.ts";
import { BIN } from "./commands.ts";
import { run, skip } from "./programs.ts";

const hasPython = spawnSync("python3", ["--version"]).status === 0;
const DRIVER = join(import.meta.dirname, "in-terminal.py");
const WIDTHS = [40, 80];

/** Runs the built command on a terminal, and presses Ctrl-C once the text appears. */
async function onTerminal(
  columns: number,
  text: string,
  argv: readonly string[],
  cwd: string,
  variables: Readonly<Record<string, string>> = {},
) {
  const env = {
    ...process.env,
    TERM: "xterm",
    HOOKPORTER_SECRET: "a secret that is long enough",
    ...variables,
  };
  const command = [DRIVER, `${columns}`, text, process.execPath, BIN, ...argv];
  const { stdout } = await run("python3", command, 20_000, { cwd, env });
  const lines = stdout.trimEnd().split("\n");
  return { code: Number(lines.at(-1)), lines: lines.slice(0, -1) };
}

it.for(WIDTHS)(
  "Ctrl-C ends trigger with 130 on a terminal of %i columns, and says how far it came",
  async (columns, context) => {
    if (!hasPython) skip(context, "python3");
    const target = await startReceiving();
    const argv = ["trigger", "lead.created", "--count", "100000", "--url", target.url];
    const { code, lines } = await onTerminal(columns, " 1 %", argv, tempFolder());
    expect(code).toBe(130);
    const shown = lines.join("\n");
    expect(shown).toMatch(/stopped by SIGINT: \d+ of 100000 sent/);
    expect(shown).toMatch(/--count \d+ sends the rest/);
    expect(lines.length).toBeLessThan(8); // the progress stays on one line
  },
);

it.for(WIDTHS)(
  "Ctrl-C ends replay with 130 on a terminal of %i columns, and --resume sends the rest",
  async (columns, context) => {
    if (!hasPython) skip(context, "python3");
    const target = await startReceiving();
    const cwd = tempFolder();
    mkdirSync(join(cwd, "fx"));
    for (let at = 10; at < 50; at++)
      writeFileSync(
        join(cwd, "fx", `${at}.json`),
        `{"event":"lead.created","timestamp":"2026-01-01T00:00:00.0${at}Z"}`,
      );
    const argv = ["replay", "fx", "--url", target.url];
    const { code, lines } = await onTerminal(columns, "of 40", [...argv, "--rate", "40"], cwd);
    expect(code).toBe(130);
    expect(lines.join("\n")).toContain("--resume");
    const before = target.got.length;
    expect(before).toBeLessThan(40);
    expect(await onTerminal(columns, "never shown", [...argv, "--resume"], cwd)).toMatchObject({
      code: 0,
    });
    expect(target.got).toHaveLength(40);
  },
);

const BODY = '{"event":"lead.created"}';
const secret = (value: string) => ({ HOOKPORTER_SECRET: value });

it.for([
  [0, ["sign", "body.json"], {}],
  [1, ["trigger", "lead.created", "--url", "TARGET"], {}],
  [2, ["trigger", "lead.craeted"], {}],
  [3, ["sign", "body.json"], secret("")],
  [4, ["verify", "body.json", "--signature", `sha256=${"0".repeat(64)}`], {}],
  [5, ["trigger", "lead.created", "--url", "http://127.0.0.1:1/in"], {}],
  [6, ["listen", "--port", "0", "--no-inspect", "--count", "1", "--timeout", "500ms"], {}],
] as const)("exit code %i arrives on a terminal: %s", async ([code, argv, variables], context) => {
  if (!hasPython) skip(context, "python3");
  const target = await startReceiving(500);
  const cwd = tempFolder();
  writeFileSync(join(cwd, "body.json"), BODY);
  const given = argv.map((one) => (one === "TARGET" ? target.url : one));
  expect(await onTerminal(80, "never shown", given, cwd, variables)).toMatchObject({ code });
});
