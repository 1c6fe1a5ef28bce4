/** Asks once more for a hand-over in prose, and names what was wrong with the last one. */
export function againPrompt(faults: readonly string[]): string {
  return `Your answer cannot be used:

${faults.map((fault) => `- ${fault}`).join('\n')}

Write the hand-over again, whole, with this put right. Answer with text alone and call no tool.
`;
}
