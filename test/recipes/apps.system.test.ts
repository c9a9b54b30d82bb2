import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expressReceiver } from "../../src/entries/express.ts";
import { fetchReceiver } from "../../src/entries/fetch.ts";
import type { Receiver } from "../../src/entries/index.ts";
import { nodeReceiver } from "../../src/entries/node.ts";
import { openReceiver, posting } from "../receiver/open.ts";
import { bytes, envelope, signedHeaders } from "../receiver/sample.ts";
import { listenNode } from "../receiver/wire.ts";
import { skip } from "../strangers/programs.ts";
import { MODULES, NO_PACKAGES } from "./install.ts";

const GOOD = bytes(envelope());
const SIGNED = { headers: signedHeaders(GOOD), body: GOOD };

const fromRecipes = createRequire(join(MODULES, "..", "package.json"));

/** A Node handler, as these frameworks take one. */
type Handler = (request: IncomingMessage, response: ServerResponse, next: never) => unknown;
/** What is used of h3, whose types are installed only when these tests run. */
interface H3 {
  createApp(): { use(path: string, handler: unknown): void };
  fromNodeMiddleware(handler: Handler): unknown;
  toNodeListener(app: unknown): RequestListener;
}
interface H3Next {
  H3: new () => { all(path: string, handler: unknown): void };
  fromNodeHandler(handler: Handler): unknown;
  toNodeHandler(app: unknown): RequestListener;
}

/** Apps around a receiver at `/webhooks`, as the listeners of a Node server. */
const APPS: Readonly<Record<string, (receiver: Receiver) => RequestListener>> = {
  "nodeReceiver in h3 1, as in Nitro and Nuxt": (receiver) => {
    const h3 = fromRecipes("h3") as H3;
    const app = h3.createApp();
    app.use("/webhooks", h3.fromNodeMiddleware(nodeReceiver(receiver, { path: "/" })));
    return h3.toNodeListener(app);
  },
  "expressReceiver in h3 1": (receiver) => {
    const h3 = fromRecipes("h3") as H3;
    const app = h3.createApp();
    const handle = expressReceiver(receiver, { path: "/webhooks" });
    app.use("/webhooks", h3.fromNodeMiddleware(handle as unknown as Handler));
    return h3.toNodeListener(app);
  },
  "nodeReceiver in h3 2": (receiver) => {
    const h3 = fromRecipes("h3-2") as H3Next;
    const app = new h3.H3();
    app.all("/webhooks", h3.fromNodeHandler(nodeReceiver(receiver)));
    return h3.toNodeHandler(app);
  },
  "fetchReceiver in h3 2": (receiver) => {
    const h3 = fromRecipes("h3-2") as H3Next;
    const app = new h3.H3();
    const handle = fetchReceiver(receiver);
    app.all("/webhooks", ({ req }: { readonly req: Request }) => handle(req));
    return h3.toNodeHandler(app);
  },
};

describe.each(Object.entries(APPS))("%s", (_, open) => {
  it("answers as the receiver says, and keeps the event once", async (context) => {
    if (NO_PACKAGES !== undefined) return skip(context, NO_PACKAGES);
    const { receiver, entries } = await openReceiver();
    const { ask } = posting(await listenNode(open(receiver)));
    const first = await ask(SIGNED);
    expect([first.status, JSON.parse(first.text)]).toMatchObject([200, { received: true }]);
    expect(JSON.parse((await ask(SIGNED)).text)).toMatchObject({ duplicate: true });
    expect((await ask({ body: GOOD })).status).toBe(401);
    expect((await ask({ headers: signedHeaders(bytes("{}")), body: GOOD })).status).toBe(401);
    expect(await entries()).toMatchObject([{ duplicates: 1 }]);
  });
});

/** What is used of `@azure/functions`. */
interface AzureFunctions {
  HttpRequest: new (given: object) => Request;
  HttpResponse: new (given: Response) => Response;
}

it("fetchReceiver in Azure Functions answers as the receiver says", async (context) => {
  if (NO_PACKAGES !== undefined) return skip(context, NO_PACKAGES);
  const azure = fromRecipes("@azure/functions") as AzureFunctions;
  const { receiver, entries } = await openReceiver();
  const handle = fetchReceiver(receiver);
  const call = async (headers: object, text: string) => {
    const url = "https://app.test/api/webhooks?code=x";
    const given = { method: "POST", url, headers, body: { string: text } };
    const answer = new azure.HttpResponse(await handle(new azure.HttpRequest(given), {}));
    return [answer.status, await answer.json()];
  };
  expect(await call(SIGNED.headers, GOOD.toString())).toMatchObject([200, { received: true }]);
  expect(await call(SIGNED.headers, "{}")).toMatchObject([401, { error: {} }]);
  expect(await call({}, GOOD.toString())).toMatchObject([401, { error: {} }]);
  expect(await entries()).toHaveLength(1);
});
