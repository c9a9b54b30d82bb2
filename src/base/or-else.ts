/** What a call returns, or another value if it throws, whatever it throws. */
export function orElse<Value, Other>(read: () => Value, otherwise: Other): Value | Other {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
