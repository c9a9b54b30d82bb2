import { tryOr } from "../../base/try-or.ts";
import type { CliContext } from "../context.ts";
import { findKeys } from "../secrets/secret.ts";
import type { SecretOptions } from "../secrets/secret-options.ts";
import { rememberedSubscriptions } from "./subscription-memory.ts";

/**
 * Finds the secrets, and the current one, for a command that signs events which the service did not
 * send. Warns about the secret of a live subscription: whoever gets such an event can pass it on to
 * production, where it is authentic.
 *
 * @throws HookporterError as `findKeys` does
 */
export async function findSigningKey(options: SecretOptions, context: CliContext) {
  const keys = await findKeys(options, context);
  const { fingerprint } = keys.current;
  // A damaged memory is told by the commands that need it.
  const live = tryOr(() => rememberedSubscriptions(context.io.cwd), []).find(
    ({ environment, secretFingerprint }) =>
      environment === "live" && secretFingerprint === fingerprint,
  );
  if (live !== undefined)
    context.output.talk(
      `warning: ${keys.found.from} (${fingerprint}) is the secret of a live subscription, ${live.id ?? live.url}: whoever gets an event that is signed with it can send it to ${live.url}, where it is accepted; sign with another secret, and give the receiver under test the same`,
    );
  return keys;
}
