/** A command typed to the surface and not to the model. */
export type InteractiveCommand = { readonly kind: 'compact'; readonly focus?: string };

/** Undefined if the text is for the model. Interactive surfaces check this before a turn; programs do not. */
export function interactiveCommand(text: string): InteractiveCommand | undefined {
  const [, rest] = /^\s*\/compact(?:\s+([\s\S]*))?$/.exec(text) ?? [undefined];
  if (rest === undefined && text.trim() !== '/compact') return undefined;
  const focus = rest?.trim() ?? '';
  return focus === '' ? { kind: 'compact' } : { kind: 'compact', focus };
}
