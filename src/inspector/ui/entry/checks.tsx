import type { Explanation, VerdictStep } from "../../api.ts";
import { visible } from "../parts/format.ts";
import { Prose } from "../parts/prose.tsx";

const MARKS = { passed: "✓", failed: "✕", skipped: "–" } as const;
const SPOKEN = { passed: "passed", failed: "failed", skipped: "not checked" } as const;

/** A delivery's checks: failed ones with what was compared, the others in one line that opens. */
export function Checks({ explanation }: { explanation: Explanation }) {
  const failed = explanation.steps.filter(({ result }) => result === "failed");
  const others = explanation.steps.filter(({ result }) => result !== "failed");
  return (
    <section aria-labelledby="checks-title" class="checks">
      <h2 id="checks-title">Checks</h2>
      {failed.length > 0 && <Steps steps={failed} />}
      {others.length > 0 && (
        <details>
          <summary>
            {others.map(({ name, result }) => (
              <span key={name} class={`check ${result}`}>
                <span aria-hidden="true">{MARKS[result]}</span>{" "}
                <span class="spoken">{SPOKEN[result]}: </span>
                {name.toLowerCase()}
              </span>
            ))}
          </summary>
          <Steps steps={others} />
        </details>
      )}
    </section>
  );
}

function Steps({ steps }: { steps: readonly VerdictStep[] }) {
  return (
    <ol class="steps">
      {steps.map(({ name, result, text, details = [] }) => (
        <li key={name} class={`step ${result}`}>
          <span class="mark" role="img" aria-label={SPOKEN[result]}>
            {MARKS[result]}
          </span>
          <span class="step-name">{name}</span>
          <div class="step-text">
            <Prose text={text} />
            {details.length > 0 && (
              <dl class="facts">
                {details.map((detail, index) => (
                  <div key={index}>
                    <dt>{visible(detail.name)}</dt>
                    <dd>
                      {/^[^ ]+$|^sha256=/.test(detail.value) ? (
                        <code>{visible(detail.value)}</code>
                      ) : (
                        <Prose text={detail.value} />
                      )}
                    </dd>
                  </div>
                ))}
              </dl>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}
