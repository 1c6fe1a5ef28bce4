import { defineFamily } from '../text/define.ts';
import { withoutLineBreaks } from '../text/markup.ts';

export interface CollaborationModeText {
  readonly mode: string;
  readonly instructions: string;
}

export const collaborationModeFragment = defineFamily<CollaborationModeText>({
  id: 'collaboration-mode',
  purpose: 'How to work in the mode that the user chose.',
  role: 'developer',
  markers: ['<collaboration_mode>', '</collaboration_mode>'],
  capTokens: 5000,
  section: 'collaboration_mode',
  body: ({ mode, instructions }) => `\nMode: ${withoutLineBreaks(mode)}\n\n${instructions}\n`,
  withdrawn: '\nThe mode described earlier has ended, and what it asked for no longer holds.\n',
});

/** What a mode asks of a model that brings no guidance of its own. The default asks for nothing. */
export function modeGuidance(mode: string): string {
  return mode === 'plan' ? planning : '';
}

const planning = `The user wants a plan before any work. Until the mode changes:
- Look, read and run what helps you understand. Change nothing: no edits, no commits, no commands that write. Commands run without permission to write.
- When something can be read two ways and the choice matters, ask; ask once, with the choices.
- Answer with the plan, once, between a line <proposed_plan> and a line </proposed_plan>: what will change and where, in which order, how it will be checked, and what you are unsure of. Make it complete enough that another developer could carry it out.
- Do not begin the work, even when the plan is clear. The user says when.`;

/** The same for an agent of a thread in the mode: it has a task, and its parent makes the plan. */
export const agentsInPlanMode = `The user wants a plan before any work, and you help to make it. Until the mode changes:
- Look, read and run what helps you with your task. Change nothing: no edits, no commits, no commands that write. Commands run without permission to write.
- If your task asks for a change, do not make it. Answer with what you found out, and with what would have to change.`;
