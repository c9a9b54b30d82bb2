import { visible } from "./format.ts";

/** A sentence from the program; what it has in backticks is set as code. */
export function Prose({ text }: { text: string }) {
  const parts = text.split(/`([^`]+)`/);
  return (
    <>
      {parts.map((part, index) =>
        index % 2 === 0 ? visible(part) : <code key={index}>{visible(part)}</code>,
      )}
    </>
  );
}
