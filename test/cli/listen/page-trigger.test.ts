import { expect, it, vi } from "vitest";
import type { Triggered } from "../../../src/inspector/api.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { listening } from "../open-listen.ts";

const WAIT = { timeout: 15_000, interval: 20 };

/** `listen` in a folder, and a function that triggers through the API of its page. */
async function openPage(cwd: string, argv: readonly string[] = []) {
  const listen = await listening(argv, cwd);
  const page = new URL(String(listen.records("ready")[0]?.inspector));
  const headers = {
    ...{ authorization: `Bearer ${page.hash.replace("#token=", "")}` },
    "content-type": "application/json",
  };
  const trigger = async (fields: object): Promise<readonly Triggered[]> => {
    const body = JSON.stringify(fields);
    const response = await fetch(`${page.origin}/api/trigger`, { method: "POST", headers, body });
    return (await response.json()) as readonly Triggered[];
  };
  return { ...listen, trigger };
}

it("events of the page's trigger and of the command at the same time are no duplicates of each other", async () => {
  const cwd = tempFolder();
  const { trigger, url, records } = await openPage(cwd);
  const data = '{"id":"the same"}';
  const fields = { kind: "lead.created", data, count: 40 };
  const argv = ["trigger", "lead.created", "--data", data, "--count", "40", "--url", url];
  const [first, second] = await Promise.all([trigger(fields), trigger(fields), runCli(argv, { cwd })]);
  expect([...first, ...second].map(({ word }) => word)).toEqual(Array(80).fill("accepted"));
  await vi.waitFor(() => expect(records("delivery")).toHaveLength(120), WAIT);
  expect(records("delivery").filter(({ verdict }) => verdict !== "accepted")).toEqual([]);
});
