import { expect, it, vi } from "vitest";
import { createContext } from "../../../src/cli/context.ts";
import { Subscribing } from "../../../src/cli/listen/subscribing.ts";
import type { FoundSecrets } from "../../../src/cli/secrets/secret.ts";
import { clientOf, openService } from "../../client/service.ts";
import { closedPort } from "../../tunnel/machine.ts";
import { fakeIo } from "../fake-io.ts";

const SECRET = "a secret that is long enough";
const secrets: FoundSecrets = { values: [SECRET], texts: [SECRET], from: "here" };
const receiverAt = (path: string) => ({ url: new URL(`http://127.0.0.1:4400/${path}`), secrets });

it("of two addresses that a service could not be told about, only the newer one is told later", async () => {
  const port = await closedPort();
  const client = clientOf({ url: `http://127.0.0.1:${port}` });
  const { io, stderr } = fakeIo({});
  const subscribing = new Subscribing(client, undefined, createContext(io));
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const older = subscribing.create(receiverAt("older"), stopped);
  await vi.waitFor(() => expect(stderr()).toContain("no deliveries will arrive"));
  const newer = subscribing.create(receiverAt("newer"), stopped);
  expect(subscribing.known).toBe(false);
  const service = await openService({ port });
  await Promise.all([older, newer]);
  expect(service.created.map(({ url }) => url)).toEqual(["http://127.0.0.1:4400/newer"]);
  expect([subscribing.known, subscribing.waiting]).toEqual([true, false]);
  stop();
});
