/** Words that the user typed to the surface and not to the model. */
export interface InteractiveCommand {
  readonly kind: 'compact';
  /** What the checkpoint shall keep in view. */
  readonly focus?: string;
}

/**
 * The command that a text of an interactive surface is, or undefined when it is for the model. Such surfaces ask this
 * before they run a turn; where a program speaks (`exec`, RPC, MCP) the same text is an ordinary message.
 */
export function interactiveCommand(text: string): InteractiveCommand | undefined {
  const [, rest] = /^\s*\/compact(?:\s+([\s\S]*))?$/.exec(text) ?? [undefined];
  if (rest === undefined && text.trim() !== '/compact') return undefined;
  const focus = rest?.trim() ?? '';
  return focus === '' ? { kind: 'compact' } : { kind: 'compact', focus };
}
