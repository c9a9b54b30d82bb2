import type { ButtonHTMLAttributes } from "preact";

/** A button that does not submit the form around it. */
export function Button({ label, ...more }: ButtonHTMLAttributes & { label: string }) {
  return (
    <button type="button" {...more}>
      {label}
    </button>
  );
}
