import { useCallback } from "preact/hooks";
import { visible } from "./format.ts";
import { LinesBox } from "./lines-box.tsx";
import { textLines } from "./text-lines.ts";

/** A text of any size as it was received; lines that are too long for the box are broken. */
export function TextView({ text }: { text: string }) {
  const lines = useCallback(
    (columns: number) => {
      const { count, at } = textLines(text, columns);
      return { count, render: (index: number) => visible(at(index), { lines: true }) };
    },
    [text],
  );
  return <LinesBox label="Body as text" className="text" lines={lines} />;
}
