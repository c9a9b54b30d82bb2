import { useRef } from "preact/hooks";
import { LinesBox } from "./lines-box.tsx";
import { textLines } from "./text-lines.ts";
import { visible } from "./visible.ts";

/** A text of any size as it was received; lines that are too long for the box are broken. */
export function TextView({ text }: { text: string }) {
  const broken = useRef({ text: "", columns: 0, lines: textLines("", 1) });
  const linesFor = (columns: number) => {
    const last = broken.current;
    if (last.columns !== columns || last.text !== text) {
      broken.current = { text, columns, lines: textLines(text, columns) };
    }
    const { lines } = broken.current;
    return { count: lines.count, render: (index: number) => visible(lines.at(index), { lines: true }) };
  };
  return <LinesBox label="Body as text" className="text" lines={linesFor} />;
}
