import { useRef } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { takeFocus } from "../parts/dialog.tsx";
import { useLoaded } from "../use-loaded.ts";
import { useSettled } from "../use-settled.ts";
import { findProblem, type JsonProblem } from "./json-problem.ts";

const TYPING = 300; // milliseconds without typing before the text is checked

interface JsonEditorProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
}

/** A text box that names the first place where its text is not JSON. */
export function JsonEditor({ label, value, onChange }: JsonEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  // A text box knows line feeds only: the carriage returns of a body are put back.
  const text = value.replace(/\r\n?/g, "\n");
  const withReturns = value.includes("\r\n");
  const problem = useProblem(text);
  const select = ({ from, to }: JsonProblem) => {
    area.current?.setSelectionRange(from, to);
    area.current?.blur(); // a box scrolls to its selection when it gets the focus
    area.current?.focus();
  };
  return (
    <div class="editor">
      <textarea
        ref={(element) => {
          area.current = element;
          takeFocus(element);
        }}
        aria-label={label}
        aria-invalid={problem !== undefined}
        spellcheck={false}
        value={text}
        onInput={({ currentTarget: { value: typed } }) =>
          onChange(withReturns ? typed.replaceAll("\n", "\r\n") : typed)
        }
      />
      <p class="editor-problem">
        <span role="status">{problem !== undefined && `Not JSON: ${placeOf(text, problem)}`}</span>{" "}
        {problem !== undefined && (
          <Button label="Show it" class="link" onClick={() => select(problem)} />
        )}
      </p>
    </div>
  );
}

function useProblem(text: string): JsonProblem | undefined {
  const settled = useSettled(text, TYPING);
  const look = async () => ({
    text: settled,
    problem: settled === "" ? undefined : await findProblem(settled),
  });
  const { value } = useLoaded(look, [settled]);
  return value?.text === text ? value.problem : undefined;
}

function placeOf(text: string, { from, message }: JsonProblem): string {
  const before = text.slice(0, from).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${message}`;
}
