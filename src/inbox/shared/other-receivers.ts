import { type CallPlace, isEvaluatedAgain } from "../../base/call-place.ts";
import type { OpenTerms } from "../inbox.ts";

/**
 * What a receiver does about the earlier ones of its source on the inbox that it opens in this
 * process. In development, one of an earlier evaluation of its module is replaced; any other is
 * reported, once for each source.
 *
 * @param reported - the sources that were reported
 */
export function meetOthers(
  { receiver, log }: OpenTerms,
  earlier: readonly OpenTerms[],
  reported: Set<string>,
): void {
  if (receiver === undefined) return;
  const { source, place } = receiver;
  for (const { receiver: other } of earlier) {
    if (other?.source !== source || !other.isLive) continue;
    const isReplaced = isEvaluatedAgain(other.place, place);
    if (isReplaced && process.env.NODE_ENV !== "production") {
      other.replace();
      log?.info({ source }, "a module was evaluated again: its earlier receiver closes");
    } else if (other.runs && receiver.runs && !reported.has(source)) {
      reported.add(source);
      const message =
        "two receivers of this source run in this process, and each entry goes to one of them: " +
        "close one, or give it another source; if the module was evaluated again, create the " +
        "receiver in its body, not in a function, so that it is replaced";
      log?.warn({ source, places: [shown(other.place), shown(place)] }, message);
    }
  }
}

function shown(place: CallPlace | undefined): string | undefined {
  return place && `${place.file}:${place.position}`;
}
