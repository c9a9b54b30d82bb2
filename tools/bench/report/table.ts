/**
 * Rows as a Markdown table that is aligned for a terminal too; the first column is left-aligned,
 * the others right-aligned.
 */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, 3, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const padded = (cells: readonly string[]) =>
    widths.map((width, column) =>
      column === 0 ? (cells[column] ?? "").padEnd(width) : (cells[column] ?? "").padStart(width),
    );
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = widths.map((width, column) =>
    column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [line(padded(head)), line(rule), ...rows.map((row) => line(padded(row)))].join("\n");
}
