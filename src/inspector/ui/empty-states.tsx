import { DEFAULT_ENDPOINT } from "../../http/default-endpoint.ts";
import type { Status } from "../api.ts";
import { KeyList, LIST_KEYS } from "./keys-dialog.tsx";
import { clearFilter } from "./list/filter-bar.tsx";
import { Button, Command } from "./parts/button.tsx";
import { visible } from "./parts/format.ts";
import { goTo } from "./route.ts";

export function NoDeliveriesYet({ status }: { status: Status | undefined }) {
  const endpoint = status?.endpoint ?? DEFAULT_ENDPOINT;
  const url = endpoint === DEFAULT_ENDPOINT ? "" : ` --url ${endpoint}`;
  return (
    <main class="welcome">
      <h1>No deliveries yet</h1>
      <p>
        Each delivery appears here when it arrives. Send a sample from the folder in which listen
        runs:
      </p>
      <Command words={`trigger payment.received${url}`} />
      <Command words={`trigger --all${url}`} />
      <p>Or point the service, a script or a tunnel at the endpoint:</p>
      <Command text={endpoint} />
      <p>Or start here:</p>
      <Button label="Trigger a sample" class="main" onClick={() => goTo("/trigger")} />
    </main>
  );
}

export function NoMatchingDeliveries() {
  return <NoRows title="No matching deliveries" text="New matching deliveries will appear here." />;
}

function NoRows({ title, text, role }: { title: string; text: string; role?: "alert" }) {
  return (
    <div class="empty" role={role}>
      <h2>{title}</h2>
      <p>{text}</p>
      <Button label="Show all" onClick={clearFilter} />
    </div>
  );
}

export function WrongFilter({ failure }: { failure: string }) {
  return (
    <NoRows
      title="The filter in this address is wrong"
      text={`${visible(failure)}.`}
      role="alert"
    />
  );
}

function factsOf({ inbox, secrets, handlers, forwards }: Status): readonly string[] {
  return [
    `Inbox ${inbox}`,
    secrets.map(({ role, fingerprint }) => `${role} secret ${fingerprint}`).join(", "),
    ...(handlers === null ? [] : [`Handlers ${handlers}`]),
    ...forwards.map((target) => `Forwards to ${target}`),
  ];
}

export function NoDeliverySelected({ status }: { status: Status | undefined }) {
  return (
    <div class="empty beside">
      <h2>Select a delivery</h2>
      <p>See why it was accepted or refused, what ran, and what you can do.</p>
      <KeyList rows={LIST_KEYS} />
      {status !== undefined && (
        <p class="quiet">
          {factsOf(status).map((fact) => (
            <span key={fact}>
              {fact}
              <br />
            </span>
          ))}
        </p>
      )}
    </div>
  );
}

export function NoSuchPage({ path }: { path: string }) {
  return (
    <main class="welcome">
      <h1>There is no such page</h1>
      <p>
        The address ends with <code>{visible(path)}</code>, which is none of this page's views.
      </p>
      <Button label="Show the deliveries" class="main" onClick={() => goTo("/")} />
    </main>
  );
}

export function NoToken() {
  return (
    <main class="locked">
      <h1>hookporter</h1>
      <p>
        This page needs the token of the running <code>listen</code>. Open the address that it
        printed, or press <kbd>o</kbd> in its terminal. If this page is open and connected in
        another tab, reload this one.
      </p>
      <Command words="listen" />
    </main>
  );
}

/** Shown above a page that was connected before, and now waits. */
export function UnknownServer() {
  return (
    <p class="notice" role="status">
      The server on this port does not know this tab: it is another program, the <code>listen</code>{" "}
      of another folder, or the tab was not used for 24 hours. Nothing was sent to it. This page
      goes on when its own <code>listen</code> is back; otherwise open the address that{" "}
      <code>listen</code> printed.
    </p>
  );
}
