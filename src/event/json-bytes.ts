/** The bytes that JSON is made of. */
export const JSON_BYTES = {
  SPACE: 0x20,
  QUOTE: 0x22,
  COMMA: 0x2c,
  MINUS: 0x2d,
  POINT: 0x2e,
  ZERO: 0x30,
  NINE: 0x39,
  COLON: 0x3a,
  OPEN_LIST: 0x5b,
  BACKSLASH: 0x5c,
  CLOSE_LIST: 0x5d,
  LETTER_E: 0x65,
  OPEN_OBJECT: 0x7b,
  CLOSE_OBJECT: 0x7d,
} as const;
