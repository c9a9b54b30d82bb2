import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SHELLS, type Shell } from "../../../src/cli/completion/completion-options.ts";
import { SCRIPTS } from "../../../src/cli/completion/scripts.ts";
import { isSettingOnly } from "../../../src/cli/settings/command-tree.ts";
import { eventKinds } from "../../../src/entries/index.ts";
import { root } from "../../docs/markdown.ts";
import { commands, program } from "../all-commands.ts";
import { consentTo } from "../consent.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";

/** What the last word may become. */
async function complete(
  words: readonly string[],
  cwd = tempFolder(),
  env = {},
): Promise<readonly string[]> {
  const { code, stdout, stderr } = await runCli(["__complete", ...words], { cwd, env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t", 1)[0] ?? ""]));
}

describe("the completion", () => {
  it("knows every command", async () => {
    expect(await complete([""])).toEqual(program.commands.map((command) => command.name()));
    expect(await complete(["ev"])).toEqual(["events"]);
    expect(await complete(["events", "ret"])).toEqual(["retry"]);
  });

  it("knows every flag of every command", async () => {
    for (const [name, command] of commands) {
      const shown = command.options.filter((option) => !isSettingOnly(option));
      const flags = shown.map(({ long }) => long);
      expect(await complete([...name.split(" "), "--"])).toEqual([...flags, "--help"]);
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

  it("opens no file of the folder, whose settings are code or whose inbox is a program", async () => {
    const cwd = folderWith({ "hookporter.config.json": "not JSON" });
    // whose reader would wait
    expect(spawnSync("mkfifo", [join(cwd, ".env"), join(cwd, "inbox.db")]).status).toBe(0);
    for (const words of [
      ["events", "show", ""],
      ["events", "show", "--inbox", "inbox.db", ""],
      ["replay", ""],
    ])
      expect(await complete(words, cwd)).toEqual(words[0] === "replay" ? [":files"] : []);
  });
});

it.each(["ts", "mts", "js", "mjs"])(
  "runs no code of the folder: hookporter.config.%s",
  async (type) => {
    const cwd = tempFolder();
    const marker = join(cwd, "ran");
    const code = `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(marker)}, ""); export default {};`;
    writeFileSync(join(cwd, `hookporter.config.${type}`), code);
    await complete(["events", "show", ""], cwd);
    for (const shell of SHELLS) {
      const printed = await runCli(["completion", shell], { cwd });
      expect(printed).toMatchObject({ code: 0, stdout: SCRIPTS[shell] });
    }
    expect(await runCli(["completion", "cmd"], { cwd })).toMatchObject({ code: 2 });
    expect(existsSync(marker)).toBe(false);
    await runCli(["events", "list"], { cwd }); // which needs consent
    expect(existsSync(marker)).toBe(false);
    await runCli(["events", "list"], { cwd, env: await consentTo(cwd) });
    expect(existsSync(marker)).toBe(true);
  },
);

/** A folder in which the built program is on the PATH. */
function place(shell: Shell) {
  const cwd = tempFolder();
  const program = join(cwd, "hookporter");
  writeFileSync(
    program,
    `#!/bin/sh\nexec "${process.execPath}" "${join(root, "dist", "bin.js")}" "$@"\n`,
  );
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
    const run = place("bash");
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
    expect(ask("listen", "--tunnel", "")).toEqual(
      expect.arrayContaining(["ngrok", "ssh", "command"]),
    );
    expect(ask("events", "list", "--state", "=", "de")).toEqual(["dead"]);
    expect(ask("sign", "a")).toEqual(["a body.json"]);
    expect(ask("listen", "--port", "")).toEqual([""]);
  });

  it.skipIf(!has("fish"))("fish completes", { timeout: 60_000 }, async () => {
    const run = place("fish");
    const ask = (line: string) => {
      const { stdout, stderr } = run([
        "--no-config",
        "-c",
        `source ./script; complete -C ${JSON.stringify(line)}`,
      ]);
      expect(stderr).toBe("");
      return stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t", 1)[0]]));
    };
    expect(ask("hookporter events sh")).toEqual(["show"]);
    expect(ask("hookporter events list --state=de")).toEqual(["--state=dead"]);
    expect(ask("hookporter listen --tunnel ")).toEqual(
      expect.arrayContaining(["ngrok", "ssh", "command"]),
    );
    expect(ask("hookporter sign a")).toEqual([expect.stringContaining("body.json")]);
  });

  it.skipIf(!has("zsh"))("zsh completes", { timeout: 60_000 }, async () => {
    const run = place("zsh");
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
