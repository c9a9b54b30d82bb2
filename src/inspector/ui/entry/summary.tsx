import type { Explanation } from "../../api.ts";
import { Prose } from "../parts/prose.tsx";

export function Summary({ text }: { text: string }) {
  return (
    <p class="summary">
      <Prose text={text} />
    </p>
  );
}

/** What to do: the fix, or what to try if nothing explains it. */
export function Next({ fix, advice = [] }: Pick<Explanation, "fix" | "advice">) {
  if (fix === null && advice.length === 0) return null;
  return (
    <div class="next">
      <p>
        <strong>Next</strong> <Prose text={advice.length > 0 ? "Try this, in order:" : (fix ?? "")} />
      </p>
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
