/** Asks once more for a structured answer, and names what was wrong with the last one. */
export function repairPrompt(faults: readonly string[]): string {
  return `Your answer cannot be used:

${faults.map((fault) => `- ${fault}`).join('\n')}

Write the checkpoint again, whole, with this put right. All rules of the request before hold: one valid JSON object and nothing else, with the strings intent_user_message and summary. Call no tool.
`;
}
