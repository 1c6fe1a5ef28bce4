/** The last line of a checkpoint that code made: where to go on. */

export function resumeAtStep(step: string): string {
  return `the step of the plan that is next: ${step}`;
}

export const resumeAtAnswer =
  "what the user asked for last, after what the model's last answer says; look at the files before you change them";

export const resumeAtWords = 'what the user asked for last; look at the files before you change them';
