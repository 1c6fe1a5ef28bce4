/** For the permissions section: who answers what the model asks for. */
export function reviewerSentence(): string {
  return 'A reviewing model answers in place of the user and sees only your call, your justification and this thread: if it declines, choose a materially safer way or ask the user in your final message, and do not try to reach the same in another way.';
}
