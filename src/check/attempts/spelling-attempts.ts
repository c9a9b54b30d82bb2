import { grouped } from "../../base/grouped.ts";
import { LIBRARIES, type Library, printJson } from "../../signature/diagnose/json-libraries.ts";
import type { Probe } from "../probe.ts";
import { type Attempt, attempt } from "./attempt.ts";

/** Text that every library writes in its own way, if it does not write it like all others. */
const TELLING = {
  address: "12/14 rue de l’Église, <Zürich> & 'Sons' = 1 + 1",
  purchase_price: 385000,
  created_at: "2024-01-15T09:30:00.500Z",
};

/**
 * The event as each library prints it, correctly signed: refused, unless it is what the receiver
 * prints itself.
 */
export function spellingAttempts(probe: Probe): readonly Attempt[] {
  return printings(distinctiveText(probe)).map(({ libraries, text }) => {
    const make = () =>
      Buffer.from(printJson(text(distinctiveText(probe)), libraries[0]) ?? "", "utf8");
    return attempt(
      probe,
      { code: "json_verified", libraries },
      { body: () => probe.untilDigest(make), valid: () => unprintable(probe) },
    );
  });
}

function distinctiveText(probe: Probe): string {
  return probe.bodyWith(TELLING).toString("utf8");
}

/**
 * Every library once, with those that print an event alike, and of which text. Some accept what
 * another has printed, so what keeps most of a text comes first, and the first that fits a receiver
 * is the right one: what keeps even a fraction of zero, then what accepts most of the other texts.
 */
export function printings(event: string) {
  const fraction = withFraction(event);
  const keeps = (library: Library) => printJson(fraction, library) === fraction;
  const losing = LIBRARIES.filter((library) => !keeps(library));
  const groups = grouped(losing, (library) => printJson(event, library) ?? "");
  const texts = [...groups.keys()];
  const others = [...groups.values()].map((libraries) => ({
    libraries,
    text: (text: string) => text,
    accepted: texts.filter((text) => printJson(text, libraries[0]) === text).length,
  }));
  others.sort((a, b) => b.accepted - a.accepted);
  const [keeper, ...keepers] = LIBRARIES.filter(keeps);
  const first =
    keeper === undefined ? [] : [{ libraries: [keeper, ...keepers] as const, text: withFraction }];
  return [...first, ...others];
}

function withFraction(event: string): string {
  return event.replace(`"purchase_price":${TELLING.purchase_price}`, "$&.0");
}

/**
 * The event as no library prints it: with spaces that are left if white space is joined, and with
 * escapes. It is ASCII, so that a receiver that only misreads characters accepts it.
 */
function unprintable(probe: Probe): readonly Buffer[] {
  const make = () => probe.bodyWith({ address: "@@" }).toString("utf8");
  return [
    probe.untilDigest(() => Buffer.from(make().replace(":", " : ").replace('"@@"', ' "12" '))),
    probe.untilDigest(() => Buffer.from(make().replace('"@@"', '"12\\u002F14 \\u0041"'))),
  ];
}
