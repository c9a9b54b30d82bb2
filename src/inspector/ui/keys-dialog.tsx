import { Dialog } from "./parts/dialog.tsx";

type KeyRow = readonly [keys: readonly string[], meaning: string];

export const LIST_KEYS: readonly KeyRow[] = [
  [["j", "k"], "open the next, the previous"],
  [["r", "r"], "retry, or send again as new"],
  [["R"], "retry or drop all that are shown, or all that failed alike"],
  [["/"], "search"],
  [["Esc"], "back to the list"],
];

const PAGE_KEYS: readonly KeyRow[] = [
  [["e"], "errors"],
  [["p"], "pause the list, and resume it"],
  [["?"], "show these keys"],
  [["Tab"], "go to the next control"],
  [["Esc"], "close a dialog; a draft is kept"],
];

const BODY_KEYS: readonly KeyRow[] = [
  [["↑", "↓"], "next, previous line"],
  [["→", "←"], "unfold, fold"],
  [["Enter"], "fold or unfold"],
  [["f"], "search"],
  [["c"], "copy the value"],
  [["p"], "copy its path"],
];

const GROUPS: readonly (readonly [title: string, rows: readonly KeyRow[]])[] = [
  ["In the list", LIST_KEYS],
  ["Anywhere", PAGE_KEYS],
  ["In a body", BODY_KEYS],
];

export function KeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <div class="key-groups">
        {GROUPS.map(([title, rows]) => (
          <section key={title}>
            <h3>{title}</h3>
            <KeyList rows={rows} />
          </section>
        ))}
      </div>
    </Dialog>
  );
}

export function KeyList({ rows }: { rows: readonly KeyRow[] }) {
  return (
    <dl class="keys">
      {rows.map(([keys, meaning]) => (
        <div key={meaning}>
          <dt>
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
