import { useEffect, useRef, useState } from "preact/hooks";
import type { CodeEditor } from "./code-editor.ts";
import { findProblem, type JsonProblem } from "./json-problem.ts";
import { loadEditor } from "./load-editor.ts";

/** Milliseconds without typing before the text is checked. */
const TYPING = 300;

const KEYS = "Tab leaves the editor. Ctrl and ] indents the line.";

/** An editor that marks the first place where its text is not JSON. It is loaded when the first one opens. */
export function JsonEditor({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (text: string) => void;
}) {
  const { host, editor, state } = useCodeEditor(label, value, onChange);
  const area = useRef<HTMLTextAreaElement>(null);
  const problem = useProblem(value);
  useEffect(() => editor?.mark(problem), [editor, problem]);
  const select = (wrong: JsonProblem) => {
    editor?.select(wrong);
    area.current?.focus();
    area.current?.setSelectionRange(wrong.from, wrong.to);
  };
  return (
    <div class="editor">
      {state === "failed" ? (
        <textarea
          ref={area}
          aria-label={label}
          aria-invalid={problem !== undefined}
          rows={14}
          spellcheck={false}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      ) : (
        <div ref={host} class="editor-host">
          {state === "loading" && <p class="quiet">Loading the editor</p>}
        </div>
      )}
      <p class="editor-problem">
        <span role="status">{problem !== undefined && `Not JSON: ${placeOf(value, problem)}`}</span>{" "}
        {problem !== undefined && (
          <button type="button" class="link" onClick={() => select(problem)}>
            Show it
          </button>
        )}
      </p>
    </div>
  );
}

/** The editor in an element, with a text that the page may change too. */
function useCodeEditor(label: string, value: string, onChange: (text: string) => void) {
  const host = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<CodeEditor>();
  const [hasFailed, setFailed] = useState(false);
  const latest = useRef({ value, onChange });
  latest.current = { value, onChange };
  /** What was typed, but has not come back as the value: the page renders later, and perhaps not every change. */
  const typed = useRef<string[]>([]);
  useEffect(() => {
    let opened: CodeEditor | undefined;
    let isWanted = true;
    const open = async () => {
      const { openEditor } = await loadEditor();
      if (!isWanted || host.current === null) return;
      const text = latest.current.value;
      const change = (changed: string) => {
        typed.current.push(changed);
        latest.current.onChange(changed);
      };
      typed.current = [text];
      opened = openEditor(host.current, { text, label, description: KEYS, onChange: change });
      setEditor(opened);
    };
    open().catch(() => isWanted && setFailed(true)); // such as after listen has ended; a plain text box will do
    return () => {
      isWanted = false;
      opened?.close();
    };
  }, []);
  useEffect(() => {
    if (editor === undefined) return;
    const at = typed.current.indexOf(value);
    typed.current.splice(0, at + 1);
    if (at >= 0) return;
    typed.current = [];
    editor.setText(value);
  }, [editor, value]);
  return { host, editor, state: hasFailed ? "failed" : editor === undefined ? "loading" : "ready" };
}

function useProblem(text: string): JsonProblem | undefined {
  const [found, setFound] = useState<{ text: string; problem: JsonProblem | undefined }>();
  useEffect(() => {
    let isCurrent = true;
    const check = async () => {
      const problem = text === "" ? undefined : await findProblem(text);
      if (isCurrent) setFound({ text, problem });
    };
    const timer = setTimeout(() => void check(), TYPING);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text]);
  return found?.text === text ? found.problem : undefined;
}

function placeOf(text: string, { from, message }: JsonProblem): string {
  const before = text.slice(0, from).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${message}`;
}
