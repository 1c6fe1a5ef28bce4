/**
 * Warnings that other programs once wrote as the user's words. Whole shapes and no beginnings: a user who quotes one
 * and asks about it is heard.
 */
const shapes: readonly RegExp[] = [
  /^Warning: apply_patch was requested via \S+\. Use the apply_patch tool instead of exec_command\.$/,
  /^Warning: The maximum number of unified exec processes you can keep open is \d+(?: and you currently have \d+ processes open\. Reuse older processes [^\n?]*)?\.?$/,
  /^Warning: Your account was flagged for potentially high-risk cyber activity(?: and this request was routed to \S+ as a fallback\.[^\n?]*)?\.?$/,
];

/** Of all of them. */
export const warningBeginning = 'W';

export function isLegacyWarning(text: string): boolean {
  const trimmed = text.trim();
  return shapes.some((shape) => shape.test(trimmed));
}
