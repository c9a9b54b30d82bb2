import { availableParallelism, cpus, platform } from "node:os";
import { characters, keys, total, type Walk } from "./walk.ts";

const HEADINGS = [
  "",
  "commands",
  "keys",
  "code",
  "create",
  "install",
  "start",
  "deliver",
  "total",
] as const;

/** The table of README.md of this folder. */
export function table(walks: readonly Walk[]): string {
  const rows = walks.map((walk) => {
    const { create, install, start, deliver } = walk.seconds;
    const seconds = [create, install, start, deliver, total(walk)].map((value) =>
      value === 0 ? "–" : `${value.toFixed(1)} s`,
    );
    const code = characters(walk);
    return [
      walk.name,
      String(walk.commands.length),
      String(keys(walk)),
      code === 0 ? "–" : String(code),
      ...seconds,
    ];
  });
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(HEADINGS), line(["---", ...Array(8).fill("---:")]), ...rows.map(line)].join("\n");
}

/** The machine and the versions of a measurement, in one sentence. */
export function conditions(versions: {
  readonly hookporter: string;
  readonly npm: string;
}): string {
  const model =
    cpus()[0]
      ?.model.replaceAll(/\((?:R|TM)\)/g, "")
      .trim() ?? "";
  const cores = `${availableParallelism()} cores${model === "" || model === "unknown" ? "" : ` of ${model}`}`;
  const date = new Date().toISOString().slice(0, 10);
  return `Measured on ${date} with hookporter ${versions.hookporter}, Node ${process.versions.node}, npm ${versions.npm}, ${platform()}, ${cores}.`;
}

const BEGIN = "<!-- measured -->";
const END = "<!-- end of measured -->";

/** A page with its measured part replaced. */
export function withMeasured(page: string, measured: string): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error(`expected ${BEGIN} and ${END} in the page`);
  return `${before}${BEGIN}\n\n${measured}\n\n${END}${after}`;
}
