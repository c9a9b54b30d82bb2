import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useWindowEvent } from "../use-window-event.ts";

export interface MenuItem {
  readonly label: string;
  /** What it does, if the label does not say it all. */
  readonly hint?: string;
  readonly disabled?: boolean;
  readonly onSelect: () => unknown;
}

const EDGE = 8; // pixels between an open menu and the window's edge

interface MenuProps {
  label: string;
  /** The button's name for screen readers, if the label is a symbol. */
  name?: string;
  items: readonly MenuItem[];
  disabled?: boolean;
}

/**
 * A button that opens a menu. Arrow keys, Home, End and letters move in it; Escape and Tab close
 * it.
 */
export function Menu({ label, name, items, disabled = false }: MenuProps) {
  const { isOpen, shift, id, frame, button, list, open, close, move, hide } = useMenu();
  return (
    <div ref={frame} class="menu">
      <button
        ref={button}
        type="button"
        disabled={disabled}
        aria-label={name}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => (isOpen ? hide() : open(0))}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
          event.preventDefault();
          event.stopPropagation();
          open(event.key === "ArrowDown" ? 0 : -1);
        }}
      >
        {label}
      </button>
      {isOpen && (
        <div
          ref={list}
          id={id}
          role="menu"
          aria-label={name ?? label}
          tabIndex={-1}
          style={{ transform: `translateX(${shift}px)` }}
          onKeyDown={move}
        >
          {items.map((item) => (
            <MenuLine key={item.label} item={item} close={close} />
          ))}
        </div>
      )}
    </div>
  );
}

function useMenu() {
  const [isOpen, setOpen] = useState(false);
  const [shift, setShift] = useState(0);
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    if (!isOpen || list.current === null) return;
    const { right } = list.current.getBoundingClientRect();
    setShift(Math.min(0, document.documentElement.clientWidth - EDGE - right));
  }, [isOpen]);
  useWindowEvent("pointerdown", ({ target }) => {
    if (!frame.current?.contains(target as Node)) setOpen(false);
  });

  const buttons = () => [
    ...(list.current?.querySelectorAll<HTMLButtonElement>(
      "[role=menuitem]:not([aria-disabled=true])",
    ) ?? []),
  ];
  const open = (at: 0 | -1) => {
    setShift(0);
    setOpen(true);
    requestAnimationFrame(() => buttons().at(at)?.focus());
  };
  const hide = () => setOpen(false);
  const close = () => {
    hide();
    button.current?.focus();
  };
  const move = (event: KeyboardEvent) => {
    const all = buttons();
    const at = all.findIndex((element) => element.matches(":focus"));
    const next = nextOf(event.key, at, all);
    if (event.key === "Escape") close();
    else if (event.key === "Tab") hide();
    else if (next !== undefined) all.at(next)?.focus();
    // The page's own keys have no meaning while a menu is open.
    event.stopPropagation();
    if (event.key === "Escape" || next !== undefined) event.preventDefault();
  };
  return { isOpen, shift, id, frame, button, list, open, close, move, hide };
}

function MenuLine({ item, close }: { item: MenuItem; close: () => void }) {
  const { label, hint, disabled = false, onSelect } = item;
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      aria-disabled={disabled}
      onClick={() => {
        if (disabled) return;
        close();
        onSelect();
      }}
    >
      <span>{label}</span> {hint !== undefined && <span class="quiet">{hint}</span>}
    </button>
  );
}

/** The position that a key leads to; `undefined` if it leads nowhere. */
function nextOf(key: string, at: number, all: readonly HTMLButtonElement[]): number | undefined {
  if (all.length === 0) return undefined;
  if (key === "ArrowDown") return (at + 1) % all.length;
  if (key === "ArrowUp") return at <= 0 ? -1 : at - 1;
  if (key === "Home") return 0;
  if (key === "End") return -1;
  if (key.length !== 1 || key === " ") return undefined;
  const from = [...all.keys()].map((step) => (at + 1 + step) % all.length);
  return from.find((position) =>
    all[position]?.textContent?.toLowerCase().startsWith(key.toLowerCase()),
  );
}
