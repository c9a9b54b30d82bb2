import { type PageAddresses, startInspector } from "../../inspector/inspector.ts";
import type { RunNotes } from "../../inspector/live/run-notes.ts";
import { SIGNATURE_HEADER } from "../../signature/signature-format.ts";
import { createCliLogger } from "../cli-logger.ts";
import { findLearnedData } from "../learn/learned-data.ts";
import { reserveInstants } from "../send/instants.ts";
import type { ListenSession } from "./plan.ts";
import { tokenFile } from "./token-file.ts";

/**
 * Starts the inspector beside a receiver, unless it is turned off; returns its page's addresses.
 * Adds its close function to `stops`. Throws `port_unavailable`.
 */
export async function openInspector(
  { options, context, receiver, secrets, inbox, diagnosis, stops }: ListenSession,
  endpoint: URL,
  runNotes: RunNotes | undefined,
): Promise<PageAddresses | undefined> {
  const { io, output, clock } = context;
  const { inspect = true, inspectPort: port, inspectHost: hosts = [], forwardTo = [] } = options;
  const { signatureHeader = SIGNATURE_HEADER, handlers = null } = options;
  if (!inspect) return undefined;
  const madeUp = await findLearnedData(options, context);
  const inspector = await startInspector({
    diagnose: (observation) => diagnosis.diagnose(observation),
    endpoint,
    receiver,
    signatureHeader,
    handlers,
    port,
    hosts,
    generatedData: madeUp,
    ...(runNotes && { runNotes }),
    inboxName: inbox.shown,
    secrets: secrets.values,
    targets: forwardTo.map(({ target }) => target),
    reserveTimestamps: (count) => reserveInstants(count, { cwd: io.cwd, clock, dryRun: false }),
    tokenRecords: tokenFile(io.cwd, output),
    clock,
    log: createCliLogger(output),
  });
  stops.push(() => inspector.close());
  return inspector;
}
