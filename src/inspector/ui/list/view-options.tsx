import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { submitting } from "../parts/outcome.tsx";
import { useWindowEvent } from "../use-window-event.ts";
import { DEFAULT_RESOURCE, type Density, setListView, useListView } from "./list-view.ts";

const DENSITIES: readonly Density[] = ["comfortable", "compact"];

export function ViewOptions() {
  const { density, resource } = useListView();
  const [typed, setTyped] = useState(resource);
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => setTyped(resource), [resource]);
  useWindowEvent("pointerdown", ({ target }) => {
    if (details.current?.contains(target as Node) === false) details.current.open = false;
  });
  return (
    <details
      class="view-options"
      ref={details}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || details.current?.open !== true) return;
        event.stopPropagation();
        details.current.open = false;
        details.current.querySelector("summary")?.focus();
      }}
    >
      <summary aria-label="View of the list" title="View of the list">
        ⚙
      </summary>
      <form
        class="view-panel"
        onSubmit={submitting(() => setListView({ resource: typed.trim() || DEFAULT_RESOURCE }))}
      >
        <fieldset class="segments" aria-label="Density">
          {DENSITIES.map((choice) => (
            <Button
              label={choice}
              key={choice}
              aria-pressed={density === choice}
              onClick={() => setListView({ density: choice })}
            />
          ))}
        </fieldset>
        <label class="field">
          Value shown in each row
          <input
            type="text"
            value={typed}
            spellcheck={false}
            placeholder={DEFAULT_RESOURCE}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
        <p class="quiet">
          A path in the body, such as data.tenant.id. Copy one from a body with p.
        </p>
        <button type="submit">Show</button>
      </form>
    </details>
  );
}
