import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempFolder } from "../cli/fake-io.ts";
import { run, skip } from "../strangers/programs.ts";
import { printed, projectWithProgram } from "./program.ts";

it.for([
  ["bun", []],
  ["deno", ["run", "--allow-all"]],
] as const)(
  "a receiver with an inbox file keeps, handles and closes without an error on %s",
  async ([program, flags], context) => {
    if (spawnSync(program, ["--version"]).status !== 0) skip(context, program);
    const { esm } = projectWithProgram();
    const ended = await run(program, [...flags, esm, join(tempFolder(), "inbox.db")]);
    expect(ended.stderr).toBe("");
    expect({ ...JSON.parse(ended.stdout), threads: 0 }).toEqual(JSON.parse(printed(0)));
  },
);
