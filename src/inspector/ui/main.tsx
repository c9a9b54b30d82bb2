import "./styles/page.css";
import { render } from "preact";
import { App } from "./app.tsx";
import { client, connect } from "./client.ts";
import { NoToken } from "./empty-states.tsx";
import { admitTabs, askOtherTabs } from "./session/other-tabs.ts";
import { takeToken } from "./session/session.ts";

const root = document.getElementById("app");
if (root !== null) void start(root);

// Pasting the address of another run into this tab changes only the fragment.
addEventListener("hashchange", () => {
  if (location.hash.startsWith("#token=")) location.reload();
});

async function start(element: HTMLElement): Promise<void> {
  const token = takeToken() ?? (await askOtherTabs());
  if (token === undefined) {
    render(<NoToken />, element);
    return;
  }
  connect(token);
  admitTabs(client);
  render(<App />, element);
}
