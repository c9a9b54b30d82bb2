import { expect, it } from "vitest";
import { createContext } from "../../src/cli/context.ts";
import type { Io } from "../../src/cli/io.ts";
import { createProgram } from "../../src/cli/program.ts";
import { commandName, leaves } from "../../src/cli/settings/command-tree.ts";
import { runCli } from "./fake-io.ts";

const commands = leaves(createProgram(createContext({ env: {}, isTTY: {} } as Io))).map(commandName);

it.each(["", "events", "inbox", "fixtures", ...commands])(
  "the help of `hookporter %s` fits a terminal of 80 columns",
  async (command) => {
    const { code, stdout } = await runCli([...command.split(" ").filter(Boolean), "--help"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Usage: hookporter/);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  },
);
