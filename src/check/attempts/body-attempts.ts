import { bodyVariants } from "../../signature/diagnose/body-variants.ts";
import { type Cause, isAboutJson } from "../../signature/diagnose/causes.ts";
import { pretty } from "../cases/event-bodies.ts";
import type { Probe } from "../probe.ts";
import { type Attempt, attempt } from "./attempt.ts";

/**
 * The event with the signature of what a receiver may verify in place of the body, such as an empty
 * text.
 */
export function bodyAttempts(probe: Probe): readonly Attempt[] {
  const ascii = () => probe.body();
  const umlauts = () => probe.bodyWith({ address: "Zürich, 5 €" });
  return [
    ...variantAttempts(probe, ascii),
    ...variantAttempts(probe, umlauts, ["charset", "undecodable"]),
  ];
}

/** An indented event with the signature of its text with other white space. */
export function respacedAttempts(probe: Probe): readonly Attempt[] {
  const indented = () => pretty(probe.body());
  const codes = ["line_endings", "newline_at_end", "white_space"] as const;
  return variantAttempts(probe, indented, codes);
}

/**
 * One cause each. JSON printed otherwise has attempts of its own, except with spacing that an
 * option sets, and `data`.
 */
function variantAttempts(probe: Probe, make: () => Buffer, codes?: readonly Cause["code"][]) {
  const body = make();
  return bodyVariants(body).variants.flatMap(({ causes, bytes }) => {
    const cause = causes.find(({ code }) => code === "body_data_only") ?? causes[0];
    if (cause === undefined || (causes.length > 1 && cause.code !== "body_data_only")) return [];
    const isSpelling = isAboutJson(cause.code) && cause.code !== "json_spacing";
    if (isSpelling || codes?.includes(cause.code) === false) return [];
    const verified = bytes();
    if (verified === undefined) return [];
    return [
      attempt(
        probe,
        { code: "other_body_verified", cause },
        {
          body: () => body,
          valid: () => [body],
          digest: () => probe.digest(verified),
        },
      ),
    ];
  });
}

/** The event with times of the present in its `data`: a receiver may look for one there. */
export function freshAttempts(probe: Probe): readonly Attempt[] {
  const body = () =>
    probe.bodyWith({ created_at: probe.timestamp(), updated_at: probe.timestamp() });
  return [attempt(probe, { code: "time_in_data_used" }, { body })];
}
