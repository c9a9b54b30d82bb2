import "./styles/base.css";
import "./styles/frame.css";
import "./styles/controls.css";
import "./styles/menu.css";
import "./styles/actions.css";
import "./styles/list.css";
import "./styles/detail.css";
import "./styles/attempts.css";
import "./styles/related.css";
import "./styles/body.css";
import "./styles/printed.css";
import "./styles/pages.css";
import { render } from "preact";
import { App } from "./app.tsx";
import { ApiClient } from "./client.ts";
import { Connection } from "./session/connection.ts";
import { admitTabs, askOtherTabs } from "./session/other-tabs.ts";
import { takeToken } from "./session/session.ts";
import { NoToken } from "./welcome.tsx";

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
  const client = new ApiClient(new Connection(token));
  admitTabs(client);
  render(<App client={client} />, element);
}
