import { contextBudget } from '../../envelope/context-shares.ts';
import { skillHintFragment } from '../../fragments/events/skill-hint.ts';
import { skillLine } from '../../fragments/sections/skills.ts';
import { estimateTokens } from '../../fragments/text/truncate.ts';
import { entries } from '../../history/history.ts';
import type { UserInput } from '../../protocol/user-input.ts';
import { windowNow } from '../contract/contract-now.ts';
import type { Turn } from '../parts/parts.ts';
import { recordEvent } from './record-context.ts';

/** Where the list of skills had to be cut: what it does not say about those that a message seems to be about. */
export function recordSkillHints(turn: Turn, { text }: UserInput): void {
  const { parts, memory, envelope, log } = turn;
  if (parts.skills === undefined || envelope.modes.leaveOut.includes('skills')) return;
  const { skills: tokens, effective } = windowNow(turn);
  const known = parts.skills.relevant(text, tokens).filter(({ path }) => !memory.givenSkills.has(path));
  if (known.length === 0) return;
  const hinted = hintsIn(log.state);
  let left = contextBudget('skillHints', effective);
  const skills = known.filter((skill) => {
    const weight = estimateTokens(skillLine(skill));
    if (hinted.includes(inItem(skillLine(skill))) || weight > left) return false;
    left -= weight;
    return true;
  });
  if (skills.length > 0) recordEvent(turn, skillHintFragment, { skills });
}

/** What hints that stand in history say. One that was made is not made again. */
function hintsIn({ history }: Turn['log']['state']): string {
  const hints = entries(history).filter(
    ({ origin }) => origin.family === 'context' && origin.kinds.includes(skillHintFragment.id),
  );
  return hints.map(({ item }) => JSON.stringify(item)).join('\n');
}

function inItem(line: string): string {
  return JSON.stringify(line).slice(1, -1);
}
