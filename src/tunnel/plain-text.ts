/** Colours, cursor moves (CSI), titles and hyperlinks (OSC, up to BEL or ST), and other sequences of the terminal. */
const TERMINAL_SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it takes away
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])|\u009b[0-?]*[ -/]*[@-~]/g;

/** What another program said, as it would be read: without the terminal's sequences, control and direction characters. */
export function plainText(text: string): string {
  return text
    .replaceAll(TERMINAL_SEQUENCES, "")
    .replaceAll("\t", " ")
    .replaceAll(/[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/gu, "");
}

/** One line that is short enough to be shown. */
export function shortText(text: string, maxLength = 300): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}
