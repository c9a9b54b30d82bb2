/** The variable that holds the signing secret. */
export const SECRET_VARIABLE = "HOOKPORTER_SECRET";

/** The variable that holds the secret before it, during a rotation. */
export const PREVIOUS_SECRET_VARIABLE = "HOOKPORTER_SECRET_PREVIOUS";

/** Names by which people mean the previous secret. */
const MISNAMED =
  /^HOOKPORTER_(?:SECRETS?_?(?:OLD|PREV|LAST|BEFORE|FORMER|2)|(?:OLD|PREV|PREVIOUS|LAST)_SECRET|SECRETS)$/i;

/**
 * What is wrong with how variables name or join the secrets of a rotation; nothing reads them as
 * they are.
 */
export interface SecretMistake {
  /** The variable. */
  readonly name: string;
  readonly message: string;
  readonly fix: string;
}

/**
 * Finds the previous secret under another name, and two secrets in one variable. No value is in a
 * message.
 */
export function secretMistakes(
  variables: Readonly<Record<string, string | undefined>>,
): readonly SecretMistake[] {
  const misnamed = Object.keys(variables)
    .filter((name) => MISNAMED.test(name))
    .map((name) => ({
      name,
      message: `nothing reads the variable ${name}`,
      fix: `the current secret is ${SECRET_VARIABLE}, the previous one ${PREVIOUS_SECRET_VARIABLE}`,
    }));
  const parts = (variables[SECRET_VARIABLE] ?? "").split(",");
  const isList = parts.length > 1 && parts.every((part) => part.trim().length >= SECRET_LENGTH);
  if (!isList) return misnamed;
  return [
    ...misnamed,
    {
      name: SECRET_VARIABLE,
      message: `${SECRET_VARIABLE} looks like ${parts.length} secrets with commas between them, and is used as one`,
      fix: `write the current one to ${SECRET_VARIABLE}, and the previous one to ${PREVIOUS_SECRET_VARIABLE}`,
    },
  ];
}

/** Characters from which a part of a list is probably a secret. */
const SECRET_LENGTH = 8;
