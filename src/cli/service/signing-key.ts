import { tryOr } from "../../base/try-or.ts";
import type { CliContext } from "../context.ts";
import { findKeys } from "../secrets/secret.ts";
import type { SecretOptions } from "../secrets/secret-options.ts";
import { rememberedSubscriptions } from "./subscription-memory.ts";

/**
 * Finds the secrets, and the current one, for a command that signs invented events. Warns if it is
 * the secret of a live subscription: production accepts such an event from anyone who has it.
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
      `warning: ${keys.found.from} (${fingerprint}) is the secret of a live subscription, ${live.id ?? live.url}: ${live.url} accepts these events, too, from anyone who gets hold of them. Use another secret for tests`,
    );
  return keys;
}
