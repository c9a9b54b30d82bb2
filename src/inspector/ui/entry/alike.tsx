import type { EntryDetail } from "../../api.ts";
import { BulkButton } from "../bulk/bulk-dialog.tsx";
import { useClient } from "../client.ts";
import { counted, dayTime } from "../parts/format.ts";
import { toHash } from "../route.ts";
import { useLoaded } from "../use-loaded.ts";

/** How many others failed like an entry, and what can be done with all of them; nothing if it is the only one. */
export function Alike({ entry: { seq, state }, changes }: { entry: EntryDetail; changes: number }) {
  const client = useClient();
  const failed = state === "failing" || state === "dead";
  const { value } = useLoaded(async () => (failed ? client.alike(seq) : null), [seq, failed, changes]);
  const count = value == null ? 0 : value.failing + value.dead;
  const filter = new URLSearchParams({ like: String(seq) });
  return (
    <section class="alike" aria-label="Others that failed alike">
      {value != null && count > 1 && (
        <p>
          <a href={toHash({ path: `/entry/${seq}`, filter })}>{counted(count - 1, "other")} failed alike</a>
          <span class="quiet">
            {" "}
            · {counted(value.kinds.length, "kind")} · since {dayTime(value.since)}
          </span>
        </p>
      )}
      <BulkButton
        label={`Retry or drop all ${count.toLocaleString("en")}…`}
        filter={filter}
        isOffered={count > 1}
        hasKey
      />
    </section>
  );
}
