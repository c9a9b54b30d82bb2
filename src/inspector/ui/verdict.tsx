import type { Explanation } from "../api.ts";
import { visible } from "./visible.ts";

const MARKS = { passed: "✓", failed: "✕", skipped: "–" } as const;

/** Why a delivery was accepted or refused: each check in order. */
export function Verdict({ explanation }: { explanation: Explanation }) {
  return (
    <section aria-labelledby="verdict-title">
      <h2 id="verdict-title">Verdict</h2>
      <ol class="steps">
        {explanation.steps.map(({ name, result, text, details = [] }) => (
          <li key={name} class={`step ${result}`}>
            <span class="mark" role="img" aria-label={result}>
              {MARKS[result]}
            </span>
            <span class="step-name">{name}</span>
            <div class="step-text">
              {visible(text)}
              {details.length > 0 && (
                <dl class="facts">
                  {details.map((detail) => (
                    <div key={detail.name}>
                      <dt>{detail.name}</dt>
                      <dd>
                        <code>{visible(detail.value)}</code>
                      </dd>
                    </div>
                  ))}
                </dl>
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
