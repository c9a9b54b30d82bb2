import { HookporterError } from "../../errors.ts";
import type { Delivery } from "../../event/delivery.ts";
import type { Observation } from "../../receiver/observation.ts";
import { freshSending } from "../../relay/replay.ts";
import { send } from "../../relay/send.ts";
import type { Secret } from "../../signature/secrets.ts";

/** Remembers the last authentic delivery, to send it again. */
export class LastDelivery {
  #delivery: Delivery | undefined;

  note(observation: Observation): void {
    if (observation.type === "delivery" && observation.delivery !== undefined)
      this.#delivery = observation.delivery;
  }

  /**
   * Sends it to the receiver again, with a new timestamp and signature.
   *
   * @throws HookporterError `entry_unknown` if there is none yet, `target_unreachable`
   */
  async replay(
    target: URL,
    { key, header, now }: { key: Secret["key"]; header: string; now: number },
  ): Promise<void> {
    if (this.#delivery === undefined)
      throw new HookporterError("entry_unknown", "nothing to replay: no delivery has arrived yet");
    const { headers, body } = freshSending(
      { type: "delivery", delivery: this.#delivery },
      { key, header, now },
    );
    await send({ target, headers, body });
  }
}
