import type { ShownHeaders } from "../api.ts";
import { PairList } from "./pair-list.tsx";
import { visible } from "./visible.ts";

/** A delivery's headers as received. */
export function Headers({
  method,
  target,
  headers,
}: {
  method: string;
  target: string;
  headers: ShownHeaders;
}) {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, one] as const),
  );
  return (
    <section aria-labelledby="headers-title">
      <h2 id="headers-title">Request</h2>
      <p class="request">
        <code>
          {visible(method)} {visible(target)}
        </code>
      </p>
      <PairList pairs={pairs} />
    </section>
  );
}
