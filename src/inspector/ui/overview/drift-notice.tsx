import type { DriftNote } from "../../api.ts";
import { Button } from "../parts/button.tsx";
import { visible } from "../parts/format.ts";
import { LocalTime } from "../parts/time.tsx";
import { nameOf } from "./use-drifts.ts";

const SHOWN = 2;

/**
 * Tells above the list that events began to differ, until they are dismissed in this tab. Screen
 * readers announce it.
 */
export function DriftNotice({
  drifts,
  dismiss,
}: {
  drifts: readonly DriftNote[];
  dismiss: () => void;
}) {
  const left = drifts.length - SHOWN;
  return (
    <div role="status">
      {drifts.length > 0 && (
        <div class="drift-notice">
          <div>
            {drifts.slice(0, SHOWN).map((drift) => (
              <p key={nameOf(drift)}>
                <DriftText drift={drift} />
              </p>
            ))}
            {left > 0 && (
              <p>
                <a href="#/overview">and {left.toLocaleString("en")} more</a>
              </p>
            )}
          </div>
          <Button label="×" class="plain" aria-label="Dismiss" onClick={dismiss} />
        </div>
      )}
    </div>
  );
}

export function DriftList({ drifts }: { drifts: readonly DriftNote[] }) {
  if (drifts.length === 0) return null;
  return (
    <section class="panel wide" aria-labelledby="drift-title">
      <h2 id="drift-title">Events that began to differ</h2>
      <ul class="drift-list">
        {drifts.map((drift) => (
          <li key={nameOf(drift)}>
            <DriftText drift={drift} />{" "}
            <span class="quiet">
              <LocalTime at={drift.at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What is new in an entry: it is the first one that differs so. */
export function FirstToDiffer({ drifts }: { drifts: readonly DriftNote[] }) {
  if (drifts.length === 0) return null;
  return (
    <p class="warning">
      Events of this kind began to differ with this one:{" "}
      {drifts.map((drift, index) => (
        <>
          {index > 0 && "; "}
          <Difference key={nameOf(drift)} drift={drift} />
        </>
      ))}
    </p>
  );
}

function DriftText({ drift }: { drift: DriftNote }) {
  return (
    <>
      Events of <bdi>{visible(drift.kind)}</bdi> began to differ: <Difference drift={drift} />
      {" · "}
      <a href={`#/entry/${drift.seq}`}>#{drift.seq}</a>
    </>
  );
}

function Difference({ drift: { path, what, expected, got } }: { drift: DriftNote }) {
  return (
    <>
      <code>{visible(path)}</code>: {what}, expected {visible(expected)}, got {visible(got)}
    </>
  );
}
