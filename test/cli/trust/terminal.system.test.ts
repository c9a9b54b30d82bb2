import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { root } from "../../docs/markdown.ts";
import { Terminal } from "../../journeys/kit/terminal.ts";
import { tempFolder } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";

const hasTmux =
  spawnSync("tmux", ["-V"]).status === 0 && spawnSync("bash", ["--version"]).status === 0;
if (!hasTmux) process.stdout.write("\nskipped: consent on a terminal (apt-get install tmux)\n");

const HOOKPORTER = `'${process.execPath}' '${join(root, "dist", "bin.js")}'`;
const USES_IT = `${HOOKPORTER} properties`;

/** A folder whose env file names the service, and a terminal of someone with an empty home. */
async function openFolder() {
  const cwd = folderWith({ ".env": "HOOKPORTER_BASE_URL=http://127.0.0.1:1\n" });
  const home = tempFolder();
  const env = { PATH: process.env.PATH ?? "", HOME: home, HOOKPORTER_API_KEY: "sk_test_1" };
  const terminal = new Terminal(tempFolder(), home, env, 160);
  onTestFinished(() => terminal.close());
  await terminal.open();
  await terminal.run(`cd '${cwd}'`);
  const trust = async (answer: string) => {
    terminal.type(`${HOOKPORTER} trust`);
    await terminal.until(/Trust 1 value/);
    terminal.press(answer);
    return await terminal.ended("trust");
  };
  const trusted = join(home, ".config", "hookporter", "trusted");
  return { cwd, home, terminal, trust, trusted };
}

it.skipIf(!hasTmux)(
  "on a terminal a person agrees once, for these values and this folder",
  { timeout: 180_000 },
  async () => {
    const { cwd, terminal, trust, trusted } = await openFolder();
    expect(await terminal.run(USES_IT)).toMatchObject({ code: 3 });
    expect(await trust("n")).toMatchObject({ code: 1 });
    expect(await terminal.run(USES_IT)).toMatchObject({ code: 3 });
    expect(await trust("y")).toMatchObject({ code: 0 });
    expect(await terminal.run(USES_IT)).toMatchObject({ code: 5 }); // nothing listens there
    writeFileSync(
      join(cwd, ".env"),
      "HOOKPORTER_BASE_URL=http://127.0.0.1:1\nHOOKPORTER_TIMEOUT=1s\n",
    );
    expect(await terminal.run(USES_IT)).toMatchObject({ code: 5 });
    const [file = ""] = readdirSync(trusted);
    chmodSync(join(trusted, file), 0o646);
    expect(await terminal.run(USES_IT)).toMatchObject({ code: 3 });
    chmodSync(join(trusted, file), 0o600);
    writeFileSync(join(cwd, ".env"), "HOOKPORTER_BASE_URL=http://127.0.0.1:2\n");
    expect(await terminal.run(USES_IT)).toMatchObject({ code: 3 });
    expect(await trust("y")).toMatchObject({ code: 0 });
    expect(await terminal.run(`${HOOKPORTER} trust`)).toMatchObject({
      code: 0,
      text: expect.stringContaining("You trust all of it. To take that back, remove"),
    });
    // the same folder under another name is another one
    renameSync(cwd, `${cwd}-moved`);
    onTestFinished(() => renameSync(`${cwd}-moved`, cwd));
    await terminal.run(`cd '${cwd}-moved'`);
    expect(await terminal.run(USES_IT)).toMatchObject({ code: 3 });
  },
);
