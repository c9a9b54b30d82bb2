/** A number of bytes for people: `512 B`, `34 kB`, `1.2 MB`, `65 GB`. */
export function sizeText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = value < 10 && unit > 0 ? 1 : 0;
  return `${Number(value.toFixed(digits))} ${units[unit]}`;
}
