/**
 * Requests of the page come in. Entries, changes and live updates go out as JSON. Nothing is
 * answered without the tab's token.
 */

import { join } from "node:path";
import { findPackageRoot } from "../base/package/package-root.ts";
import type { AttemptObservation } from "../receiver/observation.ts";
import type { InspectedDelivery } from "../receiver/observed.ts";
import { KnownTokens } from "./auth/known-tokens.ts";
import { type InspectorOptions, makeContext } from "./context.ts";
import { heldObservation, type RefusalDiagnosis } from "./live/refused-bodies.ts";
import { readPage } from "./page-files.ts";
import { startInspectorServer } from "./server.ts";

const MAX_TIMES = 20; // how many of the last times of being received again are remembered

/** The addresses of a page. */
export type PageAddresses = Pick<Awaited<ReturnType<typeof startInspector>>, "url" | "loopbackUrl">;

/**
 * Starts the inspector, a page and an API on a loopback port of their own. @throws HookporterError
 * `port_unavailable`
 */
export async function startInspector(options: InspectorOptions) {
  const { receiver } = options;
  const root = await findPackageRoot();
  const tokens = new KnownTokens(options.tokenRecords, options.clock);
  const context = makeContext(options, root.version);
  const { refusals, bodies, seenAgain, senders, drifts, meter, feed, outgoing } = context;
  const page = readPage(join(root.path, "dist", "inspector"));
  const server = await startInspectorServer(context, { ...options, tokens, page });
  const at = (host: string) => new URL(`http://${host}:${server.port}/#token=${tokens.text}`);
  let isClosed = false;
  const remember = (observation: InspectedDelivery, diagnosis?: RefusalDiagnosis) => {
    const refusal = refusals.note(observation, diagnosis);
    if (refusal !== undefined) {
      bodies.hold(refusal.id, observation, diagnosis === "left_out");
      feed.noteRefusal(refusal);
    }
    outgoing.arrivals.note(observation, refusal?.id);
  };
  const diagnose = async (observation: InspectedDelivery) => {
    const held = heldObservation(observation);
    const diagnosis = await options.diagnose(observation);
    if (!isClosed) remember(held, diagnosis);
  };
  const stop = receiver.observe((observation: AttemptObservation | InspectedDelivery) => {
    meter.count(observation);
    feed.note(observation);
    if (observation.type === "attempt") return;
    const { outcome, receivedAt } = observation;
    if ("seq" in outcome) {
      const { seq, duplicate } = outcome;
      const address = observation.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, "");
      if (duplicate)
        seenAgain.set(seq, [receivedAt, ...(seenAgain.get(seq) ?? [])].slice(0, MAX_TIMES));
      else if (address !== undefined) senders.set(seq, address);
    }
    // Digests are computed after the sender has its answer, so that the answer's timing reveals
    // nothing.
    if (observation.outcome.type !== "unauthorized") remember(observation);
    else setImmediate(() => void diagnose(observation));
  });
  const stopDrifts = receiver.onDrift((drift) => {
    drifts.note(drift, options.clock());
    feed.noteDrift();
  });
  return {
    /**
     * The page's address, with the token of this run in its fragment, which browsers never send.
     */
    url: at(server.name),
    /** The same for programs, and for browsers that do not find the name. */
    loopbackUrl: at("127.0.0.1"),
    close: async () => {
      isClosed = true;
      stop();
      stopDrifts();
      bodies.close();
      await feed.close();
      await server.close();
    },
  };
}
