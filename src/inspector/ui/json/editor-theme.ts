import { EditorView } from "@codemirror/view";

/** How the editor looks: the page's colours, which are custom properties and so reach into its shadow root. */
export const EDITOR_THEME = EditorView.theme({
  "&": { color: "var(--ink)", background: "var(--raised)", fontSize: "12.5px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": {
    height: "clamp(160px, 46vh, 420px)",
    fontFamily: "var(--mono)",
    lineHeight: "1.55",
    overflow: "auto",
  },
  ".cm-content": { padding: "10px 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 12px 0 8px" },
  ".cm-gutters": { color: "var(--quiet)", background: "var(--sunken)", borderRight: "1px solid var(--rule)" },
  ".cm-key": { color: "var(--accent)" },
  ".cm-value": { color: "var(--busy)" },
  ".cm-wrong": {
    background: "var(--removed)",
    textDecoration: "underline wavy var(--bad)",
    textDecorationSkipInk: "none",
    textUnderlineOffset: "3px",
  },
});
