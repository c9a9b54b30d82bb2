import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { eventKinds } from "../../../src/entries/index.ts";
import { root } from "../../docs/markdown.ts";
import { SECRET } from "../../receiver/sample.ts";
import { folderWith } from "../folder-with.ts";
import { startListening } from "../listening.ts";

const execute = promisify(execFile);

/**
 * The Inspector needs a newer Node than this package; both are downloaded, so only the long run
 * does it.
 */
const PACKAGES = "-y -p node@24 -p @modelcontextprotocol/inspector@2";
const INSPECTOR = [...PACKAGES.split(" "), "mcp-inspector", "--cli"];

it.skipIf(process.env.HOOKPORTER_LONG === undefined)(
  "the protocol's Inspector lists the tools without an error in a schema, reads a kind and calls a tool",
  { timeout: 600_000 },
  async () => {
    const cwd = folderWith({ "handlers.mjs": 'export default { "lead.created": () => {} };\n' });
    // the Inspector passes no variables on
    writeFileSync(join(cwd, ".env"), `HOOKPORTER_SECRET=${SECRET}\n`, { mode: 0o600 });
    const listen = startListening(["--handlers", "handlers.mjs", "--no-inspect"], { cwd });
    const url = (await listen.ready()).localUrl.href;
    const program = [process.execPath, join(root, "dist", "hookporter.cjs"), "mcp"];
    const inspect = async (...argv: string[]) => {
      const { stdout, stderr } = await execute("npx", [...INSPECTOR, ...program, ...argv], { cwd });
      return { answer: JSON.parse(stdout), stderr };
    };
    const { answer, stderr } = await inspect("--method", "tools/list");
    expect(answer.tools.map(({ name }: { name: string }) => name)).toContain("send_event");
    expect(answer.tools).toHaveLength(8);
    expect(stderr).toContain("Schema portability: 0 errors");
    const { resources } = (await inspect("--method", "resources/list")).answer;
    expect(resources.map(({ name }: { name: string }) => name)).toEqual(eventKinds);
    const read = await inspect("--method", "resources/read", "--uri", String(resources[0].uri));
    expect(JSON.parse(read.answer.contents[0].text).properties.event.const).toBe(eventKinds[0]);
    const call = "--method tools/call --tool-name send_event --tool-arg kind=lead.created";
    const sent = await inspect(...call.split(" "), "--tool-arg", `url=${url}`);
    expect(sent.answer.content[0].text).toMatch(/^exit code 0\n[\s\S]*"state":"handled"/);
  },
);
