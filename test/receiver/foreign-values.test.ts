import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { verify } from "../../src/entries/index.ts";
import { signedRequest } from "../../src/testing/signed-request.ts";
import { openReceiver } from "./open.ts";
import { deliveryOf, freshEnvelope, SECRET } from "./sample.ts";

const KIND = "payment.received";

/** The same bytes as another realm has them, as in Jest, jsdom or happy-dom. */
const foreignBytes = (text: string): Uint8Array =>
  runInNewContext(`Uint8Array.from(${JSON.stringify([...Buffer.from(text)])})`);

it("bytes of another realm are a secret, a body to sign and a body to verify", async () => {
  const body = JSON.stringify(freshEnvelope());
  const secret = foreignBytes(SECRET);
  expect(secret).not.toBeInstanceOf(Uint8Array);
  const signed = signedRequest(foreignBytes(body) as never, { secret });
  expect(signed.body.toString()).toBe(body);
  const given = foreignBytes(body);
  expect(await verify(given, signed.headers, { secret })).toMatchObject({ ok: true });
  const buffer = given.buffer as ArrayBuffer;
  expect(await verify(buffer, signed.headers, { secret })).toMatchObject({ ok: true });

  const { receiver } = await openReceiver({ secret, role: "receive" });
  expect(await receiver.accept(deliveryOf(body))).toMatchObject({ type: "accepted" });
});

it.each([
  ["an error", "new RangeError('theirs')", "RangeError", "theirs"],
  ["one with a cause", "new Error('a', { cause: new TypeError('b') })", "Error", "a ← b"],
  ["several", "new AggregateError([new Error('a'), new Error('b')])", "AggregateError", "a; b"],
])("%s of another realm keeps its name, message and causes", async (_, text, name, error) => {
  const { receiver, entry, untilState } = await openReceiver({ retry: { attempts: 1 } });
  receiver.on(KIND, () => {
    throw runInNewContext(text);
  });
  await receiver.accept(deliveryOf(freshEnvelope()));
  await untilState("dead");
  const shown = await receiver.inbox.show((await entry()).seq);
  expect(shown?.runs).toMatchObject([{ error, failure: { name } }]);
});
