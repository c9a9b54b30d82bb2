import { expect, it } from "vitest";
import { isSettingOnly } from "../../src/cli/settings/command-tree.ts";
import { commands } from "./all-commands.ts";
import { runCli } from "./fake-io.ts";

it.each(["", "events", "inbox", "fixtures", ...commands.map(([name]) => name)])(
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
  async (name, { options }) => {
    const argv = [...name.split(" "), "--help"];
    const flagsIn = (text: string) =>
      new Set(text.match(/^ {2}(?:-h, )?--[a-z-]+/gm)?.map((flag) => flag.trim()));
    const { stdout } = await runCli([...argv, "--all"]);
    const all = flagsIn(stdout);
    const shown = options.filter((option) => !isSettingOnly(option)).map(({ long }) => long);
    expect([...all].sort()).toEqual([...shown, "-h, --help"].sort());
    const short = await runCli(argv);
    const first = flagsIn(short.stdout);
    const left = [...all].filter((flag) => !first.has(flag));
    for (const general of ["--json", "--quiet", "--debug", "-h, --help"]) first.delete(general);
    if (!["completion", "trust"].includes(name))
      expect([...first], "flags of its own").not.toEqual([]);
    expect(
      short.stdout.includes(`All ${shown.length} flags: hookporter ${name} --help --all`),
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
