import "./styles/base.css";
import "./styles/frame.css";
import "./styles/controls.css";
import "./styles/list.css";
import "./styles/detail.css";
import "./styles/body.css";
import "./styles/pages.css";
import { render } from "preact";
import { App } from "./app.tsx";
import { ApiClient } from "./client.ts";
import { takeToken } from "./session.ts";
import { NoToken } from "./welcome.tsx";

const root = document.getElementById("app");
if (root !== null) start(root);

// Pasting the address of another run into this tab changes only the fragment.
addEventListener("hashchange", () => {
  if (location.hash.startsWith("#token=")) location.reload();
});

function start(element: HTMLElement): void {
  const token = takeToken();
  render(token === null ? <NoToken /> : <App client={new ApiClient(token)} />, element);
}
