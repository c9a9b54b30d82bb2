import type { ButtonHTMLAttributes } from "preact";
import { useState } from "preact/hooks";

/** A button that does not submit the form around it. */
export function Button({ label, ...more }: ButtonHTMLAttributes & { label: string }) {
  return (
    <button type="button" {...more}>
      {label}
    </button>
  );
}

const SAID = 1500; // milliseconds for which "Copied" is shown

interface CopyButtonProps {
  text: string | (() => Promise<string>);
  label: string;
  name?: string;
}

export function CopyButton({ text, label, name }: CopyButtonProps) {
  const [said, setSaid] = useState<string>();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : await text());
      setSaid("Copied");
    } catch {
      setSaid("Copying failed");
    }
    setTimeout(() => setSaid(undefined), SAID);
  };
  return (
    <Button label={said ?? label} class="small" aria-label={name} onClick={() => void copy()} />
  );
}

/** A command of this program, or another text, to copy. */
export function Command({
  words = "",
  text = `npx hookporter ${words}`,
}: {
  words?: string;
  text?: string;
}) {
  return (
    <div class="command">
      <code>{text}</code>
      <CopyButton text={text} label="Copy" name={`Copy: ${text}`} />
    </div>
  );
}
