import { HookporterError } from "../../base/errors.ts";
import { durationText } from "../../base/text/duration-text.ts";
import { shownUrl } from "../../base/text/shown-url.ts";
import { DEFAULT_AGES } from "../../receiver/options/settings.ts";
import { readNetworkFailure } from "../../service/client/network-failure.ts";
import { isOutOfReach } from "../mcp/reach.ts";
import { type DoctorCheck, fail, failure, notAsked, ok, warn } from "./finding.ts";

/** Whether the service answers, and takes the credential. */
export const service: DoctorCheck = {
  name: "service",
  run: async (setup) => {
    const { baseUrl: address = "" } = setup.options;
    const { io } = setup.context;
    if (URL.canParse(address) && isOutOfReach(new URL(address), io))
      return [notAsked(shownUrl(address))];
    const probe = await setup.service();
    if (probe === undefined) {
      if (setup.options.subscribe !== true) return [];
      return [
        fail(
          "--subscribe needs the service's address, and there is none",
          "set HOOKPORTER_BASE_URL",
        ),
      ];
    }
    const { baseUrl, error, environment } = probe;
    const fix = "start it, or check baseUrl and this machine's network";
    if (error instanceof HookporterError)
      return [error.code === "service_unreachable" ? fail(error.message, fix) : failure(error)];
    if (error !== undefined) {
      const { why } = readNetworkFailure(error);
      return [fail(`${baseUrl} does not answer: ${why}`, fix)];
    }
    if (environment === undefined)
      return [ok(`${baseUrl} answers; no API key is set, so nothing was asked`)];
    const kind = environment === "unknown" ? "access token" : environment;
    return [ok(`${baseUrl} takes the credential (${kind})`)];
  },
};

/**
 * Milliseconds of difference that are not worth a word: the header has whole seconds, and takes
 * time to arrive.
 */
const NOTICED = 30_000;

/**
 * This machine's clock, compared with the service's: deliveries that seem to come from the future
 * are refused.
 */
export const clock: DoctorCheck = {
  name: "clock",
  run: async (setup) => {
    const { ahead } = (await setup.service().catch(() => undefined)) ?? {};
    if (ahead === undefined) return [];
    const difference = Math.abs(ahead);
    if (difference < NOTICED) return [ok("agrees with the service's")];
    const found = `this machine's clock is ${durationText(difference)} ${ahead > 0 ? "ahead of" : "behind"} the service's`;
    const fix = "set the clock, such as with timedatectl set-ntp true";
    if (ahead < 0 && difference > DEFAULT_AGES.maxSkew)
      return [fail(`${found}: new deliveries are refused as from the future`, fix)];
    return [warn(found, fix)];
  },
};
