import type { ShownHeaders } from "../../api.ts";
import { PairList } from "../parts/pair-list.tsx";
import { visible } from "../parts/visible.ts";

interface HeadersProps {
  method: string;
  target: string;
  headers: ShownHeaders;
  sender?: string | null;
}

/** A delivery's request line and headers as received. */
export function Headers({ method, target, headers, sender = null }: HeadersProps) {
  const forwardedFor = headers["x-forwarded-for"];
  return (
    <>
      <p class="request">
        <code>
          {visible(method)} {visible(target)}
        </code>
      </p>
      {sender !== null && (
        <p>
          Sent from <code>{visible(sender)}</code>
          {forwardedFor !== undefined && (
            <>
              {" "}
              for <code>{visible(String(forwardedFor))}</code>, as X-Forwarded-For says, which anyone can
              write
            </>
          )}
        </p>
      )}
      <PairList pairs={Object.entries(headers)} />
    </>
  );
}
