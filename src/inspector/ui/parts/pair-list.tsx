import { visible } from "./format.ts";

type Pair = readonly [name: string, value: string | readonly string[]];

/** Names and values, one per line; a name may occur twice, or have several values. */
export function PairList({ pairs }: { pairs: readonly Pair[] }) {
  const lines = pairs.flatMap(([name, value]) =>
    [value].flat().map((text) => [name, text] as const),
  );
  return (
    <dl class="headers">
      {lines.map(([name, value], index) => (
        <div key={index}>
          <dt>
            <bdi>{visible(name)}</bdi>
          </dt>
          <dd>
            <code>{visible(value)}</code>
          </dd>
        </div>
      ))}
    </dl>
  );
}
