import type { Receiver } from "../../receiver/receiver.ts";
import { toAnswer } from "../../receiver/response.ts";
import { readCredential } from "../../service/client/credential.ts";
import type { StreamChange } from "../../service/stream/stream-options.ts";
import type { CliContext } from "../context.ts";
import type { Stop } from "../end/stop.ts";
import { ERROR_EXIT_CODES } from "../exit-codes.ts";
import { type Output, printable } from "../output.ts";
import { findApiKey } from "../secrets/api-key.ts";
import type { ListenOptions } from "./listen-options.ts";

export type PlannedStream = NonNullable<Awaited<ReturnType<typeof planStream>>>;

/**
 * Plans the stream of `--stream`; returns `undefined` without it. Checks the key before anything is
 * opened. Throws `credential_missing`, `credential_invalid`.
 */
export async function planStream(options: ListenOptions, context: CliContext) {
  const { stream: url, live, forwardTo = [] } = options;
  if (url === undefined) return undefined;
  const { openStream } = await import("../../service/stream/open-stream.ts");
  const { output } = context;
  const { token } = readCredential({ apiKey: findApiKey(options, context), live });
  if (forwardTo.length > 0) {
    output.talk(
      "warning: deliveries from the stream are forwarded without a signature, so a target that verifies signatures refuses them",
    );
  }
  const channel = { name: "stream", address: streamAddress(url) };
  let online = false;
  return {
    /** Whether it is open. */
    get online() {
      return online;
    },
    /** Opens the stream and shows its state. Calls `stop` when it ends for good. */
    open: (receiver: Pick<Receiver, "acceptFrom">, stop: (stop: Stop) => void) => {
      const stream = openStream({
        url,
        token,
        take: async (body) => toAnswer(await receiver.acceptFrom(channel, body)),
        onChange: (change) => {
          online = change.state === "open";
          show(change, channel.address, output);
        },
      });
      const onEnd = async () => {
        const error = await stream.ended;
        if (error === undefined) return;
        stop({
          reason: "the stream ended for good",
          exitCode: ERROR_EXIT_CODES[error.code],
          error,
        });
      };
      stream.tried.then(onEnd, () => {}); // a failure of the first try is reported by `tried`
      return stream;
    },
  };
}

/** A stream's address without its query, which may contain a secret. */
export function streamAddress({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname}`;
}

function show(change: StreamChange, url: string, output: Output): void {
  if (change.state === "open") {
    output.talk(`stream open: ${url}`);
    output.record("stream", { state: "open", url, reason: null, delay: null });
    return;
  }
  const { reason, delay } = change;
  output.talk(`stream: ${printable(reason, 300)}; retrying in ${(delay / 1000).toFixed(1)} s`);
  output.record("stream", { state: "waiting", url, reason, delay });
}
