/** What a call returns, or another value if it throws, whatever it throws. */
export function tryOr<Value, Other>(read: () => Value, otherwise: Other): Value | Other {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
