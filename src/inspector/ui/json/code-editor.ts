import { defaultKeymap, history, historyKeymap, insertNewlineKeepIndent } from "@codemirror/commands";
import { Annotation, EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
} from "@codemirror/view";
import { EDITOR_THEME } from "./editor-theme.ts";

/** A part of a text, as offsets. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** An editor in the page. */
export interface CodeEditor {
  /** Replaces the text, without a call of `onChange`. */
  readonly setText: (text: string) => void;
  /** Marks a part as wrong, or nothing. */
  readonly mark: (wrong: Range | undefined) => void;
  readonly select: (part: Range) => void;
  readonly close: () => void;
}

/** What an editor starts from. */
interface EditorOptions {
  readonly text: string;
  readonly label: string;
  /** How to use it, for screen readers. */
  readonly description: string;
  readonly onChange: (text: string) => void;
}

/**
 * Opens an editor for JSON in an element. Tab leaves it, so that it traps nobody. It is in a shadow root, where its styles
 * are style sheet objects: the page's content security policy allows no `<style>`.
 */
export function openEditor(
  element: HTMLElement,
  { text, label, description, onChange }: EditorOptions,
): CodeEditor {
  const root = element.shadowRoot ?? element.attachShadow({ mode: "open", delegatesFocus: true });
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        EditorState.lineSeparator.of("\n"), // so that the carriage returns of a body stay
        ...[lineNumbers(), history(), EditorView.lineWrapping, WRONG, COLOURED, EDITOR_THEME],
        keymap.of([{ key: "Enter", run: insertNewlineKeepIndent }, ...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({
          ...{ "aria-label": label, "aria-description": description, spellcheck: "false" },
        }),
        EditorView.contentAttributes.compute([WRONG], (state) => ({
          "aria-invalid": String(state.field(WRONG).size > 0),
        })),
        EditorView.updateListener.of(({ docChanged, state, transactions }) => {
          const isTyped = transactions.some((one) => one.annotation(REPLACED) !== true);
          if (docChanged && isTyped) onChange(state.doc.toString());
        }),
      ],
    }),
  });
  const within = ({ from, to }: Range): Range => {
    const { length } = view.state.doc;
    return { from: Math.min(from, length), to: Math.min(to, length) };
  };
  return {
    setText: (insert) =>
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert },
        annotations: REPLACED.of(true),
      }),
    mark: (wrong) => {
      // Each change of the editor's state also resets the browser's selection, perhaps to an older one.
      if (wrong === undefined && view.state.field(WRONG).size === 0) return;
      view.dispatch({ effects: SET_WRONG.of(wrong && within(wrong)) });
    },
    select: (part) => {
      const { from, to } = within(part);
      view.focus();
      const scroll = EditorView.scrollIntoView(from, { y: "center" });
      view.dispatch({ selection: { anchor: from, head: to }, effects: scroll });
    },
    close: () => view.destroy(),
  };
}

/** Whether a change replaces the text from outside. */
const REPLACED = Annotation.define<boolean>();

const SET_WRONG = StateEffect.define<Range | undefined>();

/** The part that is marked as wrong. It moves with the text around it until the next check. */
const WRONG = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (before, { changes, effects }) => {
    const set = effects.find((effect) => effect.is(SET_WRONG));
    if (set === undefined) return before.map(changes);
    const { from = 0, to = 0 } = (set.value as Range | undefined) ?? {};
    return from === to ? Decoration.none : Decoration.set(mark("wrong").range(from, to));
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** A key, a string, a number or a word. A string ends with its line, also one that is not closed yet. */
const TOKEN = /("(?:[^"\\]|\\.)*"(?=\s*:))|("(?:[^"\\]|\\.)*"?)|(-?\d[\w.+-]*|\b(?:true|false|null)\b)/g;

const TOKENS = new MatchDecorator({
  regexp: TOKEN,
  decoration: ([, key, string]) =>
    mark(key !== undefined ? "key" : string !== undefined ? "string" : "value"),
});

/** Colours the tokens of the lines that are rendered. */
const COLOURED = ViewPlugin.define(
  (view) => ({
    tokens: TOKENS.createDeco(view),
    update(update) {
      this.tokens = TOKENS.updateDeco(update, this.tokens);
    },
  }),
  { decorations: ({ tokens }) => tokens },
);

function mark(name: "wrong" | "key" | "string" | "value"): Decoration {
  return MARKS[name];
}

const MARKS = {
  wrong: Decoration.mark({ class: "cm-wrong" }),
  key: Decoration.mark({ class: "cm-key" }),
  string: Decoration.mark({ class: "cm-string" }),
  value: Decoration.mark({ class: "cm-value" }),
};
