import { visible } from "./visible.ts";

/** Names and values, one per line; a name may occur twice. */
export function PairList({ pairs }: { pairs: readonly (readonly [name: string, value: string])[] }) {
  return (
    <dl class="headers">
      {pairs.map(([name, value], index) => (
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
