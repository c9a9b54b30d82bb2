import { startInspector } from "../../inspector/inspector.ts";
import type { Receiver } from "../../receiver/receiver.ts";
import { SIGNATURE_HEADER } from "../../signature/sign.ts";
import { createCliLogger } from "../cli-logger.ts";
import type { CliContext } from "../context.ts";
import type { DiagnoseRefusal } from "../live/diagnosis-limit.ts";
import type { FoundSecrets } from "../secrets/secret.ts";

/** The options of `listen` that are about the inspector. */
export interface InspectOptions {
  /** 0 asks for a free port. Default 4401, or a free one where that is taken. */
  readonly inspectPort?: number;
  /** False for `--no-inspect`. */
  readonly inspect?: boolean;
}

/** What the inspector says of the receiver it looks at. */
export interface Inspected {
  readonly receiver: Receiver;
  readonly endpoint: URL;
  readonly secrets: FoundSecrets;
  readonly inbox: string;
  readonly handlers: string | undefined;
  readonly targets: readonly URL[];
  readonly signatureHeader: string | undefined;
  readonly diagnose: DiagnoseRefusal;
}

/**
 * Opens the inspector beside a receiver, unless it is not wanted; gives its page's address. What closes it is added to
 * `stops`.
 *
 * @throws HookporterError `port_unavailable`
 */
export async function openInspector(
  { inspect = true, inspectPort }: InspectOptions,
  { inbox, signatureHeader = SIGNATURE_HEADER, secrets, handlers, ...inspected }: Inspected,
  { output, clock }: CliContext,
  stops: (() => unknown)[],
): Promise<URL | undefined> {
  if (!inspect) return undefined;
  const inspector = await startInspector({
    ...inspected,
    ...{
      signatureHeader,
      handlers: handlers ?? null,
      port: inspectPort,
      inboxName: inbox,
      secrets: secrets.values,
    },
    ...{ clock, log: createCliLogger(output) },
  });
  stops.push(() => inspector.close());
  return inspector.url;
}
