import { useMemo } from "preact/hooks";
import { diffLines } from "../../../base/text/diff-lines.ts";
import { shortText } from "../../../base/text/short-text.ts";
import { comparableLines } from "../../json/json-reader.ts";
import { visible } from "../parts/format.ts";
import { LinesBox } from "../parts/lines-box.tsx";

const MAX_LINE = 2000;

const SIGNS = { same: " ", added: "+", removed: "−" } as const;
const SPOKEN = { same: "", added: "added: ", removed: "removed: " } as const;

export function Changes({ before, after }: { before: string; after: string }) {
  const lines = useMemo(
    () => diffLines(comparableLines(before), comparableLines(after)),
    [before, after],
  );
  const render = (index: number) => {
    const { change, text } = lines[index] ?? { change: "same", text: "" };
    return (
      <div class={`change ${change}`}>
        <span aria-hidden="true">{SIGNS[change]} </span>
        <span class="spoken">{SPOKEN[change]}</span>
        {visible(shortText(text, MAX_LINE))}
      </div>
    );
  };
  return (
    <LinesBox label="Changes" className="changes" lines={() => ({ count: lines.length, render })} />
  );
}
