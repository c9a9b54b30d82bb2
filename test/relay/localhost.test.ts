import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { isLocalhost, lookupBothFamilies } from "../../src/relay/localhost.ts";
import { send } from "../../src/relay/send.ts";
import { openTarget } from "./sample.ts";

const EMPTY = { headers: {}, body: new Uint8Array(0) };

/** Starts an app on one address of this machine; `undefined` if it lacks that address family. */
async function startOn(host: string): Promise<number | undefined> {
  const server = createServer((_, response) => void response.end("ok"));
  const listens = new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false)).listen(0, host, () => resolve(true));
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (await listens) ? (server.address() as AddressInfo).port : undefined;
}

it.each(["http://localhost:3000", "https://app.localhost", "http://LOCALHOST./in"])(
  "%s names this machine",
  (url) => expect(isLocalhost(new URL(url))).toBe(true),
);

it.each(["http://127.0.0.1", "http://[::1]", "http://localhost.test", "http://mylocalhost"])(
  "%s is not a name for this machine",
  (url) => expect(isLocalhost(new URL(url))).toBe(false),
);

it.each(["127.0.0.1", "::1"])("a target on %s is found as localhost, and named", async (host) => {
  const port = await startOn(host);
  if (port === undefined) return; // a machine without IPv6
  for (const name of ["localhost", "app.localhost"]) {
    const answer = await send({ target: new URL(`http://${name}:${port}/in`), ...EMPTY });
    expect(answer).toMatchObject({ status: 200, address: host });
  }
});

it("the address that answered is named on a connection that was kept open, too", async () => {
  const port = await startOn("127.0.0.1");
  for (let time = 0; time < 2; time++) {
    const answer = await send({ target: new URL(`http://localhost:${port}/in`), ...EMPTY });
    expect(answer.address).toBe("127.0.0.1");
  }
});

it("no address is named for a target that has only one", async () => {
  const { url } = await openTarget();
  expect((await send({ target: url, ...EMPTY })).address).toBeUndefined();
});

it("both loopback addresses are looked up, whatever the system knows", async () => {
  const lookUp = promisify(lookupBothFamilies) as unknown as (
    name: string,
    options: object,
  ) => Promise<readonly { readonly address: string }[]>;
  for (const name of ["localhost", "no-such-app.localhost"]) {
    const found = await lookUp(name, { all: true });
    expect(found.map(({ address }) => address).sort()).toEqual(["127.0.0.1", "::1"]);
  }
});

it("a refused connection to localhost is reported for both addresses", async () => {
  const { url, close } = await openTarget();
  await close();
  url.hostname = "localhost";
  await expect(send({ target: url, ...EMPTY })).rejects.toMatchObject({
    code: "target_unreachable",
    message: expect.stringContaining("refused on 127.0.0.1 and ::1: nothing listens there"),
  });
});
