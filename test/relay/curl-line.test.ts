import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { curlLine } from "../../src/relay/curl-line.ts";
import { openTarget } from "./sample.ts";

const hasCurl = ["sh", "curl"].every((name) => spawnSync(name, ["--help"]).error === undefined);

it.skipIf(!hasCurl)(
  "the command sends the body byte for byte and every header, whatever they contain",
  async () => {
    const { url, got } = await openTarget();
    const folder = mkdtempSync(join(tmpdir(), "hookporter-curl-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const body = Buffer.from([
      ...Buffer.from("@\r\n\n'\"$(x)\0"),
      ...Array.from({ length: 256 }, (_, byte) => byte),
    ]);
    const file = join(folder, "a 'b' $(c) `d`;e.json");
    writeFileSync(file, body);
    const target = new URL(`${url.href}&list[]=1&x={a,b}&quote='`);
    const tricky = 'it\'s "$HOME" `id` $(id) \\n !x; #y';
    const headers = { "x-tricky": [tricky], "x-twice": ["a", "b"], "x-empty": [""] };
    const { line, leftOut } = curlLine({ target, headers, file });
    const { stdout } = await promisify(execFile)("sh", ["-c", line], { cwd: folder });
    expect(stdout).toBe("ok\n200\n");
    expect(leftOut).toEqual([]);
    expect(got).toHaveLength(1);
    expect(got[0]?.body.equals(body)).toBe(true);
    expect(got[0]?.url).toBe(target.pathname + target.search);
    expect(got[0]?.headers).toMatchObject({ "x-tricky": tricky, "x-twice": "a, b", "x-empty": "" });
    expect(got[0]?.headers).not.toHaveProperty("content-type");
  },
);

it("a header that a command line cannot carry is omitted and named", () => {
  const headers = { "content-type": ["application/json"], "x-latin": ["caf\xe9"] };
  const { line, leftOut } = curlLine({
    target: new URL("http://127.0.0.1:1/"),
    headers,
    file: "b",
  });
  expect(leftOut).toEqual(["x-latin"]);
  expect(line).not.toContain("x-latin");
});
