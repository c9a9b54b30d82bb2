import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "./button.tsx";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** A modal dialog; Escape closes it, and the focus returns to where it was. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    takeFocus(dialog.current?.querySelector<HTMLElement>("textarea, button.main") ?? null);
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onClose={onClose}>
      <div class="section-head">
        <h2 id="dialog-title">{title}</h2>
        <Button
          label="×"
          class="plain"
          aria-label="Close"
          onClick={() => dialog.current?.close()}
        />
      </div>
      {children}
    </dialog>
  );
}

/**
 * Focuses the main element of a dialog when it appears, unless the user has moved the focus from
 * the close button.
 */
export function takeFocus(element: HTMLElement | null): void {
  const dialog = element?.closest("dialog");
  const { activeElement: active } = document;
  const isFree =
    active === document.body || active === dialog || active?.classList.contains("plain") === true;
  if (dialog?.open === true && isFree) element?.focus();
}

export function CloseButton({ label, isMain = false }: { label: string; isMain?: boolean }) {
  return (
    <button
      type="button"
      ref={isMain ? takeFocus : null}
      class={isMain ? "main" : undefined}
      onClick={(event) => event.currentTarget.closest("dialog")?.close()}
    >
      {label}
    </button>
  );
}
