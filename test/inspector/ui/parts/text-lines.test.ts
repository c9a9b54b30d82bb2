import fc from "fast-check";
import { expect, it } from "vitest";
import { LINE_HEIGHT, lineWindow, topFor } from "../../../../src/inspector/ui/parts/line-window.ts";
import { textLines } from "../../../../src/inspector/ui/parts/text-lines.ts";

const unit = fc.constantFrom("a", "\n", "é", "😀", " ");

it("the lines of a text contain all of it, each at most as long as the columns, with no character split", () => {
  fc.assert(
    fc.property(
      fc.string({ unit, maxLength: 200 }),
      fc.integer({ min: 2, max: 20 }),
      (text, columns) => {
        const lines = textLines(text, columns);
        const all = Array.from({ length: lines.count }, (_, index) => lines.at(index));
        expect(all.join("")).toBe(text.replaceAll("\n", ""));
        for (const line of all) {
          expect(line.length).toBeLessThanOrEqual(columns + 1);
          expect(line.isWellFormed()).toBe(true);
          expect(line).not.toContain("\n");
        }
        expect(lines.count).toBeGreaterThanOrEqual(text.split("\n").length);
      },
    ),
  );
});

it("few lines are rendered wherever a list is scrolled to, and every line can be reached", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5_000_000 }),
      fc.integer({ min: 40, max: 1200 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(),
      (count, height, share, pick) => {
        const { space } = lineWindow({ count, top: 0, height });
        expect(space).toBeLessThanOrEqual(15_000_000);
        const from = { count, height, top: share * Math.max(0, space - height) };
        const line = pick % count;
        const top = topFor(line, from);
        expect(top).toBeLessThanOrEqual(Math.max(0, space - height) + 1);
        const { shown, y } = lineWindow({ count, height, top });
        expect(shown.length).toBeLessThan(height / LINE_HEIGHT + 25);
        expect(shown).toContain(line);
        expect(y(line)).toBeGreaterThanOrEqual(top - 1);
        expect(y(line) + LINE_HEIGHT).toBeLessThanOrEqual(top + Math.max(height, LINE_HEIGHT) + 1);
      },
    ),
  );
});
