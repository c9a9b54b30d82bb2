import { describe, expect, it } from "vitest";
import { nodeReceiver } from "../../src/receiver/node.ts";
import { expectError, openReceiver, posting } from "./open.ts";
import { bytes, envelope, signedHeaders } from "./sample.ts";
import { listenNode } from "./wire.ts";

const GOOD = bytes(envelope());

describe("nodeReceiver", () => {
  it.each([
    [undefined, "/webhooks"],
    ["/in", "/in"],
    ["/in?from=service", "/in?from=service"],
    ["/", "/"],
  ])("has its endpoint at exactly one target: %s", async (path, endpoint) => {
    const { receiver } = await openReceiver();
    const url = await listenNode(nodeReceiver(receiver, path === undefined ? {} : { path }));
    const { ask } = posting(url);
    const request = { headers: signedHeaders(GOOD), body: GOOD };
    expect((await ask({ ...request, target: endpoint })).status).toBe(200);
    for (const target of [`${endpoint}x`, `${endpoint}/`, "/IN", "/WEBHOOKS", "*"]) {
      expect((await ask({ ...request, target })).status).toBe(404);
    }
  });

  it("writes nothing if another listener has already started the answer", async () => {
    const { receiver, outcomes } = await openReceiver();
    const listener = nodeReceiver(receiver);
    const url = await listenNode((request, response) => {
      listener(request, response);
      response.end("taken");
    });
    const { ask } = posting(url);
    expect(await ask({ headers: signedHeaders(GOOD), body: GOOD })).toMatchObject({
      status: 200,
      text: "taken",
    });
    expect(outcomes().length).toBeLessThan(2);
  });

  it("[case 53] answers 500 at once if the body was read upstream, and the log names the fix", async () => {
    const { receiver, lines, entries } = await openReceiver();
    const listener = nodeReceiver(receiver);
    const url = await listenNode((request, response) => {
      request.resume().on("end", () => listener(request, response));
    });
    expectError(await posting(url).post(GOOD), 500, "server_error");
    expect(lines).toMatchObject([{ level: "error", fields: { code: "body_already_parsed" } }]);
    expect(await entries()).toEqual([]);
  });
});
