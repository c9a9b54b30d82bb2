// Draws docs/images/architecture.svg from the imports in src/; with --print, writes it to standard
// output instead.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { arrowsBetween } from "./architecture/arrows.js";
import { draw } from "./architecture/picture.js";

const root = join(import.meta.dirname, "..");
const { rows } = JSON.parse(
  readFileSync(join(root, "tools", "architecture", "rooms.json"), "utf8"),
);
const picture = draw(rows, arrowsBetween(rows.flat(), join(root, "src")));
if (process.argv.includes("--print")) process.stdout.write(picture);
else writeFileSync(join(root, "docs", "images", "architecture.svg"), picture);
