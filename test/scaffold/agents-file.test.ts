import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createContext } from "../../src/cli/context.ts";
import type { Io } from "../../src/cli/io.ts";
import { createProgram } from "../../src/cli/program.ts";
import { commandName, leaves } from "../../src/cli/settings/command-tree.ts";
import { scaffold } from "../../src/scaffold/scaffold.ts";
import { listTemplates } from "../../src/scaffold/templates.ts";
import { root } from "../docs/markdown.ts";

const commands = leaves(createProgram(createContext({ env: {}, isTTY: {} } as Io)));

const templates = await listTemplates(root);

it.each(templates.map(({ name }) => name))(
  "AGENTS.md of the %s template names files, scripts, commands and flags that exist",
  async (template) => {
    const folder = mkdtempSync(join(tmpdir(), "hookporter-agents-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { directory } = await scaffold({ directory: join(folder, "a"), template });
    const page = readFileSync(join(directory, "AGENTS.md"), "utf8");
    const { scripts } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
    const paths = [...page.matchAll(/`((?:src|test)\/[\w./-]*|\.env)`/g)].map(
      ([, path = ""]) => path,
    );
    expect(paths.length).toBeGreaterThan(3);
    expect(paths.filter((path) => !existsSync(join(directory, path)))).toEqual([]);
    const ran = [...page.matchAll(/npm (?:run )?(\w+)/g)].map(([, name = ""]) => name);
    expect(ran).toEqual(["dev", "test"]);
    expect(ran.filter((name) => scripts[name] === undefined)).toEqual([]);
    const calls = [...page.matchAll(/npx hookporter ([a-z]+(?: [a-z]+)?)([^\n`#]*)/g)];
    expect(calls.length).toBeGreaterThan(5);
    for (const [call, words = "", rest = ""] of calls) {
      const command = commands.find((command) =>
        [words, words.split(" ")[0]].includes(commandName(command)),
      );
      expect(command, call).toBeDefined();
      for (const [flag] of rest.matchAll(/--[a-z-]+/g))
        expect(
          command?.options.map(({ long }) => long),
          call,
        ).toContain(flag);
    }
  },
);
