import { expect, it } from "vitest";
import { probeTarget } from "../../src/relay/probe-target.ts";
import { openTarget } from "./sample.ts";

const TERMS = { insecure: false, timeout: 5000 };

it("asks with OPTIONS and no body, and takes any status for an answer", async () => {
  const { url, got } = await openTarget((response) => void response.writeHead(405).end());
  expect(await probeTarget(url, TERMS)).toEqual({ status: 405 });
  expect(got).toMatchObject([{ method: "OPTIONS", url: "/hooks?a=b", body: Buffer.alloc(0) }]);
});

it("says why nothing answers", async () => {
  const { url, close } = await openTarget();
  await close();
  expect(await probeTarget(url, TERMS)).toEqual({
    why: expect.stringContaining("connection refused"),
  });
});

it("recognises a TLS server by its answer to plain HTTP", async () => {
  const body = "The plain HTTP request was sent to HTTPS port";
  const { url } = await openTarget((response) => void response.writeHead(400).end(body));
  expect(await probeTarget(url, TERMS)).toEqual({
    why: `it speaks TLS, not plain HTTP: use https://${url.host}`,
  });
});

it("waits no longer than its time-out for a server that accepts connections", async () => {
  let asked = 0;
  const { url } = await openTarget((response) => {
    if (++asked === 1) response.end();
  });
  // its connection is kept, and accepted
  expect(await probeTarget(url, TERMS)).toEqual({ status: 200 });
  expect(await probeTarget(url, { ...TERMS, timeout: 100 })).toEqual({
    why: "it accepts connections, but did not answer in 0.1 s: check the app's log",
  });
});
