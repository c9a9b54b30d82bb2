import type { Sent } from "../../api.ts";
import { goTo } from "../route.ts";

/** Opens the entry of a delivery that the page has sent; with `from`, beside the one that it was made from. */
export function showSent({ seq, refusal }: Pick<Sent, "seq" | "refusal">, from?: number): void {
  if (seq !== null && seq !== from) goTo(from === undefined ? `/entry/${seq}` : `/entry/${seq}/from/${from}`);
  else if (refusal !== null) goTo(`/refusal/${refusal}`);
}
