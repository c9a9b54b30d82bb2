/** The values of a text in Prometheus' format, by the name with its labels. */
export interface Samples {
  (series: string): number | undefined;
  /** The whole text. */
  readonly all: string;
}

/** Reads a text in Prometheus' format. */
export function samples(text: string): Samples {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const values = new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
  return Object.assign((series: string) => values.get(series), { all: text });
}
