import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** A modal dialog; Escape closes it, and the focus returns to where it was. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onClose={onClose}>
      <div class="section-head">
        <h2 id="dialog-title">{title}</h2>
        <button type="button" class="plain" aria-label="Close" onClick={() => dialog.current?.close()}>
          ×
        </button>
      </div>
      {children}
    </dialog>
  );
}

export function CloseButton({ label, isMain = false }: { label: string; isMain?: boolean }) {
  return (
    <button
      type="button"
      class={isMain ? "main" : undefined}
      onClick={(event) => event.currentTarget.closest("dialog")?.close()}
    >
      {label}
    </button>
  );
}
