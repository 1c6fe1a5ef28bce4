import { folderIsGone, groundChanges } from '../../fragments/answers/call-answers.ts';
import { type CommandGround, isSameGround } from '../../policy/command-ground.ts';
import type { Turn } from '../parts/parts.ts';
import { endedBefore } from './ask-in-place.ts';
import { grantAsked, type Granting } from './grant-call.ts';
import type { GrantedCall } from './granted-call.ts';

/** No honest ground changes as often while the user is asked. */
const mostLooks = 4;

export interface GroundToConfirm {
  /** The ground as it is now. */
  look(): Promise<CommandGround | undefined>;
  /** Grants the call as if nothing had been decided. Undefined: nothing is to be done. */
  grant(): Promise<Granting | undefined>;
}

/**
 * What was granted to a call that is about to begin, if its ground is still the one that this was decided on. On another
 * ground it is granted anew: a yes counts for what the question showed. It never becomes wider without a question.
 */
export async function confirmGrant(
  turn: Turn,
  granted: GrantedCall,
  { look, grant }: GroundToConfirm,
): Promise<Granting | undefined> {
  let last = granted;
  for (let looks = 0; looks < mostLooks; looks++) {
    if (last.ground === undefined) return last;
    const ground = await look();
    const ended = last.answer === undefined ? undefined : endedBefore(turn);
    if (ended !== undefined) return grantAsked(turn, ended);
    if (ground !== undefined && isSameGround(last.ground, ground)) return onItsFolder(last);
    const next = await grant();
    if (next?.kind !== 'granted') return next;
    if (next.where === 'outside' && last.where === 'sandbox' && next.answer === undefined) return last;
    last = next;
  }
  return { kind: 'refused', output: groundChanges };
}

/** Outside the sandbox a command starts in the folder that was decided on, or not at all. */
function onItsFolder(granted: GrantedCall): Granting {
  const isGone = granted.leaves === true && granted.ground?.folder === undefined;
  return isGone ? { kind: 'refused', output: folderIsGone } : granted;
}
