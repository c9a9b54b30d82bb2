import { useEffect, useMemo, useState } from "preact/hooks";
import type { EntryDetail } from "../../api.ts";
import type { JsonLines } from "../../json/json-lines.ts";
import { Button, CopyButton } from "../parts/button.tsx";
import { visible } from "../parts/format.ts";
import { useSettled } from "../use-settled.ts";
import { findLines, findProblems, lineOf, MAX_FOUND, searchPattern } from "./find.ts";
import { Folding } from "./folding.ts";
import { JsonTree } from "./json-tree.tsx";

/** Texts with more characters start folded. */
export const FOLDED_FROM = 200_000;
const TYPING = 150; // milliseconds without typing before a search starts

/** A field that the reader chose: a new object each time. */
export interface WantedField {
  readonly field: string;
}

interface JsonViewProps {
  lines: JsonLines;
  /** Noted at the lines of their fields; the first one is scrolled to. */
  problems?: EntryDetail["problems"];
  wanted?: WantedField | undefined;
}

/** JSON of any size that can be folded, searched and copied. */
export function JsonView({ lines, problems = [], wanted }: JsonViewProps) {
  const folding = useMemo(() => new Folding(lines, lines.text.length > FOLDED_FROM), [lines]);
  // Every load of the entry has a new list, which must not scroll again.
  const notes = useMemo(() => findProblems(lines, problems), [lines, JSON.stringify(problems)]);
  const [, setVersion] = useState(0);
  const [active, setActive] = useState({ line: 0, moves: 0 });
  const [query, setQuery] = useState("");
  const settled = useSettled(query, TYPING);
  const pattern = useMemo(() => searchPattern(settled), [settled]);
  const found = useMemo(() => findLines(lines, pattern), [lines, pattern]);
  const draw = () => setVersion((version) => version + 1);
  const scrollTo = (line: number) => setActive(({ moves }) => ({ line, moves: moves + 1 }));
  const go = (line: number) => {
    folding.reveal(line);
    scrollTo(line);
  };
  useEffect(() => {
    const [first] = [...notes.keys()].toSorted((a, b) => a - b);
    if (first !== undefined) go(first);
  }, [notes]);
  useEffect(() => {
    const line = wanted === undefined ? undefined : lineOf(lines, wanted.field);
    if (line === undefined) return;
    go(line);
    focusTree();
  }, [wanted]);
  useEffect(() => {
    if (found[0] !== undefined) go(found[0]);
  }, [found]);
  const step = (by: 1 | -1) => {
    const next =
      by === 1
        ? found.find((number) => number > active.line)
        : found.findLast((number) => number < active.line);
    const line = next ?? (by === 1 ? found[0] : found.at(-1));
    if (line !== undefined) go(line);
  };
  const path = lines.path(active.line);
  return (
    <div class="json">
      <div class="json-tools">
        <BodySearch
          query={query}
          setQuery={setQuery}
          found={
            pattern === undefined
              ? undefined
              : foundText(found.length, found.indexOf(active.line) + 1)
          }
          step={step}
        />
        <Button
          label="Fold all"
          class="small"
          onClick={() => {
            folding.foldAll();
            scrollTo(0);
          }}
        />
        <Button
          label="Unfold all"
          class="small"
          onClick={() => {
            folding.unfoldAll();
            draw();
          }}
        />
        <CopyButton text={lines.text} label="Copy body" />
      </div>
      <JsonTree {...{ folding, pattern, notes, active }} onActive={setActive} onFold={draw} />
      <div class="json-tools">
        <code class="json-path">
          <span class="spoken">Path: </span>
          <bdi>{visible(path)}</bdi>
        </code>
        <CopyButton text={async () => lines.value(active.line)} label="Copy value" />
        <CopyButton text={path} label="Copy path" />
      </div>
    </div>
  );
}

interface BodySearchProps {
  query: string;
  setQuery: (query: string) => void;
  /** How much was found; `undefined` while nothing is searched for. */
  found: string | undefined;
  step: (by: 1 | -1) => void;
}

function BodySearch({ query, setQuery, found, step }: BodySearchProps) {
  return (
    <search>
      <input
        type="search"
        id="body-search"
        aria-label="Search the body"
        placeholder="Search the body"
        value={query}
        onInput={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
          else if (event.key === "Escape" && query !== "") setQuery("");
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      {found !== undefined && (
        <>
          <span class="quiet" role="status">
            {found}
          </span>
          <Button label="↑" class="small" aria-label="Previous match" onClick={() => step(-1)} />
          <Button label="↓" class="small" aria-label="Next match" onClick={() => step(1)} />
        </>
      )}
    </search>
  );
}

function focusTree(): void {
  const tree = document.querySelector<HTMLElement>(".payload [role=tree]");
  tree?.scrollIntoView({ block: "nearest" });
  tree?.focus({ preventScroll: true });
}

function foundText(count: number, position: number): string {
  if (count === 0) return "no matches";
  const all =
    count === MAX_FOUND ? `${count.toLocaleString("en")} or more` : count.toLocaleString("en");
  return position === 0 ? `${all} found` : `${position.toLocaleString("en")} of ${all}`;
}
