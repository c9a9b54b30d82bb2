import { useData, useRoute } from "vitepress";
import DefaultTheme from "vitepress/theme";
import { h, nextTick, watch } from "vue";
import terminal from "../../pages/images/terminal.svg?url";
import "./style.css";

/**
 * Shows the dark picture of a pair if the page is dark, which the reader may have chosen against
 * the system's setting.
 */
function matchPictures(isDark: boolean): void {
  for (const source of document.querySelectorAll<HTMLSourceElement>(
    "picture > source[media*='dark']",
  )) {
    source.media = isDark ? "(min-width: 0)" : "not all and (prefers-color-scheme: dark)";
  }
}

/** The one command of the first screen, and what it prints beside it. */
const COMMAND = "npx hookporter listen";
const PICTURE =
  "listen on a terminal: events handled, a duplicate, a handler's error with its file and line, and a wrong signature with its cause and fix";

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      "home-hero-info-after": () => h("pre", { class: "command" }, h("code", COMMAND)),
      "home-hero-image": () =>
        h("img", { class: "terminal", src: terminal, alt: PICTURE, width: 704, height: 716 }),
    }),
  setup() {
    if (typeof document === "undefined") return;
    const { isDark } = useData();
    const route = useRoute();
    watch([isDark, () => route.path], () => nextTick(() => matchPictures(isDark.value)), {
      immediate: true,
    });
  },
};
