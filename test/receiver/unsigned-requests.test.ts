import { expect, it } from "vitest";
import { SIGNATURE_HEADER } from "../../src/entries/index.ts";
import { postTo } from "../observe/posting.ts";
import { openReceiver } from "./open.ts";
import { bytes, envelope, freshEnvelope, keptLog, MINUTE, signedHeaders } from "./sample.ts";

const GOOD = bytes(envelope());
const SIGNATURE = signedHeaders(GOOD)[SIGNATURE_HEADER] ?? "";
const DIGEST = SIGNATURE.slice("sha256=".length);

/** A receiver with its warnings about signatures. */
async function open(options: Parameters<typeof openReceiver>[0] = {}) {
  const { log, outcomes } = keptLog();
  const opened = await openReceiver({ log, ...options });
  const post = postTo(opened.receiver);
  /** Sends a delivery with these headers; returns the warnings so far. */
  const told = async (headers: Readonly<Record<string, unknown>>, times = 1) => {
    for (let n = 0; n < times; n++) await post(GOOD, { headers: headers as never });
    return outcomes.filter(({ level }) => level === "warn").map(({ message }) => message);
  };
  const warned = () => outcomes.filter(({ level }) => level === "warn");
  return { ...opened, post, told, warned };
}

it.each([
  ["in quotes", `"${SIGNATURE}"`, /more than a prefix and a digest.*quotes/],
  ["in upper case", SIGNATURE.toUpperCase(), /upper case/],
  ["without its prefix", DIGEST, /no prefix/],
  ["with another prefix", `sha-256=${DIGEST}`, /different prefix/],
  ["in base64", `sha256=${Buffer.from(DIGEST, "hex").toString("base64")}`, /base64/],
  ["cut off", SIGNATURE.slice(0, 40), /end is missing.*33 of 64 digits/],
  ["twice", [SIGNATURE, SIGNATURE], /more than once/],
  ["joined", `${SIGNATURE}, ${SIGNATURE}`, /more than once/],
  ["of another service", `t=123,v1=${DIGEST}`, /another service's/],
  ["without a digest", "sha256=undefined", /contains no digest/],
  ["of nothing known", "hello", /not `sha256=` and 64 lowercase hex digits/],
])("a signature %s is a warning with the header and what is wrong", async (_, value, wrong) => {
  const { told, warned } = await open();
  const [message = ""] = await told({ [SIGNATURE_HEADER]: value });
  expect(message).toMatch(/^a signature cannot be read: in the header x-service-signature, /);
  expect(message).toMatch(wrong);
  expect(warned()).toMatchObject([
    { fields: { outcome: "unauthorized", reason: "signature_malformed" } },
  ]);
  expect(JSON.stringify(warned())).not.toContain(DIGEST.slice(0, 12));
});

it.each([
  [{ "x-service-signature-256": SIGNATURE }, "x-service-signature-256"],
  [{ authorization: SIGNATURE }, "authorization"],
  [{ "x-hub-signature": DIGEST.toUpperCase() }, "x-hub-signature"],
  [{ "x-amz-content-sha256": DIGEST, "x-signature": `v1=${DIGEST}` }, "x-signature"],
  [{ "x-first": `key ${DIGEST}`, "x-second": SIGNATURE }, "x-second"],
  [{ [SIGNATURE_HEADER]: " ", "x-other": SIGNATURE }, "x-other"],
])("a signature in another header than expected is a warning: %j", async (headers, name) => {
  const { told } = await open();
  const [message] = await told(headers);
  expect(message).toBe(
    `a request has no x-service-signature, but ${name} looks like a signature: set signatureHeader to that name, or send the expected one`,
  );
});

it("the header's name in a warning is the one that is set", async () => {
  const { told } = await open({ signatureHeader: "x-own" });
  expect(await told({ "x-own": "hello" })).toEqual([expect.stringContaining("header x-own,")]);
});

it("requests without a signature are a warning once several came and none with one", async () => {
  const { told, post, clock, warned } = await open();
  const none = { "x-amz-content-sha256": DIGEST, etag: `"${DIGEST}"` };
  expect(await told(none, 4)).toEqual([]);
  expect(await told(none)).toEqual([
    "none of the last 5 requests had the header x-service-signature: does a proxy drop it, or has the sender's another name (signatureHeader)?",
  ]);
  clock.now += 10 * MINUTE;
  expect(await told(none, 4)).toHaveLength(1);
  expect((await told(none)).at(-1)).toContain("the last 10 requests");
  await post(freshEnvelope());
  clock.now += 10 * MINUTE;
  expect(await told(none, 4)).toHaveLength(2);
  expect((await told(none)).at(-1)).toContain("the last 5 requests");
  expect(warned()[0]).toMatchObject({
    fields: { outcome: "unauthorized", reason: "signature_missing" },
  });
});

it("there is one line a minute, whatever anyone sends, and it counts the others", async () => {
  const { told, clock, warned } = await open();
  for (let n = 0; n < 30; n++) {
    await told({ [SIGNATURE_HEADER]: `hello ${n}` });
    await told({ [`x-other-${n}`]: SIGNATURE });
    await told({});
  }
  expect(warned()).toHaveLength(1);
  clock.now += MINUTE;
  await told({ [SIGNATURE_HEADER]: "hello" });
  expect(warned()).toHaveLength(2);
  expect(warned()[1]).toMatchObject({ fields: { unlogged: expect.any(Number) } });
});

it("nothing in a header can forge a line or make it long", async () => {
  const { told } = await open();
  const name = `x-\n\u001b[31m\u202e${"n".repeat(5000)}`;
  const [message = ""] = await told({ [name]: SIGNATURE });
  expect(message).toMatch(/^[ -~…]+$/);
  expect(message.length).toBeLessThan(300);
});

it("requests that the receiver is not ready for, or that are no deliveries, are not counted", async () => {
  const { receiver, told, post } = await open();
  for (let n = 0; n < 20; n++) await post(GOOD, { method: "GET", headers: {} });
  expect(await told({})).toEqual([]);
  await receiver.close();
  expect(await told({}, 20)).toEqual([]);
});
