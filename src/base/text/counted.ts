/** `1 entry`, `2 entries`. */
export function counted(count: number, text: string, many: string): string {
  return `${count} ${count === 1 ? text : many}`;
}
