import { useEffect, useRef, useState } from "preact/hooks";

/**
 * Edited texts that were not sent end with the tab, as the token does: they may contain personal
 * data.
 */
const PREFIX = "hookporter-draft:";
/** Milliseconds without typing before a draft is kept. It is also kept when the editor closes. */
const TYPING = 300;

/** A text that is edited. What was typed is kept for the tab until it is sent or reset. */
export function useDraft(name: string, original: string) {
  const [found] = useState(() => sessionStorage.getItem(PREFIX + name) ?? undefined);
  const [text, setText] = useState(found ?? original);
  const [isKept, setKept] = useState(true);
  const current = useRef({ text, isDone: false });
  /** At once, since the editor may close before the next rendering. */
  const change = (changed: string) => {
    current.current.text = changed;
    setText(changed);
  };
  const keep = () => {
    if (current.current.isDone || current.current.text === original) {
      dropDraft(name);
      return true;
    }
    return keepDraft(name, current.current.text);
  };
  useEffect(() => {
    const timer = setTimeout(() => setKept(keep()), TYPING);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => {
    const leave = () => void keep();
    addEventListener("pagehide", leave);
    return () => {
      removeEventListener("pagehide", leave);
      leave();
    };
  }, []);
  return {
    text,
    setText: change,
    isChanged: text !== original,
    isOffered: found !== undefined && found !== original,
    isKept,
    reset: () => change(original),
    finish: () => {
      current.current.isDone = true;
      dropDraft(name);
    },
  };
}

/**
 * Keeps a draft. Returns false if the browser has no room for it; then an older version does not
 * stay either.
 */
function keepDraft(name: string, text: string): boolean {
  try {
    sessionStorage.setItem(PREFIX + name, text);
    return true;
  } catch {
    dropDraft(name);
    return false;
  }
}

function dropDraft(name: string): void {
  sessionStorage.removeItem(PREFIX + name);
}
