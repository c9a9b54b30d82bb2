import { expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { DEFAULT_RETRY, retryDelay } from "../../src/dispatch/retry.ts";
import type { RetryPolicy } from "../../src/entries/client.ts";
import type { ReceiverOptions } from "../../src/entries/index.ts";
import { readOptions } from "../../src/receiver/options/settings.ts";
import { quoted, readPage, rowsOf, sectionOf } from "./markdown.ts";

const page = readPage("docs/reference/package/index.md");
const options = readPage("docs/reference/package/create-receiver.md");
const rows = rowsOf(sectionOf(options, "createReceiver")).map(([name = "", , fallback = ""]) => ({
  name: quoted(name)[0] ?? "",
  fallback,
}));

/** The types keep these complete: an added or removed option does not compile. */
const OPTIONS: Readonly<Record<keyof ReceiverOptions, true>> = {
  secret: true,
  inbox: true,
  signatureHeader: true,
  source: true,
  role: true,
  otherKinds: true,
  schemas: true,
  handlers: true,
  identity: true,
  orderBy: true,
  deadLetterOrder: true,
  inexactNumbers: true,
  maxAge: true,
  maxSkew: true,
  retention: true,
  retentionDead: true,
  deliveryRetention: true,
  bodyLimit: true,
  unverifiedLimit: true,
  bodyTimeout: true,
  sources: true,
  concurrency: true,
  handlerTimeout: true,
  retry: true,
  lease: true,
  poll: true,
  unhandledAfter: true,
  drainTimeout: true,
  walLimit: true,
  tracing: true,
  drift: true,
  log: true,
  clock: true,
  random: true,
};
const RETRY: Readonly<Record<keyof RetryPolicy, true>> = {
  attempts: true,
  delay: true,
  factor: true,
  maxDelay: true,
  jitter: true,
};

it("the page of `createReceiver` lists every option and of its retries, and no other", () => {
  const options = [...Object.keys(OPTIONS), ...Object.keys(RETRY)];
  expect(rows.map(({ name }) => name)).toEqual(options);
});

it("the page has the actual defaults of the receiver", () => {
  const settings = readOptions({ secret: "a-secret-that-is-long-enough", inbox: "memory:" });
  const plain = Object.entries({ ...settings, ...DEFAULT_RETRY }).filter(([name, value]) => {
    return ["number", "string"].includes(typeof value) && rows.some((row) => row.name === name);
  });
  expect(plain.length).toBeGreaterThan(14);
  const onPage = plain.map(([name]) => {
    const fallback = rows.find((row) => row.name === name)?.fallback ?? "";
    return [name, fallback.replaceAll("`", "").replace(/ \(.*\)$/, "")];
  });
  expect(onPage).toEqual(plain.map(([name, value]) => [name, String(value)]));
});

it("the page says how long the default retries continue, and how far apart they get", () => {
  const seconds = (random: number) =>
    Array.from(
      { length: 9 },
      (_, index) => (retryDelay(index + 1, DEFAULT_RETRY, random) ?? 0) / 1000,
    );
  const minutes = (random: number) => seconds(random).reduce((sum, delay) => sum + delay) / 60;
  expect([Math.floor(minutes(1)), Math.ceil(minutes(0))]).toEqual([4, 9]);
  const promise = readPage("docs/reference/identity-and-promise.md");
  expect(promise).toContain("4 to 9 minutes");
  expect(promise).toContain(`${Math.max(...seconds(0))} seconds`);
});

it("the page lists every import of the package", () => {
  const imports = rowsOf(page.slice(0, page.indexOf("## "))).map(([name = ""]) => quoted(name)[0]);
  const published = Object.keys(packageJson.exports).filter((name) => !name.endsWith(".json"));
  expect(imports).toEqual(published.map((name) => `hookporter${name.slice(1)}`));
});
