import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SIGNATURE_HEADER } from "../../src/entries/index.ts";
import { openReceiver } from "../receiver/open.ts";
import { bytes, envelope, freshEnvelope, signedHeaders } from "../receiver/sample.ts";
import { type Sent, STAND_INS } from "./stand-ins.ts";

const GOOD = bytes(envelope());
const WRONG = { [SIGNATURE_HEADER]: `sha256=${"0".repeat(64)}` };

/** Errors that nobody caught, over the whole file: a timer may fire after its test. */
const uncaught: unknown[] = [];
const keep = (thrown: unknown) => void uncaught.push(thrown);
beforeAll(() => void process.on("unhandledRejection", keep).on("uncaughtException", keep));
afterAll(() => void process.off("unhandledRejection", keep).off("uncaughtException", keep));

const REQUESTS: Readonly<Record<string, { readonly sent: Sent; readonly status: number }>> = {
  "an authentic event": { sent: { headers: signedHeaders(GOOD), body: GOOD }, status: 200 },
  "a wrong signature": { sent: { headers: WRONG, body: GOOD }, status: 401 },
  "no signature": { sent: { headers: {}, body: GOOD }, status: 401 },
  "no signature, after asking first": {
    sent: { headers: { expect: "100-continue" }, body: GOOD },
    status: 401,
  },
  "another method": {
    sent: { method: "PUT", headers: signedHeaders(GOOD), body: GOOD },
    status: 405,
  },
  "too large a body": { sent: { headers: WRONG, body: Buffer.alloc(2000) }, status: 413 },
  "a compressed body": {
    sent: { headers: { ...WRONG, "content-encoding": "br" }, body: GOOD },
    status: 415,
  },
};

describe.each(STAND_INS)("$name", ({ open }) => {
  it.each(Object.entries(REQUESTS))("answers %s", async (_, { sent, status }) => {
    const { receiver, entries } = await openReceiver({ bodyLimit: 1000 });
    const got = await open(receiver)(sent);
    expect(got.status).toBe(status);
    expect(Object.keys(JSON.parse(got.text))[0]).toBe(status === 200 ? "received" : "error");
    expect(await entries()).toHaveLength(status === 200 ? 1 : 0);
  });

  it("answers 503 once the receiver is closed", async () => {
    const { receiver } = await openReceiver();
    const send = open(receiver);
    await receiver.close();
    expect(await send({ headers: signedHeaders(GOOD), body: GOOD })).toMatchObject({ status: 503 });
  });

  it("answers each of many refused requests, and a good one after them", async () => {
    const { receiver } = await openReceiver();
    const send = open(receiver);
    const refused = await Promise.all(
      Array.from({ length: 20 }, () => send({ headers: WRONG, body: GOOD })),
    );
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([401]));
    const body = bytes(freshEnvelope());
    expect(await send({ headers: signedHeaders(body), body })).toMatchObject({ status: 200 });
  });
});

it("leaves nothing behind that throws on a timer, or rejects", async () => {
  await sleep(1500); // longer than a sender has to read an answer
  expect(uncaught).toEqual([]);
});
