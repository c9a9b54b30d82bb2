import type { Explanation } from "../api.ts";
import { Prose } from "./prose.tsx";

/** What happened, in a sentence. */
export function Summary({ text }: { text: string }) {
  return (
    <p class="summary">
      <Prose text={text} />
    </p>
  );
}

/** What to do. */
export function Next({ fix, advice = [] }: Pick<Explanation, "fix" | "advice">) {
  if (fix === null && advice.length === 0) return null;
  return (
    <div class="next">
      {fix !== null && (
        <p>
          <strong>Next</strong> <Prose text={fix} />
        </p>
      )}
      {advice.length > 0 && (
        <ol class="advice">
          {advice.map((line) => (
            <li key={line}>
              <Prose text={line} />
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
