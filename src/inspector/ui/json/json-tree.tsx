import type { ComponentChildren } from "preact";
import { useLayoutEffect } from "preact/hooks";
import type { JsonLines } from "../../json/json-lines.ts";
import { visible } from "../parts/format.ts";
import { LINE_HEIGHT, lineWindow } from "../parts/line-window.ts";
import { useScrolledBox } from "../parts/use-scrolled-box.ts";
import type { Folding } from "./folding.ts";
import { tokensOf } from "./json-tokens.ts";

const MAX_INDENT = 40; // the deepest indentation on the page in levels

/**
 * The line that the keys act on. `moves` counts how often it was set, so that it is scrolled to
 * each time.
 */
export interface ActiveLine {
  readonly line: number;
  readonly moves: number;
}

interface JsonTreeProps {
  folding: Folding;
  pattern: RegExp | undefined;
  /** What is wrong with a line, by line. */
  notes: ReadonlyMap<number, readonly string[]>;
  active: ActiveLine;
  onActive: (active: ActiveLine) => void;
  onFold: () => void;
}

/** The lines of a JSON text as a tree. Only the visible ones are elements. */
export function JsonTree({ folding, pattern, notes, active, onActive, onFold }: JsonTreeProps) {
  const { box, view, onScroll, scrollTo } = useScrolledBox();
  const { shown, space, y } = lineWindow({ count: folding.count, ...view });
  const activeRow = folding.row(active.line);
  useLayoutEffect(() => {
    if (active.moves > 0) scrollTo(activeRow, folding.count);
  }, [active.moves]);
  const go = (line: number) => onActive({ line, moves: active.moves + 1 });
  const fold = (line: number, isFolded: boolean) => {
    folding.set(line, isFolded);
    onFold();
  };
  const keys = treeKeys({ folding, line: folding.line(activeRow), page: view.height, go, fold });
  return (
    <div
      ref={box}
      class="body tree"
      role="tree"
      aria-label="Body as JSON"
      aria-activedescendant={
        shown.includes(activeRow) ? `json-${folding.line(activeRow)}` : undefined
      }
      tabIndex={0}
      onScroll={onScroll}
      onKeyDown={(event) => {
        if (event.altKey || event.shiftKey) return;
        const isCopy = (event.ctrlKey || event.metaKey) && event.key === "c";
        if (isCopy ? String(getSelection()) !== "" : event.ctrlKey || event.metaKey) return;
        const action = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
        if (action === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        action();
      }}
    >
      <div class="body-space" role="presentation" style={{ height: `${space}px` }}>
        {shown.map((row) => {
          const line = folding.line(row);
          return (
            <TreeLine
              key={line}
              {...{ lines: folding.lines, line, pattern, fold }}
              y={y(row)}
              isFolded={folding.isFolded(line)}
              isActive={row === activeRow}
              wrong={notes.get(line)}
              onActive={() => onActive({ line, moves: active.moves })}
            />
          );
        })}
      </div>
    </div>
  );
}

interface TreeLineProps {
  lines: JsonLines;
  line: number;
  /** Pixels from the top. */
  y: number;
  isFolded: boolean;
  isActive: boolean;
  pattern: RegExp | undefined;
  wrong: readonly string[] | undefined;
  onActive: () => void;
  fold: (line: number, isFolded: boolean) => void;
}

function TreeLine({
  lines,
  line,
  y,
  isFolded,
  isActive,
  pattern,
  wrong,
  onActive,
  fold,
}: TreeLineProps) {
  const kind = lines.kind(line);
  const parent = lines.parent(line);
  const place = {
    transform: `translateY(${y}px)`,
    paddingLeft: `${14 + Math.min(lines.depth(line), MAX_INDENT) * 15}px`,
  };
  const content = tokensOf(lines, line, isFolded).map(({ kind: token, text }, index) => (
    <span key={index} class={`json-${token}`}>
      {token === "note" || token === "mark" ? visible(text) : marked(text, pattern)}
    </span>
  ));
  if (kind === "close") {
    return (
      <div class="body-line" aria-hidden="true" style={place}>
        {content}
      </div>
    );
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree itself handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names the active line
    <div
      id={`json-${line}`}
      class={`body-line${isActive ? " active" : ""}${wrong === undefined ? "" : " wrong"}`}
      role="treeitem"
      aria-level={lines.depth(line) + 1}
      aria-posinset={lines.position(line) + 1}
      aria-setsize={parent < 0 ? 1 : lines.size(parent)}
      aria-expanded={kind === "open" ? !isFolded : undefined}
      aria-selected={isActive}
      style={place}
      onClick={(event) => {
        const isMark = event.target instanceof Element && event.target.closest(".fold") !== null;
        onActive();
        if (isMark || isFolded) fold(line, !isFolded);
      }}
    >
      {kind === "open" && (
        <span class="fold" aria-hidden="true">
          {isFolded ? "▸" : "▾"}
        </span>
      )}
      {content}
      {wrong !== undefined && <span class="wrong-note">{visible(`← ${wrong.join("; ")}`)}</span>}
    </div>
  );
}

interface TreeMoves {
  folding: Folding;
  line: number;
  /** The box's height in pixels. */
  page: number;
  go: (line: number) => void;
  fold: (line: number, isFolded: boolean) => void;
}

function treeKeys({
  folding,
  line,
  page,
  go,
  fold,
}: TreeMoves): Readonly<Record<string, () => void>> {
  const { lines } = folding;
  const row = folding.row(line);
  /** The nearest row on the way that is not the end of an object or array. */
  const move = (to: number, by: 1 | -1) => {
    let next = Math.max(0, Math.min(folding.count - 1, to));
    while (next > 0 && next < folding.count && lines.kind(folding.line(next)) === "close")
      next += by;
    if (next < folding.count) go(folding.line(next));
  };
  const rows = Math.max(1, Math.floor(page / LINE_HEIGHT) - 1);
  const canFold = lines.kind(line) === "open";
  const isFolded = folding.isFolded(line);
  return {
    ArrowDown: () => move(row + 1, 1),
    ArrowUp: () => move(row - 1, -1),
    PageDown: () => move(Math.min(row + rows, folding.count - 1), -1),
    PageUp: () => move(row - rows, -1),
    Home: () => go(0),
    End: () => move(folding.count - 1, -1),
    ArrowRight: () => {
      if (canFold && isFolded) fold(line, false);
      else if (canFold) go(line + 1);
    },
    ArrowLeft: () => {
      if (canFold && !isFolded) fold(line, true);
      else if (lines.parent(line) >= 0) go(lines.parent(line));
    },
    Enter: () => fold(line, !isFolded),
    " ": () => fold(line, !isFolded),
    f: () => document.getElementById("body-search")?.focus(),
    c: () => void navigator.clipboard.writeText(lines.value(line)),
    p: () => void navigator.clipboard.writeText(lines.path(line)),
  };
}

function marked(text: string, pattern: RegExp | undefined): ComponentChildren {
  if (pattern === undefined) return visible(text);
  const parts: ComponentChildren[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    parts.push(
      visible(text.slice(from, match.index)),
      <mark key={match.index}>{visible(match[0])}</mark>,
    );
    from = match.index + match[0].length;
  }
  return [...parts, visible(text.slice(from))];
}
