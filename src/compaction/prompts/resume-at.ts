/** The last line of a checkpoint that code made: where to continue. */

export function resumeAtStep(step: string): string {
  return `the next step of the plan: ${step}`;
}

export const resumeAtWords =
  "the user's newest message, read after all messages before it; look at the files before you change them";
