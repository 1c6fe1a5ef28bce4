export function timeNow(epochMs: number): string {
  return `It is ${new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')} UTC.`;
}

/** `isWhole`: it was not ended by a message or an interruption. */
export function sleepEnded(milliseconds: number, { isWhole }: { readonly isWhole: boolean }): string {
  const seconds = (milliseconds / 1000).toFixed(1);
  return `Wall time: ${seconds} seconds\n${isWhole ? 'Sleep completed.' : 'Sleep interrupted by new input.'}`;
}
