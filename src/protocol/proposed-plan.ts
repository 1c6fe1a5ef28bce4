/** Lines of their own in a message, around the plan. */
export const planTags = ['<proposed_plan>', '</proposed_plan>'] as const;
const [start, end] = planTags;

/** The plan that a message of the model proposes, without its tags. Undefined: it proposes none. */
export function proposedPlan(text: string): string | undefined {
  // Most messages hold none, and some are long.
  if (!text.includes(start)) return undefined;
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.trim() === start);
  const to = lines.findIndex((line, at) => at > from && line.trim() === end);
  return from < 0 || to < 0 ? undefined : lines.slice(from + 1, to).join('\n');
}
