import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { root } from "../../docs/markdown.ts";
import { SECRET } from "../../receiver/sample.ts";
import { tempFolder } from "../fake-io.ts";
import { startListening } from "../listening.ts";

const BIN = join(root, "dist", "hookporter.cjs");

/** The tools of a folder, over the SDK's own client and the built program. */
export function connect(cwd: string, ...argv: string[]) {
  return connectWith({ HOOKPORTER_SECRET: SECRET }, cwd, ...argv);
}

/** The same, with the variables of the person who started the server. */
export async function connectWith(
  variables: Record<string, string>,
  cwd: string,
  ...argv: string[]
) {
  const client = new Client({ name: "test", version: "1" });
  const args = [BIN, "mcp", ...argv];
  const env = { PATH: process.env.PATH ?? "", ...variables };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd, env, stderr: "ignore" }),
  );
  onTestFinished(() => client.close());
  const call = async (name: string, input: Record<string, unknown>) => {
    const { content, isError } = await client.callTool({ name, arguments: input });
    const text = content.map((one) => (one.type === "text" ? one.text : "")).join("\n");
    const records = text
      .split("\n")
      .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
    return { text, records, isError: isError === true };
  };
  return { client, call };
}

const BROKEN = 'export default { "payment.received": (event) => event.data.missing.name };\n';

/** A folder with a running `listen` whose only handler is broken. */
export async function listeningFolder() {
  const cwd = tempFolder();
  writeFileSync(join(cwd, "handlers.mjs"), BROKEN);
  const listen = startListening(["--handlers", "handlers.mjs", "--no-inspect"], { cwd });
  const url = (await listen.ready()).localUrl.href;
  return { cwd, url, trigger: listen.trigger };
}
