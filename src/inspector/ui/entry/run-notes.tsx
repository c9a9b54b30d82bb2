import { durationText } from "../../../text/duration-text.ts";
import type { RunDetail, ShownAnswer } from "../../api.ts";
import { counted, exactTime, size } from "../parts/format.ts";
import { PairList } from "../parts/pair-list.tsx";
import { visible } from "../parts/visible.ts";

/** What a handler printed while it ran. */
export function Printed({ run: { printed, unprinted } }: { run: RunDetail }) {
  if (printed.length === 0) return null;
  return (
    <div class="printed">
      <h3>Printed</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable */}
      <pre class="said" tabIndex={0}>
        {printed.map(({ at, level, text }, index) => (
          <span key={index} class={`printed-${level}`} title={exactTime(at)}>
            {level === "warn" || level === "error" ? `${level}  ` : ""}
            {visible(text)}
            {"\n"}
          </span>
        ))}
      </pre>
      {unprinted > 0 && <p class="quiet">and {counted(unprinted, "more line")}, which were not kept</p>}
    </div>
  );
}

export function TargetHead({ answer }: { answer: ShownAnswer }) {
  const { status, headers, bytes, isCut, duration } = answer;
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, one] as const),
  );
  return (
    <details>
      <summary>
        Answer {status}, {size(bytes)}
        {isCut && " or more"}, after {durationText(duration)}
      </summary>
      <PairList pairs={pairs} />
    </details>
  );
}
