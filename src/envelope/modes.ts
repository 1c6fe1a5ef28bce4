/** How the model and the user work together. */
export interface Modes {
  readonly collaboration: 'default';
}

export function resolveModes(): Modes {
  return { collaboration: 'default' };
}
