import { type JsonLines, lastUpTo } from "../../json/json-lines.ts";

/** Which lines of a JSON text are shown. A row is the position of a shown line. */
export class Folding {
  readonly lines: JsonLines;
  readonly #folded: Uint8Array<ArrayBuffer>;
  #rows: Uint32Array<ArrayBuffer> = new Uint32Array(0);
  #count = 0;

  /** With `isFolded`, everything inside the outermost value starts folded. */
  constructor(lines: JsonLines, isFolded: boolean) {
    this.lines = lines;
    this.#folded = new Uint8Array(lines.count);
    if (isFolded) this.foldAll();
    else this.#update();
  }

  get count(): number {
    return this.#count;
  }

  line(row: number): number {
    return this.#rows[row] ?? 0;
  }

  /** The row of a line; that of the folded line around it if it is not shown. */
  row(line: number): number {
    return lastUpTo(line, this.#count, (row) => this.line(row));
  }

  isFolded(line: number): boolean {
    return this.#folded[line] === 1;
  }

  set(line: number, isFolded: boolean): void {
    if (this.lines.kind(line) !== "open" || this.isFolded(line) === isFolded) return;
    this.#folded[line] = isFolded ? 1 : 0;
    this.#update();
  }

  reveal(line: number): void {
    for (let parent = this.lines.parent(line); parent >= 0; parent = this.lines.parent(parent)) {
      this.#folded[parent] = 0;
    }
    this.#update();
  }

  /** Folds everything inside the outermost value. */
  foldAll(): void {
    for (let line = 1; line < this.lines.count; line++) {
      this.#folded[line] = this.lines.kind(line) === "open" ? 1 : 0;
    }
    this.#update();
  }

  unfoldAll(): void {
    this.#folded.fill(0);
    this.#update();
  }

  #update(): void {
    if (this.#rows.length === 0) this.#rows = new Uint32Array(this.lines.count);
    let count = 0;
    for (let line = 0; line < this.lines.count; line++) {
      this.#rows[count++] = line;
      if (this.isFolded(line)) line = this.lines.mate(line);
    }
    this.#count = count;
  }
}
