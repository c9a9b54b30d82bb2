/**
 * Terminal sequences: colours, cursor moves (CSI), titles and hyperlinks (OSC, up to BEL or ST),
 * and others.
 */
const TERMINAL_SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it removes these
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])|\u009b[0-?]*[ -/]*[@-~]/g;

/**
 * The readable text of another program's output, without terminal sequences, control and direction
 * characters.
 */
export function plainText(text: string): string {
  return text
    .replaceAll(TERMINAL_SEQUENCES, "")
    .replaceAll("\t", " ")
    .replaceAll(/[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/gu, "");
}
