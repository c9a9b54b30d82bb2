import { expect, it } from "vitest";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { postTo } from "../observe/posting.ts";
import { openReceiver } from "./open.ts";
import { bytes, envelope, signedHeaders } from "./sample.ts";

const CREDENTIALS = ["authorization", "cookie", "proxy-authenticate", "proxy-authorization"];
const HOPS = ["connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"];
/** The name "" is none that HTTP carries. */
const DROPPED = [...CREDENTIALS, ...HOPS, "__proto__", ""];

it("a delivery is kept with all headers but credentials and those of one connection", async () => {
  const { receiver } = await openReceiver();
  const body = bytes(envelope());
  const kept = { ...signedHeaders(body), accept: "*/*", "x-list": ["a", "b"] };
  const dropped = DROPPED.map((name) => [name, "dropped"]);
  const headers = Object.fromEntries([...Object.entries(kept), ...dropped]);
  await postTo(receiver)(body, { headers });
  expect((await inboxOf(receiver).delivery(1))?.headers).toEqual(kept);
});
