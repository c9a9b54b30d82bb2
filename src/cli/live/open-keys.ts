import type { Receiver } from "../../receiver/receiver.ts";
import type { Secret } from "../../signature/secrets.ts";
import { SIGNATURE_HEADER } from "../../signature/signature-format.ts";
import type { CliContext } from "../context.ts";
import type { Goal } from "../end/goal.ts";
import type { Stop } from "../end/stop.ts";
import type { LiveGate } from "./gate.ts";
import { listenForKeys } from "./keys.ts";
import { LastDelivery } from "./last-delivery.ts";
import { openInBrowser, writeLeadingFile } from "./open-in-browser.ts";

/** What the keys of `listen` need. */
export interface KeyTerms {
  readonly gate: LiveGate;
  /** The inspector page, if there is one. */
  readonly page: URL | undefined;
  readonly goal: Goal | undefined;
  readonly replaying: {
    readonly receiver: Pick<Receiver, "observe">;
    readonly target: URL;
    readonly secret: Secret | undefined;
    readonly signatureHeader: string | undefined;
  };
}

/** Sets up the keys of the live view; returns a stop function. `q` stops as Ctrl-C does. */
export function openKeys(
  { gate, page, goal, replaying }: KeyTerms,
  { secretStdin }: { readonly secretStdin?: boolean },
  context: CliContext,
  stop: (stop: Stop) => void,
): () => void {
  const { receiver, target, secret, signatureHeader: header = SIGNATURE_HEADER } = replaying;
  if (secretStdin === true || secret === undefined) return () => {};
  const last = new LastDelivery();
  const forget = receiver.observe((observation) => last.note(observation));
  const files: (() => void)[] = [];
  const close = listenForKeys(
    {
      gate,
      openPage:
        page === undefined
          ? undefined
          : async () => {
              const { path, remove } = writeLeadingFile(page);
              files.push(remove);
              await openInBrowser(path, context.io.env);
            },
      replayLast: () => last.replay(target, { key: secret.key, header, now: context.clock() }),
      quit: () => stop({ reason: "stopped by q", exitCode: goal === undefined ? 0 : 130 }),
    },
    context,
  );
  return () => {
    for (const remove of files) remove();
    forget();
    close();
    gate.resume(); // prints held-back lines before the end
  };
}
