import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import type { NgrokSettings } from "../../../src/relay/tunnel/ngrok.ts";
import { ProbeKey } from "../../../src/relay/tunnel/probe.ts";
import { isReachable, TunnelSupervisor } from "../../../src/relay/tunnel/supervisor.ts";
import type { TunnelTiming } from "../../../src/relay/tunnel/timing.ts";
import { childOf, type TunnelChild } from "../../../src/relay/tunnel/tunnel-child.ts";
import type { TunnelEvent } from "../../../src/relay/tunnel/tunnel-event.ts";
import { root } from "../../docs/markdown.ts";
import { Edge, type EdgeKnobs } from "./edge/edge.ts";

/** The token of every tunnel here. */
export const TOKEN = "a-token-that-nobody-may-see";

/** The file that a tunnel's child runs. */
export const CHILD_FILE = join(root, "dist", "tunnel-child.js");

/** A tunnel of the real client to a local edge, and an app behind it. */
export async function openTunnel({
  knobs = {},
  settings = {},
  timing = {},
  file = CHILD_FILE,
  clock = () => performance.now(),
  onLook = () => {},
  app = (_request, response) => void response.end("hello"),
}: {
  knobs?: Partial<EdgeKnobs>;
  settings?: Partial<NgrokSettings>;
  timing?: Partial<TunnelTiming>;
  /** What the child runs. */
  file?: string;
  clock?: () => number;
  /** Called after each look whether the edge can be reached. */
  onLook?: (reached: boolean) => void;
  app?: RequestListener;
} = {}) {
  const edge = await new Edge(knobs).start();
  const key = new ProbeKey("/");
  const server = createServer((request, response) => {
    const answer = key.answer(request.url ?? "");
    if (answer === undefined) app(request, response);
    else response.end(answer);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const events: (TunnelEvent & { at: number })[] = [];
  const children: TunnelChild[] = [];
  const start = childOf(
    file,
    { PATH: process.env.PATH },
    {
      type: "open",
      provider: "ngrok",
      settings: { authtoken: TOKEN, serverAddr: edge.serverAddr, ca: edge.ca, ...settings },
      target: { host: "127.0.0.1", port: (server.address() as AddressInfo).port },
    },
  );
  const supervisor = new TunnelSupervisor({
    startChild: (listener) => {
      const child = start(listener);
      children.push(child);
      return child;
    },
    probe: (url, timeout) => key.probe(url, timeout),
    onEvent: (event) => events.push({ ...event, at: performance.now() }),
    look: async (_address, timeout) => {
      const reached = await isReachable(`https://${edge.serverAddr}`, timeout);
      onLook(reached);
      return reached;
    },
    timing,
    clock,
  });
  onTestFinished(async () => {
    await supervisor.close();
    server.close();
    server.closeAllConnections();
    await edge.close();
  });
  const states = () => events.map(({ state }) => state);
  /** The first event with a state after the given one. */
  const until = (state: string, after?: { readonly at: number }) =>
    vi.waitFor(
      () => {
        const event = events
          .slice((after === undefined ? -1 : events.findIndex(({ at }) => at === after.at)) + 1)
          .find((event) => event.state === state);
        if (event === undefined) throw new Error(`no ${state}: ${JSON.stringify(events)}`);
        return event;
      },
      { timeout: 15_000, interval: 5 },
    );
  return { edge, supervisor, events, states, until, children };
}
