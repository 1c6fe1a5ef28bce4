/** Names that shells can set. */
const namePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Some keys have no other characters than names: they are long, in small letters, and full of digits. */
const keyPattern = /^(?=.*[a-z])(?=(?:.*\d){4}).{20,}$/;

/** Whether a text can be the name of an environment variable, and is no key that was written in its place. */
export function isVariableName(text: string): boolean {
  return namePattern.test(text) && !keyPattern.test(text);
}
