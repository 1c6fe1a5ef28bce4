import { grouped } from '../../protocol/grouped.ts';
import { contextBudget, mostOfSkill } from '../../envelope/context-shares.ts';
import { splitBudget } from '../../envelope/split-budget.ts';
import { pluginHintFragment } from '../../fragments/events/plugin-hint.ts';
import { skillBodyFragment } from '../../fragments/events/skill-body.ts';
import { cutText } from '../../fragments/text/cut-text.ts';
import { estimateTokens } from '../../fragments/text/truncate.ts';
import type { NamedSkill, NamedSkills } from '../../ports/skills.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { UserInput } from '../../protocol/user-input.ts';
import { windowNow } from '../contract/contract-now.ts';
import type { Turn } from '../parts/parts.ts';
import { warnOnce } from '../parts/warn-once.ts';
import { recordEvent } from './record-context.ts';

/** Less of a skill is of no use. */
const leastTokens = 100;

/** Reads the skills that waiting words of the user name: what a message brings along is recorded with it, at once. */
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

/** What a message names enters history behind it, each skill once in a turn. */
export function recordNamedSkills(turn: Turn, { text }: UserInput): void {
  const { memory } = turn;
  const named = memory.namedSkills.get(text);
  if (named === undefined) return;
  for (const problem of named.problems) warnOnce(turn, problem, 'message');
  recordNamedPlugins(turn, named);
  const fresh = named.skills.filter(({ path }) => !memory.givenSkills.has(path));
  if (fresh.length === 0) return;
  const budget = contextBudget('namedSkills', windowNow(turn).effective);
  const left = budget - sum([...memory.givenSkills.values()]);
  const wanted = fresh.map(({ contents }) => Math.min(mostOfSkill, estimateTokens(contents)));
  const shares = splitBudget(wanted, left, leastTokens);
  for (const [index, skill] of fresh.entries()) {
    const contents = fitting(skill, shares[index] ?? 0);
    const isWhole = contents === skill.contents;
    if (!isWhole) warnOnce(turn, cutSkill(skill, contents, Math.min(mostOfSkill, budget)), 'message');
    memory.givenSkills.set(skill.path, estimateTokens(contents));
    recordEvent(turn, skillBodyFragment, { ...skill, contents, ...(isWhole ? {} : { isCut: true }) });
  }
}

/** What belongs to a plugin that a message names. One that brings nothing is not worth a word. */
function recordNamedPlugins(turn: Turn, { plugins }: NamedSkills): void {
  for (const { name, skillPrefix } of plugins) {
    const key = `plugin ${name}`;
    if (skillPrefix === undefined || turn.memory.givenSkills.has(key)) continue;
    turn.memory.givenSkills.set(key, 0);
    recordEvent(turn, pluginHintFragment, { name, skillPrefix, apps: [], servers: [] });
  }
}

/** As much of a skill as there is space for. */
function fitting({ contents }: NamedSkill, tokens: number): string {
  if (estimateTokens(contents) <= tokens) return contents;
  return tokens === 0 ? '' : cutText(contents, tokens);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** `most`: what it would get if no other one were named. */
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
    message: `The skill ${name} is too long: a skill has at most ${grouped(most)} tokens of this context window. The model ${got}.`,
    next: `The model can read ${rest} itself. Shorten ${path}, or name fewer skills.`,
  };
}
