import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface FoldProps {
  title: string;
  note?: ComponentChildren;
  isOpen?: boolean;
  children: () => ComponentChildren;
}

/** A part of a page that is opened on demand; its content is made only then. */
export function Fold({ title, note, isOpen: startsOpen = false, children }: FoldProps) {
  const [isOpen, setOpen] = useState(startsOpen);
  return (
    <details class="fold-out" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h2>{title}</h2>
        {note !== undefined && <span class="quiet">{note}</span>}
      </summary>
      {isOpen && <div class="fold-content">{children()}</div>}
    </details>
  );
}
