/** Whether the name of a variable says that its value is secret. */
export function isSecretVariable(name: string): boolean {
  return /key|secret|token|passw|credential/i.test(name);
}

/**
 * The same of a header, a parameter, or a line of a file. The names of variables with one of the other words are mostly
 * those of sockets and desktops.
 */
export function mayNameSecret(text: string): boolean {
  return isSecretVariable(text) || /auth|cookie|session|bearer/i.test(text);
}
