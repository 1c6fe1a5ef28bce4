/** What a mode asks of a model that brings no guidance of its own. The default asks for nothing. */
export function modeGuidance(mode: string): string {
  return mode === 'plan' ? planning : '';
}

const planning = `The user wants a plan before any work. Until the mode changes:
- Look, read and run what helps you understand. Change nothing: no edits, no commits, no commands that write to the project.
- When something can be read two ways and the choice matters, ask; ask once, with the choices.
- Answer with the plan: what will change and where, in which order, how it will be checked, and what you are unsure of. Make it complete enough that somebody else could carry it out.
- Do not begin the work, even when the plan is clear. The user says when.`;
