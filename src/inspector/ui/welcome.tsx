import { DEFAULT_ENDPOINT } from "../../default-endpoint.ts";
import type { Status } from "../api.ts";
import { Command } from "./copy-button.tsx";
import { clearFilter } from "./filter-bar.tsx";
import { goTo } from "./route.ts";

/** What to do while nothing has come. */
export function NothingYet({ status }: { status: Status | undefined }) {
  const endpoint = status?.endpoint ?? DEFAULT_ENDPOINT;
  const url = endpoint === DEFAULT_ENDPOINT ? "" : ` --url ${endpoint}`;
  return (
    <main class="welcome">
      <h1>Nothing has come yet</h1>
      <p>Each delivery is shown here as it arrives. Send a sample from the folder that listen runs in,</p>
      <Command text={`npx hookporter trigger payment.received${url}`} />
      <Command text={`npx hookporter trigger --all${url}`} />
      <p>or point the service, a script or a tunnel at the endpoint,</p>
      <Command text={endpoint} />
      <p>or begin here:</p>
      <button type="button" class="main" onClick={() => goTo("/trigger")}>
        Trigger a sample
      </button>
    </main>
  );
}

/** What to do when a filter leaves nothing. */
export function NothingFits({ searching }: { searching: boolean }) {
  return (
    <div class="empty">
      <h2>No delivery fits</h2>
      <p>
        {searching
          ? "None of those looked into so far has this text."
          : "Something may still come; it is shown here when it does."}
      </p>
      <button type="button" onClick={clearFilter}>
        Show all
      </button>
    </div>
  );
}

const KEYS = [
  ["j", "k", "next, previous"],
  ["Enter", "", "open"],
  ["r", "", "replay re-signed"],
  ["/", "", "search"],
  ["Esc", "", "back to the list"],
] as const;

/** What stands beside the list while nothing is chosen. */
export function NothingChosen({ status }: { status: Status | undefined }) {
  return (
    <div class="empty beside">
      <h2>Choose a delivery</h2>
      <p>It shows why it was taken or not, what ran, and what can be done.</p>
      <dl class="keys">
        {KEYS.map(([one, other, meaning]) => (
          <div key={meaning}>
            <dt>
              <kbd>{one}</kbd>
              {other !== "" && <kbd>{other}</kbd>}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      {status !== undefined && (
        <p class="quiet">
          Inbox {status.inbox}
          <br />
          {status.secrets.map(({ role, fingerprint }) => `${role} secret ${fingerprint}`).join(", ")}
          {status.handlers !== null && (
            <>
              <br />
              Handlers {status.handlers}
            </>
          )}
          {status.forwards.map((target) => (
            <span key={target}>
              <br />
              Forwards to {target}
            </span>
          ))}
        </p>
      )}
    </div>
  );
}

/** What is shown to somebody without the token. */
export function NoToken() {
  return (
    <main class="locked">
      <h1>hookporter</h1>
      <p>
        This page needs the token of the running <code>listen</code>. Open the address that it printed, or
        press <kbd>o</kbd> in its terminal. Each start has a token of its own.
      </p>
      <Command text="npx hookporter listen" />
    </main>
  );
}
