import { contextBudget, mostOfSkill } from '../../envelope/context-shares.ts';
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
  for (const skill of named.skills) {
    if (memory.givenSkills.has(skill.path)) continue;
    const left = contextBudget('namedSkills', windowNow(turn).effective) - sum([...memory.givenSkills.values()]);
    const contents = fitting(skill, Math.min(mostOfSkill, left));
    const isWhole = contents === skill.contents;
    if (!isWhole) warnOnce(turn, cutSkill(skill, contents), 'message');
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

/** As much of a skill as there is space for; nothing where that would be too little. */
function fitting({ contents }: NamedSkill, tokens: number): string {
  if (estimateTokens(contents) <= tokens) return contents;
  return tokens < leastTokens ? '' : cutText(contents, tokens);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function cutSkill({ name, path }: NamedSkill, contents: string): Outcome<'skill-cut'> {
  const got = contents === '' ? 'did not get it' : 'got its beginning and its end';
  const message = `The skill ${name} is too long for the context window. The model ${got}.`;
  return {
    code: 'skill-cut',
    message,
    next: `The model can read the rest itself. Shorten ${path}, or name fewer skills.`,
  };
}
