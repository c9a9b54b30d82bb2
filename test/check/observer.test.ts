import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { commandWords } from "../../src/base/text/command-words.ts";
import { observeByCommand, observeByUrl, readCount } from "../../src/check/observer.ts";
import { readEnvelope } from "../../src/event/read-envelope.ts";
import { sampleEvent } from "../../src/event/sample.ts";
import { tempFolder } from "../cli/fake-io.ts";
import { serve } from "./receivers/under-test.ts";

const bodies = [1, 2].map((rooms) =>
  Buffer.from(JSON.stringify(sampleEvent("property.created", { data: { rooms } }))),
);
const event = { marker: "prop_check_1", bodies };
const usage = expect.objectContaining({ code: "usage" });

it("the number on the last line is read", () => {
  expect(readCount("3\n")).toBe(3);
  expect(readCount("> count\nnpm says\n12\r\n")).toBe(12);
  for (const text of ["", "three", "-1", "1.5", '{"type":"other"}', "{"])
    expect(() => readCount(text)).toThrow(/whole/);
});

it("the record of `events show --json` is read: the handler with most successful runs counts", () => {
  const runs = [
    { handler: "a", outcome: "error" },
    { handler: "a", outcome: "ok" },
    { handler: "b", outcome: "ok" },
  ];
  const entry = (parts: object) =>
    JSON.stringify({ type: "entry", state: "handled", runs, ...parts });
  expect(readCount(entry({}))).toBe(1);
  expect(readCount(entry({ state: "waiting", runs: [] }))).toBe(0);
  expect(readCount(entry({ state: "received", runs: [] }))).toBe(1);
  expect(readCount(JSON.stringify({ type: "error", code: "entry_unknown" }))).toBe(0);
  expect(() => readCount(JSON.stringify({ type: "error", code: "inbox_busy" }))).toThrow(/whole/);
});

it("a command is split into words without a shell", () => {
  expect(commandWords(`sh -c 'grep -c "$0" log' --x="a b" C:\\bin`)).toEqual([
    "sh",
    "-c",
    'grep -c "$0" log',
    "--x=a b",
    "C:\\bin",
  ]);
});

it("a command gets the marker as its last argument, or in its placeholder", async () => {
  const cwd = tempFolder();
  writeFileSync(
    join(cwd, "count.cjs"),
    "console.log(process.argv[2] === 'prop_check_1' ? 4 : 0); process.exit(1);",
  );
  const surroundings = { cwd, env: process.env, timeout: 5000 };
  expect(await observeByCommand("node count.cjs", surroundings).count(event)).toBe(4);
  expect(await observeByCommand("node count.cjs {marker} more", surroundings).count(event)).toBe(4);
  expect(await observeByCommand("node count.cjs x{marker}", surroundings).count(event)).toBe(0);
});

it("each event id is asked for once, and counts are added up", async () => {
  const cwd = tempFolder();
  const ids = bodies
    .map((body) => readEnvelope(body))
    .flatMap((read) => (read.ok ? [read.eventId] : []));
  writeFileSync(
    join(cwd, "count.cjs"),
    `console.log(${JSON.stringify(ids)}.indexOf(process.argv[2]) + 1)`,
  );
  const observer = observeByCommand("node count.cjs {event-id}", {
    cwd,
    env: process.env,
    timeout: 5000,
  });
  expect(await observer.count({ ...event, bodies: [...bodies, ...bodies] })).toBe(3);
});

it("a missing command, or one that prints no number, is an error", async () => {
  const surroundings = { cwd: tempFolder(), env: process.env, timeout: 5000 };
  await expect(observeByCommand("no-such-program-here", surroundings).count(event)).rejects.toEqual(
    usage,
  );
  await expect(observeByCommand("node -p 'NaN'", surroundings).count(event)).rejects.toEqual(usage);
});

it("a URL gets the marker as a parameter, or in its placeholder; 404 means never", async () => {
  const url = await serve((request, response) => {
    const found = { "/count?marker=prop_check_1": 2, "/count/prop_check_1": 3 }[request.url ?? ""];
    response.writeHead(found === undefined ? 404 : 200).end(String(found ?? "not here"));
  });
  expect(await observeByUrl(`${url.origin}/count`, 1000).count(event)).toBe(2);
  expect(await observeByUrl(`${url.origin}/count/{marker}`, 1000).count(event)).toBe(3);
  expect(await observeByUrl(`${url.origin}/other`, 1000).count(event)).toBe(0);
});

it("an error, a redirect or a response without a number is an error", async () => {
  const answers: Record<string, number> = { "/a": 500, "/b": 302, "/c": 200 };
  const url = await serve((request, response) => {
    response
      .writeHead(answers[request.url?.split("?")[0] ?? ""] ?? 404, { location: "/c" })
      .end("many");
  });
  for (const path of ["a", "b", "c"]) {
    await expect(observeByUrl(`${url.origin}/${path}`, 1000).count(event)).rejects.toEqual(usage);
  }
});
