/** The model took another message for the task than the one that was worked on. */
export function doubtfulTask(number: number): string {
  return `message ${number} of the other messages below may be meant as a new task. No work was done on it yet, so the request below still holds.`;
}
