import { useState } from "preact/hooks";

/** Milliseconds for which it says that it has copied. */
const SAID = 1500;

/** Puts a text on the clipboard; it may have to be fetched first. */
export function CopyButton({
  text,
  label,
  name,
}: {
  text: string | (() => Promise<string>);
  label: string;
  name?: string;
}) {
  const [said, setSaid] = useState<string>();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : await text());
      setSaid("Copied");
    } catch {
      setSaid("Not copied");
    }
    setTimeout(() => setSaid(undefined), SAID);
  };
  return (
    <button type="button" class="small" aria-label={name} onClick={() => void copy()}>
      {said ?? label}
    </button>
  );
}

/** A command to copy and run in a terminal. */
export function Command({ text }: { text: string }) {
  return (
    <div class="command">
      <code>{text}</code>
      <CopyButton text={text} label="Copy" name={`Copy: ${text}`} />
    </div>
  );
}
