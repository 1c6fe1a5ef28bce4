/** A command typed to the surface and not to the model. */
export type InteractiveCommand = { readonly kind: 'compact'; readonly focus?: string };

/** Undefined: it is for the model. Interactive surfaces check this before a turn; a program's text is a message. */
export function interactiveCommand(text: string): InteractiveCommand | undefined {
  const [, rest] = /^\s*\/compact(?:\s+([\s\S]*))?$/.exec(text) ?? [undefined];
  if (rest === undefined && text.trim() !== '/compact') return undefined;
  const focus = rest?.trim() ?? '';
  return focus === '' ? { kind: 'compact' } : { kind: 'compact', focus };
}
