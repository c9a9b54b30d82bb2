import type { ShownHeaders } from "../api.ts";
import { PairList } from "./pair-list.tsx";
import { visible } from "./visible.ts";

/** A delivery's request line and headers as received. */
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
    <>
      <p class="request">
        <code>
          {visible(method)} {visible(target)}
        </code>
      </p>
      <PairList pairs={pairs} />
    </>
  );
}
