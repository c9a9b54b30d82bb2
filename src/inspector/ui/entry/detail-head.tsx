import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Row } from "../../api.ts";
import { Button, CopyButton } from "../parts/button.tsx";
import { visible } from "../parts/format.ts";
import { StateWord } from "../parts/state-word.tsx";
import { LocalTime } from "../parts/time.tsx";
import { goTo } from "../route.ts";

interface DetailHeadProps {
  title: string;
  row: Row;
  id?: string;
  /** The title gets the focus when this changes. */
  focus: number | string;
  children?: ComponentChildren;
}

/**
 * The title of a detail page, with the delivery's state, time and id. `children` are further facts.
 */
export function DetailHead({ title, row, id, focus, children }: DetailHeadProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (document.activeElement?.id !== "list") heading.current?.focus({ preventScroll: true });
  }, [focus]);
  return (
    <header class="detail-head">
      <Button label="← Deliveries" class="back" onClick={() => goTo("/")} />
      <h1 ref={heading} tabIndex={-1}>
        <bdi>{visible(title)}</bdi>
      </h1>
      <p class="detail-sub">
        <StateWord row={row} />
        {row.type === "entry" && <span>#{row.seq}</span>}
        <LocalTime at={row.receivedAt} />
        {children}
        {id !== undefined && (
          <span class="id">
            <code>{visible(id)}</code>
            <CopyButton text={id} label="Copy" name="Copy the event id" />
          </span>
        )}
      </p>
    </header>
  );
}
