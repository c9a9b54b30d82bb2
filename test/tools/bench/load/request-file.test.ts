import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { sign } from "../../../../src/entries/index.ts";
import { SECRET } from "../../../../tools/bench/events.ts";
import { RequestFile } from "../../../../tools/bench/load/request-file.ts";

const folder = mkdtempSync(join(tmpdir(), "hookporter-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const options = { size: 600, dialect: "service", from: 1_700_000_000_000 } as const;

it("the file grows by missing requests, and otherwise stays the same", () => {
  const file = new RequestFile(join(folder, "grown"), options);
  const { path, length } = file.upTo(700);
  const before = readFileSync(path);
  expect(before.byteLength).toBe(700 * length);
  expect(file.upTo(10).count).toBe(700);
  expect(file.upTo(1300)).toMatchObject({ length, count: 1300 });
  const whole = readFileSync(path);
  expect(whole.byteLength).toBe(1300 * length);
  expect(file.bytes).toBe(1300 * length);
  expect(whole.subarray(0, before.byteLength).equals(before)).toBe(true);
  const atOnce = new RequestFile(join(folder, "at-once"), options).upTo(1300);
  expect(readFileSync(atOnce.path).equals(whole)).toBe(true);
});

it("the file contains signed bodies, all different", () => {
  const { path, length, bodyLength, count } = new RequestFile(join(folder, "signed"), options).upTo(
    100,
  );
  const whole = readFileSync(path);
  const requests = Array.from({ length: count }, (_, index) =>
    whole.subarray(index * length, (index + 1) * length),
  );
  const bodies = requests.map((request) => request.subarray(length - bodyLength));
  expect(new Set(bodies.map(String)).size).toBe(count);
  for (const [index, request] of requests.entries()) {
    expect(String(request)).toContain(
      `x-service-signature: ${sign(bodies[index] ?? Buffer.of(), SECRET)}\r\n`,
    );
  }
});
