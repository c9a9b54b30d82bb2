import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import type { Sample, Triggered } from "../../../src/inspector/api.ts";
import { type Learned, learn } from "../../../src/learn/shape.ts";
import { writeShapes } from "../../../src/learn/shape-file.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { listening } from "../open-listen.ts";

const WAIT = { timeout: 15_000, interval: 20 };

/** `listen` in a folder, and a function that triggers through the API of its page. */
async function openPage(cwd: string, argv: readonly string[] = []) {
  const listen = await listening(argv, cwd);
  const page = new URL(String(listen.records("ready")[0]?.inspector));
  const headers = {
    authorization: `Bearer ${page.hash.replace("#token=", "")}`,
    "content-type": "application/json",
  };
  const trigger = async (fields: object): Promise<readonly Triggered[]> => {
    const body = JSON.stringify(fields);
    const response = await fetch(`${page.origin}/api/trigger`, { method: "POST", headers, body });
    return (await response.json()) as readonly Triggered[];
  };
  const api = async <Value>(path: string) =>
    (await (await fetch(`${page.origin}${path}`, { headers })).json()) as Value;
  return { ...listen, trigger, api };
}

it("events of the page's trigger and of the command at the same time are no duplicates of each other", async () => {
  const cwd = tempFolder();
  const { trigger, url, records } = await openPage(cwd);
  const data = '{"id":"the same"}';
  const fields = { kind: "lead.created", data, count: 40 };
  const argv = ["trigger", "lead.created", "--data", data, "--count", "40", "--url", url];
  const [first, second] = await Promise.all([
    trigger(fields),
    trigger(fields),
    runCli(argv, { cwd }),
  ]);
  expect([...first, ...second].map(({ word }) => word)).toEqual(Array(80).fill("accepted"));
  await vi.waitFor(() => expect(records("delivery")).toHaveLength(120), WAIT);
  expect(records("delivery").filter(({ verdict }) => verdict !== "accepted")).toEqual([]);
});

it("the page's trigger makes up data from the shape file, unless told to send the samples", async () => {
  const cwd = tempFolder();
  const learned: Learned = new Map();
  for (let at = 0; at < 3; at++)
    learn(learned, "lead.created", { id: `lead_${at}`, invented: at }, at);
  mkdirSync(join(cwd, "src"));
  writeFileSync(join(cwd, "src", "schemas.shape.json"), writeShapes(learned));
  const { trigger, api } = await openPage(cwd);
  const kind = "lead.created";
  for (const fields of [{}, { samples: true }, { data: '{"id":"mine"}' }])
    await trigger({ kind, ...fields });
  const bodies = await Promise.all(
    [1, 2, 3].map((seq) => api<{ data: object }>(`/api/entries/${seq}/body`)),
  );
  expect(bodies.map((body) => body.data)).toEqual([
    expect.objectContaining({ invented: expect.any(Number) }),
    expect.not.objectContaining({ invented: expect.anything() }),
    { id: "mine" },
  ]);
  const samples = await api<readonly Sample[]>("/api/samples");
  expect(samples.filter(({ madeUpFrom }) => madeUpFrom !== null)).toMatchObject([
    { kind, madeUpFrom: "src/schemas.shape.json" },
  ]);
});
