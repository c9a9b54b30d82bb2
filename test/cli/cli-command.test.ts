import { expect, it } from "vitest";
import { createContext } from "../../src/cli/context.ts";
import type { Io } from "../../src/cli/io.ts";
import { createProgram } from "../../src/cli/program.ts";
import { commandName, isSettingOnly, leaves } from "../../src/cli/settings/command-tree.ts";
import { runCli } from "./fake-io.ts";

const program = leaves(createProgram(createContext({ env: {}, isTTY: {} } as Io)));
const commands = program.map(commandName);

it.each(["", "events", "inbox", "fixtures", ...commands])(
  "the help of `hookporter %s` fits a terminal of 80 columns",
  async (command) => {
    const { code, stdout } = await runCli([...command.split(" ").filter(Boolean), "--help"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Usage: hookporter/);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
    expect(stdout.trimEnd().split("\n").length).toBeLessThanOrEqual(40);
  },
);

it.each(commands)(
  "`hookporter %s --help --all` shows every flag, and without --all some",
  async (command) => {
    const argv = [...command.split(" "), "--help"];
    const flagsIn = (text: string) =>
      new Set(text.match(/^ {2}(?:-h, )?--[a-z-]+/gm)?.map((flag) => flag.trim()));
    const { stdout } = await runCli([...argv, "--all"]);
    const all = flagsIn(stdout);
    const options = program.find((one) => commandName(one) === command)?.options ?? [];
    const shown = options.filter((option) => !isSettingOnly(option)).map(({ long }) => long);
    expect([...all].sort()).toEqual([...shown, "-h, --help"].sort());
    const short = await runCli(argv);
    const first = flagsIn(short.stdout);
    const left = [...all].filter((flag) => !first.has(flag));
    for (const general of ["--json", "--quiet", "--debug", "-h, --help"]) first.delete(general);
    if (command !== "completion") expect([...first], "flags of its own").not.toEqual([]);
    expect(
      short.stdout.includes(`All ${shown.length} flags: hookporter ${command} --help --all`),
    ).toBe(left.length > 0);
  },
);

it("a short help has the flags of most first calls, without groups; the whole one has the groups", async () => {
  const { stdout } = await runCli(["listen", "--help"]);
  const first = [
    "--port",
    "--inbox",
    "--handlers",
    "--forward-to",
    "--tunnel",
    "--events",
    "--save-dir",
    "--json",
  ];
  for (const flag of [...first, "--count", "--wait-for", "--timeout", "--secret-env"])
    expect(stdout).toContain(`  ${flag}`);
  expect(stdout).not.toContain("--ready-file");
  expect(stdout.match(/^[A-Z]\w+:$/gm)).toEqual(["Options:", "Examples:"]);
  expect((await runCli(["listen", "--all", "--help"])).stdout).toContain("\nHandle:\n");
});
