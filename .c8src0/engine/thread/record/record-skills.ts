import { contextBudget, mostSkillTokens } from '../../../core/envelope/window.ts';
import { pluginHintFragment, skillBodyFragment } from '../../../core/fragments/events/hooks-skills-and-plugins.ts';
import { cutText, splitBudget } from '../../../core/fragments/text/cut-and-fence-text.ts';
import { estimateTokens } from '../../../core/fragments/text/truncate.ts';
import type { HistoryEntry } from '../../../core/history/entry.ts';
import { historyEntries } from '../../../core/history/history.ts';
import { skillHintFragment, skillLine } from '../../../core/world/sections/skills.ts';
import type { NamedSkill, NamedSkills } from '../../../ports/skills.ts';
import { groupDigits, type Outcome } from '../../../protocol/outcome.ts';
import type { UserInput } from '../../../protocol/user-input.ts';
import { contextWindowNow } from '../context/turn-contract.ts';
import type { Turn } from '../thread-parts.ts';
import { warnOnce } from '../log.ts';
import { recordEvent } from './record-context.ts';

const leastTokens = 100;

/** Reads the skills named in waiting words of the user: they must be recorded together with the message, at once. */
export async function readNamedSkills({ parts: { skills }, inbox, memory }: Turn): Promise<void> {
  if (skills === undefined) return;
  for (;;) {
    const said = inbox.waiting.flatMap((mail) => (mail.kind === 'words' ? [mail.input] : []));
    const texts = said.filter(({ author }) => author === 'user').map(({ text }) => text);
    const text = texts.find((each) => /[$@]/.test(each) && !memory.namedSkills.has(each));
    if (text === undefined) return;
    memory.namedSkills.set(text, await skills.named(text));
  }
}

/** Skills named in a message follow it in history, each once in a turn. */
export function recordNamedSkills(turn: Turn, { text }: UserInput): void {
  const { memory } = turn;
  const named = memory.namedSkills.get(text);
  if (named === undefined) return;
  for (const problem of named.problems) warnOnce(turn, problem, 'message');
  recordNamedPlugins(turn, named);
  const fresh = named.skills.filter(({ path }) => !memory.givenSkills.has(path));
  if (fresh.length === 0) return;
  const budget = contextBudget('namedSkills', contextWindowNow(turn).effective);
  const left = budget - memory.givenSkills.values().reduce((total, each) => total + each, 0);
  const wanted = fresh.map(({ contents }) => Math.min(mostSkillTokens, estimateTokens(contents)));
  const shares = splitBudget(wanted, left, leastTokens);
  for (const [index, skill] of fresh.entries()) {
    const share = shares[index] ?? 0;
    const isWhole = estimateTokens(skill.contents) <= share;
    const contents = isWhole ? skill.contents : share === 0 ? '' : cutText(skill.contents, share);
    if (!isWhole) warnOnce(turn, cutSkill(skill, contents, Math.min(mostSkillTokens, budget)), 'message');
    memory.givenSkills.set(skill.path, estimateTokens(contents));
    recordEvent(turn, skillBodyFragment, { ...skill, contents, ...(!isWhole && { isCut: true }) });
  }
}

/** Records the contents of plugins that a message names. Empty ones are not reported. */
function recordNamedPlugins(turn: Turn, { plugins }: NamedSkills): void {
  for (const { name, skillPrefix } of plugins) {
    const key = `plugin ${name}`;
    if (skillPrefix === undefined || turn.memory.givenSkills.has(key)) continue;
    turn.memory.givenSkills.set(key, 0);
    recordEvent(turn, pluginHintFragment, { name, skillPrefix, apps: [], servers: [] });
  }
}

/** `most`: its space if no other skill were named. */
function cutSkill({ name, path, contents: whole }: NamedSkill, contents: string, most: number): Outcome<'skill-cut'> {
  const got = contents === '' ? 'did not get it' : 'got its beginning and its end';
  const rest = contents === '' ? 'it' : 'the rest';
  if (estimateTokens(whole) <= most) {
    const space = contents === '' ? 'no space' : 'too little space';
    return {
      code: 'skill-cut',
      message: `The skill ${name} has ${space} beside the other skills of this turn. The model ${got}.`,
      next: `The model can read ${rest} itself. Name fewer skills in one turn, or shorten the longest ones.`,
    };
  }
  return {
    code: 'skill-cut',
    message: `The skill ${name} is too long: a skill has at most ${groupDigits(most)} tokens of this context window. The model ${got}.`,
    next: `The model can read ${rest} itself. Shorten ${path}, or name fewer skills.`,
  };
}

/** Adds what a cut list of skills lacks about those that a message seems to concern. */
export function recordSkillHints(turn: Turn, { text }: UserInput): void {
  const { parts, memory, envelope, log } = turn;
  if (parts.skills === undefined || envelope.modes.leaveOut.includes('skills')) return;
  const { skills: tokens, effective } = contextWindowNow(turn);
  const known = parts.skills.relevant(text, tokens).filter(({ path }) => !memory.givenSkills.has(path));
  if (known.length === 0) return;
  const isHint = ({ origin }: HistoryEntry): boolean =>
    origin.family === 'context' && origin.kinds.includes(skillHintFragment.id);
  const hinted = JSON.stringify(
    historyEntries(log.state.history)
      .filter(isHint)
      .map(({ item }) => item),
  );
  let left = contextBudget('skillHints', effective);
  const skills = known.filter((skill) => {
    const line = skillLine(skill);
    const weight = estimateTokens(line);
    if (hinted.includes(JSON.stringify(line).slice(1, -1)) || weight > left) return false;
    left -= weight;
    return true;
  });
  if (skills.length > 0) recordEvent(turn, skillHintFragment, { skills });
}
