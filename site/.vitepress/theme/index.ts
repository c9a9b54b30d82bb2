import { useData, useRoute } from "vitepress";
import DefaultTheme from "vitepress/theme";
import { nextTick, watch } from "vue";
import "./style.css";

/** Shows the dark picture of a pair if the page is dark, which the reader may have chosen against the system's setting. */
function matchPictures(isDark: boolean): void {
  for (const source of document.querySelectorAll<HTMLSourceElement>("picture > source[media*='dark']")) {
    source.media = isDark ? "(min-width: 0)" : "not all and (prefers-color-scheme: dark)";
  }
}

export default {
  extends: DefaultTheme,
  setup() {
    if (typeof document === "undefined") return;
    const { isDark } = useData();
    const route = useRoute();
    watch([isDark, () => route.path], () => nextTick(() => matchPictures(isDark.value)), { immediate: true });
  },
};
