/** A command typed to the surface and not to the model. */
export interface InteractiveCommand {
  readonly kind: 'compact';
  readonly focus?: string;
}

/**
 * The command in a text of an interactive surface, or undefined if it is for the model. Such surfaces check this before
 * they run a turn; from programs (`exec`, RPC, MCP) the same text is an ordinary message.
 */
export function interactiveCommand(text: string): InteractiveCommand | undefined {
  const [, rest] = /^\s*\/compact(?:\s+([\s\S]*))?$/.exec(text) ?? [undefined];
  if (rest === undefined && text.trim() !== '/compact') return undefined;
  const focus = rest?.trim() ?? '';
  return focus === '' ? { kind: 'compact' } : { kind: 'compact', focus };
}
