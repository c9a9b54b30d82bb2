// Sets the clock of a process to the time in the file `PICTURE_CLOCK`, for pictures that show the
// same times whenever they are taken.
import { readFileSync } from "node:fs";

const file = process.env.PICTURE_CLOCK ?? "";
const RealDate = Date;

/**
 * The file has the time shown and the real one at which it was set. Seconds pass slowly, so that a
 * busy machine changes nothing.
 */
const now = () => {
  const [shown, set] = readFileSync(file, "utf8").split(" ").map(Number);
  return Math.round(shown + (RealDate.now() - set) / 20);
};

globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [now()] : given));
  }

  static now() {
    return now();
  }
};
