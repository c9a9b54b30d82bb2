const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/** A number of bytes for people, such as `12.3 MiB`. */
export function sizeText(bytes: number): string {
  if (bytes === 1) return "1 byte";
  const power = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power]}`;
}
