import { expect, it } from "vitest";
import { type SandboxOptions, startSandbox } from "../../../src/entries/sandbox.ts";
import { readSandboxOptions } from "../../../src/service/sandbox/sandbox-options.ts";
import { openSandbox } from "./open.ts";

it("the defaults are the documented ones, and undefined counts as omitted", () => {
  const settings = readSandboxOptions({
    port: undefined,
    retry: undefined,
    chaos: { delay: undefined },
  });
  expect(settings).toMatchObject({
    port: 4500,
    seed: 1,
    properties: 25,
    rateLimit: 600,
    answerTimeout: 10_000,
    targetHosts: [],
    apiKey: undefined,
    signatureHeader: "x-service-signature",
    retry: { attempts: 6, delay: 1000, factor: 5, maxDelay: 600_000, jitter: 0 },
    chaos: { duplicates: 0, delay: [0, 0], wrongSignature: 0, outage: 0 },
  });
  expect(Object.isFrozen(settings)).toBe(true);
});

it.each<[string, SandboxOptions]>([
  ["a port beyond the last", { port: 65_536 }],
  ["a seed that is not whole", { seed: 0.5 }],
  ["a negative number of properties", { properties: -1 }],
  ["no requests a minute", { rateLimit: 0 }],
  ["a wait that is no number", { retry: { delay: Number.NaN } }],
  ["no time to answer", { answerTimeout: 0 }],
  ["a key of production", { apiKey: "sk_live_abc" }],
  ["a key that is a prefix alone", { apiKey: "sk_test_" }],
  ["a host with a scheme", { targetHosts: ["https://example.com"] }],
  ["a chance above 1", { chaos: { duplicates: 1.1 } }],
  ["a chance that is no number", { chaos: { wrongSignature: Number.NaN } }],
  ["a range that ends before it begins", { chaos: { delay: [2, 1] } }],
  ["an outage without an end", { chaos: { outage: Number.POSITIVE_INFINITY } }],
  ["a clock that is a text", { clock: "now" as never }],
  ["a logger without methods", { log: {} as never }],
  ["a header's name that is a number", { signatureHeader: 5 as never }],
  ["a list of hosts that is a text", { targetHosts: "example.com" as never }],
  ["a retry that is one number", { retry: 1000 as never }],
  ["a range of one number", { chaos: { delay: [1] as never } }],
  ["chaos that is a text", { chaos: "all" as never }],
  ["an unknown option", { prot: 4500 } as object],
  ["an unknown kind of chaos", { chaos: { duplicate: 1 } } as object],
])("%s is refused", async (_, options) => {
  await expect(startSandbox({ port: 0, ...options })).rejects.toMatchObject({
    code: "option_invalid",
  });
});

it("an option that is misspelt is refused with the one that was probably meant, and a refused key is not printed", () => {
  const misspelt = { rateLimits: 1, chaos: {} };
  expect(() => readSandboxOptions(misspelt)).toThrow("did you mean rateLimit?");
  expect(() => readSandboxOptions({ apiKey: "sk_live_abc" })).toThrow(/^(?!.*abc)/);
});

it("an unknown kind and a listener that is no function are refused", async () => {
  const { sandbox } = await openSandbox();
  const refused = expect.objectContaining({ code: "option_invalid" });
  expect(() => sandbox.emit("payment.recieved" as never)).toThrow("did you mean payment.received?");
  expect(() => sandbox.observe("listener" as never)).toThrow(refused);
});

it("a taken port is reported", async () => {
  const { sandbox } = await openSandbox();
  const second = startSandbox({ port: Number(sandbox.url.port) });
  await expect(second).rejects.toMatchObject({ code: "port_unavailable" });
});
