/** Names that shells can set. */
const namePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Some keys have no other characters than names. They are long, and full of digits with small letters among them, or
 * of letters and digits without the underscores that part the words of a long name.
 */
const keyPattern = /^(?:(?=.*[a-z])(?=(?:.*\d){4}).{20,}|(?=.*\d)[A-Za-z0-9]{24,})$/;

/** Whether a text can be the name of an environment variable, and is no key that was written in its place. */
export function isVariableName(text: string): boolean {
  return namePattern.test(text) && !keyPattern.test(text);
}
