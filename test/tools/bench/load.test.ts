import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { sign } from "../../../src/entries/index.ts";
import { SECRET } from "../../../tools/bench/events.ts";
import { FreshRequests } from "../../../tools/bench/load/fresh-requests.ts";
import { Latencies } from "../../../tools/bench/load/latencies.ts";
import { RequestFile } from "../../../tools/bench/load/request-file.ts";
import { runCommand } from "../../../tools/bench/load/run-command.ts";

/** A file that only counts its requests. */
function counted() {
  let count = 0;
  return {
    upTo: (wanted: number) => {
      count = Math.max(count, wanted);
      return { path: "requests", length: 100, bodyLength: 50, count };
    },
  };
}

const load = { connections: 64, seconds: 0.5 };

it("a load that outran its requests is repeated with enough of them, none of which was sent before", async () => {
  const fresh = new FreshRequests(counted(), 600);
  const loads: { first: number; sent: number; count: number }[] = [];
  const result = await fresh.send(load, async (file, first) => {
    loads.push({ first, sent: 150_000, count: file.count });
    return { sent: 150_000, seconds: 0.5 };
  });
  const [outran, repeated, ...more] = loads;
  expect(outran?.count).toBeLessThan(150_000);
  expect(repeated).toMatchObject({ first: 150_000 });
  expect(repeated?.count).toBeGreaterThanOrEqual(300_000);
  expect(more).toEqual([]);
  expect(result.sent).toBe(150_000);
});

it("each load starts after the requests of the one before", async () => {
  const fresh = new FreshRequests(counted(), 600);
  const firsts: number[] = [];
  for (let times = 0; times < 3; times++) {
    await fresh.send(load, async (_, first) => {
      firsts.push(first);
      return { sent: 1000, seconds: 0.5 };
    });
  }
  expect(firsts).toEqual([0, 1000, 2000]);
});

it("after a slow load, few requests are written for the next", async () => {
  const fresh = new FreshRequests(counted(), 200_000);
  const send = async () => ({ sent: 50, seconds: 0.5 });
  await fresh.send(load, send);
  let written = 0;
  await fresh.send({ ...load, seconds: 20 }, async (file) => {
    written = file.count;
    return { sent: 50, seconds: 20 };
  });
  expect(written).toBeLessThan(5000);
});

it("a load that outruns its requests again and again is an error", async () => {
  const fresh = new FreshRequests(counted(), 600);
  const sending = fresh.send(load, async ({ count }, first) => ({
    sent: count - first + 1,
    seconds: 60,
  }));
  await expect(sending).rejects.toThrow("6 times");
});

describe("latencies of a load", () => {
  it("are told apart below a millisecond, which a lone delivery takes", () => {
    const latencies = new Latencies();
    for (let index = 1; index <= 100; index++) latencies.note(index / 1000);
    latencies.note(250);
    expect(latencies.summary.p50).toBeCloseTo(0.051, 3);
    expect(latencies.summary.p99).toBeCloseTo(0.1, 2);
    expect(latencies.summary.max).toBeCloseTo(250, 0);
  });

  it("are never zero, of which there is no logarithm", () => {
    const latencies = new Latencies();
    latencies.note(0.0001);
    expect(latencies.summary.p50).toBe(0.001);
  });
});

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

const node = (code: string) => [process.execPath, "-e", code] as const;

it("a command is interrupted a given time after its first output, and its output is returned", async () => {
  const code = `
    process.on("SIGINT", () => { process.stdout.write("interrupted"); process.exit(); });
    setInterval(() => {}, 1000);
    process.stderr.write("ready");
  `;
  expect(await runCommand(node(code), { timeout: 60_000, interruptMs: 1 })).toBe("interrupted");
});

it("a command that ends earlier is not interrupted", async () => {
  const code = 'process.stderr.write("ready"); process.stdout.write("done");';
  expect(await runCommand(node(code), { timeout: 60_000, interruptMs: 60_000 })).toBe("done");
});

it("a failed command rejects with its output", async () => {
  const failing = runCommand(node('process.stderr.write("why"); process.exit(3)'), {
    timeout: 60_000,
  });
  await expect(failing).rejects.toThrow(/ended with 3: why/);
});
