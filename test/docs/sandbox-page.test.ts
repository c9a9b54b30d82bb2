import { expect, it } from "vitest";
import { retryDelay } from "../../src/dispatch/retry.ts";
import type {
  Chaos,
  SandboxAttempt,
  SandboxDelivery,
  SandboxOptions,
} from "../../src/entries/sandbox.ts";
import { NO_CHAOS } from "../../src/sandbox/chaos.ts";
import { DEFAULT_PER_PAGE, MAX_PER_PAGE } from "../../src/sandbox/property-list.ts";
import { readSandboxOptions } from "../../src/sandbox/sandbox-options.ts";
import { openTarget } from "../relay/sample.ts";
import { openSandbox } from "../sandbox/open.ts";
import { quoted, readPage, rowsOf, sectionOf } from "./markdown.ts";

const page = readPage("docs/reference/sandbox.md");
const library = readPage("docs/reference/package/sandbox.md");

/** The types keep these complete: an added or removed option or field does not compile. */
const OPTIONS: Readonly<Record<keyof SandboxOptions, true>> = {
  port: true,
  apiKey: true,
  seed: true,
  properties: true,
  rateLimit: true,
  retry: true,
  answerTimeout: true,
  targetHosts: true,
  chaos: true,
  signatureHeader: true,
  log: true,
  clock: true,
};
const DELIVERY: Readonly<Record<keyof SandboxDelivery, true>> = {
  id: true,
  event: true,
  timestamp: true,
  webhook: true,
  state: true,
  copyOf: true,
  nextAttemptAt: true,
  attempts: true,
};
const ATTEMPT: Readonly<Record<keyof SandboxAttempt, true>> = {
  attempt: true,
  at: true,
  status: true,
  error: true,
  duration: true,
  chaos: true,
};

it("the page lists every option of a sandbox, and no other, with the actual defaults", () => {
  const rows = rowsOf(sectionOf(library, "startSandbox(options)"));
  expect(rows.map(([name = ""]) => quoted(name)[0])).toEqual(Object.keys(OPTIONS));
  const settings = readSandboxOptions({});
  const plain = Object.entries(settings).filter(([, value]) =>
    ["number", "string"].includes(typeof value),
  );
  expect(plain.length).toBeGreaterThan(5);
  for (const [name, value] of plain) {
    const row = rows.find(([cell = ""]) => quoted(cell)[0] === name);
    expect([name, row?.[2]?.replaceAll("`", "")]).toEqual([name, String(value)]);
  }
  const { retry } = settings;
  const waits = Array.from(
    { length: retry.attempts - 1 },
    (_, index) => retryDelay(index + 1, retry, 0) ?? 0,
  );
  const minutes = waits.reduce((sum, wait) => sum + wait) / 60_000;
  expect([waits.length, Math.round(minutes)]).toEqual([5, 13]);
});

it("the page lists every kind of chaos with its default", () => {
  const rows = rowsOf(sectionOf(page, "Chaos")).map(([name = "", , value = ""]) => {
    return [quoted(name)[0], JSON.parse(value.replaceAll("`", ""))];
  });
  expect(rows).toEqual(Object.entries(NO_CHAOS satisfies Chaos));
});

it("the page lists every field of the log", () => {
  const rows = rowsOf(sectionOf(page, "The log"));
  const fields = rows.flatMap(([names = ""]) => quoted(names));
  expect([...fields].sort()).toEqual(Object.keys(DELIVERY).sort());
  const attempts = rows.find(([name]) => name === "`attempts`")?.[1] ?? "";
  expect([...quoted(attempts)].sort()).toEqual(Object.keys(ATTEMPT).sort());
});

it("the page has the page sizes", () => {
  expect(sectionOf(page, "Assumptions")).toContain(`${DEFAULT_PER_PAGE}, at most ${MAX_PER_PAGE}`);
});

it("the page lists existing routes with their actual paths", async () => {
  const target = await openTarget();
  const { ask, subscribe } = await openSandbox();
  const id = await subscribe(target.url, ["lead.created"]);
  const routes = [
    ...rowsOf(sectionOf(page, "The API")),
    ...rowsOf(sectionOf(page, "Routes of its own")),
  ];
  const paths = routes
    .map(([route = ""]) => quoted(route)[0] ?? "")
    .filter((route) => !route.includes("stream"));
  expect(paths).toHaveLength(6);
  for (const route of paths) {
    const [method = "", path = ""] = route.split(" ");
    const reply = await ask(path.replace(":id", id), {
      method,
      ...(method === "POST" && { body: {} }),
    });
    expect([route, reply.status]).not.toEqual([route, 404]);
  }
});
