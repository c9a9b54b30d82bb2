import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SHELLS, type Shell } from "../../../src/cli/completion/options.ts";
import { SCRIPTS } from "../../../src/cli/completion/scripts.ts";
import { createContext } from "../../../src/cli/context.ts";
import { createProgram } from "../../../src/cli/program.ts";
import { commandName, leaves } from "../../../src/cli/settings/command-tree.ts";
import { eventKinds } from "../../../src/event/kinds.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { root } from "../../docs/markdown.ts";
import { fillEveryState } from "../../inbox/transfer/every-state.ts";
import { fakeIo, runCli, tempFolder } from "../fake-io.ts";

/** What the last word may become. */
async function complete(words: readonly string[], cwd = tempFolder(), env = {}): Promise<readonly string[]> {
  const { code, stdout, stderr } = await runCli(["__complete", ...words], { cwd, env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t", 1)[0] ?? ""]));
}

/** A folder with an inbox that has entries of every state. */
async function withInbox(): Promise<string> {
  const cwd = tempFolder();
  mkdirSync(join(cwd, ".hookporter"));
  const inbox = sqliteInbox(join(cwd, ".hookporter", "inbox.db"));
  await inbox.open();
  await fillEveryState(inbox);
  await inbox.close();
  return cwd;
}

describe("the completion", () => {
  it("knows every command", async () => {
    const program = createProgram(createContext(fakeIo({}).io));
    expect(await complete([""])).toEqual(program.commands.map((command) => command.name()));
    expect(await complete(["ev"])).toEqual(["events"]);
    expect(await complete(["events", "ret"])).toEqual(["retry"]);
  });

  it("knows every flag of every command", async () => {
    for (const command of leaves(createProgram(createContext(fakeIo({}).io)))) {
      const flags = command.options.map(({ long }) => long);
      expect(await complete([...commandName(command).split(" "), "--"])).toEqual([...flags, "--help"]);
    }
  });

  it("leaves out a flag that is there already, unless it may be repeated", async () => {
    const flags = await complete(["listen", "--sync", "--events", "lead.created", "--"]);
    expect(flags).not.toContain("--sync");
    expect(flags).toContain("--events");
  });

  it.each([
    [
      ["listen", "--tunnel", ""],
      ["ngrok", "ssh", "command"],
    ],
    [["events", "list", "--state", "de"], ["dead"]],
    [["events", "list", "--state=de"], ["--state=dead"]],
    [["events", "list", "--state", "=", "de"], ["dead"]],
    [
      ["events", "list", "--state", "="],
      ["waiting", "failing", "running", "handled", "dead", "received"],
    ],
    [["events", "list", "--state", "dead,w"], ["dead,waiting"]],
    [["listen", "--wait-for", "payment.*"], ["payment.*"]],
    [["trigger", ""], eventKinds],
    [["completion", "z"], ["zsh"]],
    [["listen", "--port", ""], []],
    [["listen", ""], []],
    [["events", "nothing", ""], []],
    [["sign", ""], [":files"]],
    [["listen", "--handlers", ""], [":files"]],
    [["events", "show", "--nothing", ""], []],
  ])("of %j is %j", async (words, expected) => {
    const found = await complete(words);
    expect(found).toEqual(expect.arrayContaining([...expected]));
    if (expected.length < 3) expect(found).toEqual(expected);
  });

  it("knows the numbers of entries that a command may mean, and leaves no file beside the inbox", async () => {
    const cwd = await withInbox();
    const before = readdirSync(join(cwd, ".hookporter"));
    const shown = await complete(["events", "show", ""], cwd);
    expect(shown).toHaveLength(9);
    expect(await complete(["events", "retry", ""], cwd)).toHaveLength(7);
    const drop = await complete(["events", "drop", ""], cwd);
    expect(await complete(["events", "drop", drop[0] ?? "", ""], cwd)).toEqual(drop);
    expect(await complete(["replay", ""], cwd)).toEqual([...shown, ":files"]);
    expect(readdirSync(join(cwd, ".hookporter"))).toEqual(before);
    const elsewhere = join(cwd, ".hookporter", "inbox.db");
    expect(await complete(["events", "show", "--inbox", elsewhere, ""])).toEqual(shown);
    expect(await complete(["events", "show", `--inbox=${elsewhere}`, ""])).toEqual(shown);
    expect(await complete(["events", "show", ""], tempFolder(), { HOOKPORTER_INBOX: elsewhere })).toEqual(
      shown,
    );
  });

  it("is silent about an inbox that is not there, is damaged, or is on a server", async () => {
    const cwd = tempFolder();
    writeFileSync(join(cwd, "broken.db"), "garbage ".repeat(999));
    for (const inbox of ["none.db", "broken.db", "postgres://127.0.0.1:1/app"])
      expect(await complete(["events", "show", "--inbox", inbox, ""], cwd)).toEqual([]);
    expect(readdirSync(cwd)).toEqual(["broken.db"]);
  });
});

it.each(["ts", "mts", "js", "mjs"])("runs no code of the folder: hookporter.config.%s", async (type) => {
  const cwd = await withInbox();
  const marker = join(cwd, "ran");
  const code = `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(marker)}, ""); export default {};`;
  writeFileSync(join(cwd, `hookporter.config.${type}`), code);
  expect(await complete(["events", "show", ""], cwd)).toHaveLength(9);
  for (const shell of SHELLS) expect(await runCli(["completion", shell], { cwd })).toMatchObject({ code: 0 });
  expect(existsSync(marker)).toBe(false);
  await runCli(["events", "list"], { cwd }); // which does
  expect(existsSync(marker)).toBe(true);
});

it("completes entries of the inbox that hookporter.config.json names", async () => {
  const cwd = tempFolder();
  const inbox = join(await withInbox(), ".hookporter", "inbox.db");
  writeFileSync(join(cwd, "hookporter.config.json"), JSON.stringify({ inbox }));
  expect(await complete(["events", "show", ""], cwd)).toHaveLength(9);
});

it.each(SHELLS)("`completion %s` prints the script", async (shell) => {
  expect(await runCli(["completion", shell])).toMatchObject({ code: 0, stdout: SCRIPTS[shell] });
});

it("`completion` refuses another shell", async () => {
  expect(await runCli(["completion", "cmd"])).toMatchObject({ code: 2 });
});

/** A folder in which the built program is on the PATH. */
async function place(shell: Shell) {
  const cwd = await withInbox();
  const program = join(cwd, "hookporter");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${join(root, "dist", "bin.js")}" "$@"\n`);
  chmodSync(program, 0o755);
  writeFileSync(join(cwd, "script"), SCRIPTS[shell]);
  writeFileSync(join(cwd, "a body.json"), "{}");
  return (argv: readonly string[]) =>
    spawnSync(shell, argv, {
      cwd,
      encoding: "utf8",
      env: { PATH: `${cwd}:${process.env.PATH}`, HOME: cwd, TERM: "dumb" },
      timeout: 60_000,
    });
}

const has = (shell: Shell) => spawnSync(shell, ["-c", "true"]).status === 0;

describe("in a real shell,", () => {
  it.skipIf(!has("bash"))("bash completes", async () => {
    const run = await place("bash");
    const ask = (...words: string[]) => {
      const list = words.map((word) => `'${word}'`).join(" ");
      const code = `source ./script; COMP_WORDS=(hookporter ${list}); COMP_CWORD=${words.length}; _hookporter 2>&1; printf '%s\\n' "\${COMPREPLY[@]}"; complete -p hookporter`;
      const { stdout, stderr } = run(["--norc", "-c", code]);
      expect(stderr).toBe("");
      const lines = stdout.split("\n").slice(0, -1);
      expect(lines.pop()).toBe("complete -F _hookporter hookporter");
      return lines;
    };
    expect(ask("events", "sh")).toEqual(["show"]);
    expect(ask("listen", "--tunnel", "")).toEqual(expect.arrayContaining(["ngrok", "ssh", "command"]));
    expect(ask("events", "list", "--state", "=", "de")).toEqual(["dead"]);
    expect(ask("events", "retry", "")).toHaveLength(7);
    expect(ask("sign", "a")).toEqual(["a body.json"]);
    expect(ask("listen", "--port", "")).toEqual([""]);
  });

  it.skipIf(!has("fish"))("fish completes", { timeout: 60_000 }, async () => {
    const run = await place("fish");
    const ask = (line: string) => {
      const { stdout, stderr } = run([
        "--no-config",
        "-c",
        `source ./script; complete -C ${JSON.stringify(line)}`,
      ]);
      expect(stderr).toBe("");
      return stdout.split("\n").flatMap((one) => (one === "" ? [] : [one.split("\t", 1)[0]]));
    };
    expect(ask("hookporter events sh")).toEqual(["show"]);
    expect(ask("hookporter events list --state=de")).toEqual(["--state=dead"]);
    expect(ask("hookporter listen --tunnel ")).toEqual(expect.arrayContaining(["ngrok", "ssh", "command"]));
    expect(ask("hookporter events retry ")).toHaveLength(7);
    expect(ask("hookporter sign a")).toEqual([expect.stringContaining("body.json")]);
  });

  it.skipIf(!has("zsh"))("zsh completes", { timeout: 60_000 }, async () => {
    const run = await place("zsh");
    /** Waits until the line at the prompt has this text. */
    const ask = (line: string, until: string) => {
      const code = [
        "zmodload zsh/zpty",
        "zpty inner 'PS1=\"> \" exec zsh -f -i'",
        `zpty -w inner 'autoload -Uz compinit; compinit -D -u; source ./script; echo read""y'`,
        "zpty -r -m inner found '*ready*'",
        `zpty -w -n inner ${JSON.stringify(line)}$'\\t'`,
        `zpty -r -m inner found '*${until}*' && print found`,
        "zpty -d inner",
      ].join("\n");
      return run(["-f", "-c", code]).stdout;
    };
    expect(ask("hookporter events sh", "show")).toBe("found\n");
    expect(ask("hookporter events list --state=de", "=dead")).toBe("found\n");
    expect(ask("hookporter listen --tunnel n", "ngrok")).toBe("found\n");
  });
});
