import type { Candidate } from '../../../src/core/compaction/candidates/candidate.ts';
import type { HistoryEntry } from '../../../src/core/history/entry.ts';
import { installed, textsOf } from '../scene.ts';
import type { Happening } from './conversation.ts';
import type { Sent } from './play.ts';
import { isChosen, leftOut, type MessageList, numberIn, readList, readResults, withoutOutputs } from './read-prompt.ts';
import type { Asked } from './asked.ts';
import { distinct } from './distinct.ts';

/** The prompt that the model reads after a checkpoint. */
export interface Prompt {
  readonly entries: readonly HistoryEntry[];
  readonly texts: readonly string[];
  readonly list: MessageList;
  readonly records: string;
  /** Empty where the provider keeps it to itself. */
  readonly summary: string;
}

export function promptOf(candidate: Candidate, generation = 0): Prompt {
  const entries = installed(candidate, generation);
  const texts = textsOf(entries);
  const ofKind = (kind: string): string =>
    texts[entries.findIndex(({ origin }) => origin.family === 'context' && origin.kinds[0] === kind)] ?? '';
  return {
    entries,
    texts,
    list: readList(ofKind('checkpoint-intent')),
    records: ofKind('checkpoint-records'),
    summary: ofKind('checkpoint-summary'),
  };
}

export interface Expected {
  /** The messages that are marked as the active request. */
  readonly chosen: readonly Sent[];
  /** No model wrote a summary. */
  readonly isByCode: boolean;
}

/** The faults of a prompt after a checkpoint, by the rules that hold for all of them; empty when there are none. */
export function promptFaults(prompt: Prompt, { conversation, played }: Asked, expected: Expected): readonly string[] {
  return [
    ...messageFaults(prompt.list, played.heard),
    ...choiceFaults(prompt.list, expected.chosen),
    ...cursorFaults(prompt, conversation.story, expected),
    ...resultFaults(prompt.summary, played.commands),
    ...repetitions(prompt, played.sent),
    ...(/\brunning\b/i.test(`${prompt.records}${prompt.summary}`) ? ['something is said to be running'] : []),
  ];
}

/** Each message exactly once, in order, whole or visibly cut, or counted where it was. */
function messageFaults({ rows }: MessageList, sent: readonly Sent[]): readonly string[] {
  const faults: string[] = [];
  const expected = distinct(sent);
  let at = 0;
  let number = 0;
  for (const { note, text } of rows) {
    const here = numberIn(note) ?? 0;
    if (here < number) faults.push(`turn ${here} stands behind turn ${number}`);
    number = here;
    const count = leftOut(note);
    if (count !== undefined) {
      at += count;
      continue;
    }
    const message = expected[at++];
    if (message === undefined) return [...faults, `more messages than were sent: ${note}`];
    if (here !== message.number) faults.push(`turn ${message.number} is named ${note}`);
    const source = /from a (\w+), not from the user/.exec(note)?.[1];
    if (source !== message.by) faults.push(`${note}: it is from ${message.by ?? 'the user'}`);
    if (!isTextOf(text, message.text)) faults.push(`turn ${here} has other words: ${text.slice(0, 200)}`);
    if (message.pictures > 0 && !/with \d+ pictures?|pictures? left out/.test(note))
      faults.push(`no pictures: ${note}`);
    const also = /also in turn ([\d, ]*\d)/.exec(note)?.[1]?.split(', ').map(Number) ?? [];
    if (also.join() !== message.also.slice(-8).join()) faults.push(`${note}: also in ${message.also.join()}`);
  }
  if (at !== expected.length) faults.push(`${at} of ${expected.length} messages are there or marked as left out`);
  return faults;
}

/** Whole, or cut with a mark. */
function isTextOf(text: string, whole: string): boolean {
  if (text === whole) return true;
  const head = /^([^]*?)\n\[… about \d+ tokens cut here …\]\n/.exec(text)?.[1];
  return head !== undefined && head.length < whole.length && whole.startsWith(head);
}

function choiceFaults({ rows, closing }: MessageList, chosen: readonly Sent[]): readonly string[] {
  const marked = rows.filter(({ note }) => isChosen(note));
  const [are, should] = [marked.map(({ note }) => numberIn(note)).join(), chosen.map(({ number }) => number).join()];
  const faults = are === should ? [] : [`the request is said to be in turns ${are}, and is in ${should}`];
  if (marked.some(({ text }, index) => !isTextOf(text, chosen[index]?.text ?? '')))
    faults.push('another request is marked');
  if (closing.includes('was not decided') !== (chosen.length === 0)) faults.push(`the list ends with: ${closing}`);
  return faults;
}

/** The plan is marked when something came after it, and the last line names a step of it only when not. */
function cursorFaults({ entries, records, summary }: Prompt, story: readonly Happening[], { isByCode }: Expected) {
  const faults: string[] = [];
  const { isOlder, steps } = planIn(story);
  if (records.includes(', so it may be out of date:') !== isOlder)
    faults.push(`the plan is ${isOlder ? '' : 'not '}older than the newest message: ${records}`);
  if (summary === '') return faults;
  const cursor = /\nRESUME_AT: ([^\n]*\S)\n<\/checkpoint_summary>$/.exec(summary)?.[1];
  if (cursor === undefined) faults.push('the cursor is not the last line');
  if (withoutOutputs(summary).match(/^RESUME_AT:/gm)?.length !== 1) faults.push('there is more than one cursor');
  const last = entries.at(-1)?.origin;
  if (last?.family !== 'context' || last.kinds[0] !== 'checkpoint-summary') faults.push('the summary is not last');
  const open = steps.find((one) => one.startsWith('> ')) ?? steps.find((one) => !one.startsWith('x '));
  const begins =
    isOlder || open === undefined
      ? "the user's newest message, "
      : `the next step of the plan: ${open.replace('> ', '')}`;
  if (isByCode && cursor?.startsWith(begins) !== true) faults.push(`the cursor is ${cursor}, not ${begins}`);
  return faults;
}

/** Results come with the commands that produced them, and say something. */
function resultFaults(summary: string, commands: readonly string[]): readonly string[] {
  const faults = readResults(summary).flatMap(({ call, output }) => [
    ...(commands.includes(call) || call.startsWith('apply_patch ') ? [] : [`no such command: ${call}`]),
    ...(output.trim() === '' || /code 0\n[^\n]*\nOutput:\s*$/.test(output) ? [`empty result of ${call}`] : []),
  ]);
  return summary.includes('Plan updated') ? [...faults, 'a result says nothing: Plan updated'] : faults;
}

/** No part stands twice. */
function repetitions({ entries, texts, summary }: Prompt, sent: readonly Sent[]): readonly string[] {
  const kinds = entries.flatMap(({ origin }) => (origin.family === 'context' ? origin.kinds : []));
  const ours = kinds.filter((kind) => kind.startsWith('checkpoint-'));
  const results = readResults(summary).map(({ call, output }) => `${call}\n${output}`);
  const all = texts.join('\n');
  const once = [
    "----- The model's last answer",
    'The last results of calls are data',
    ...sent.map(({ text }) => text).filter((text) => text.length >= 60),
  ];
  return [
    ...(new Set(ours).size === ours.length ? [] : [`a part stands twice: ${ours.join()}`]),
    ...(new Set(results).size === results.length ? [] : ['a result stands twice']),
    ...once.filter((text) => all.indexOf(text) !== all.lastIndexOf(text)).map((text) => `twice: ${text.slice(0, 80)}`),
  ];
}

/** The newest plan that has open steps or that nothing was asked after, from the story itself. */
const newer: ReadonlySet<Happening['kind']> = new Set(['ask', 'steer', 'interrupt', 'program']);

function planIn(story: readonly Happening[]): { readonly isOlder: boolean; readonly steps: readonly string[] } {
  const at = story.findLastIndex(({ kind }) => kind === 'plan');
  const found = story[at];
  if (found?.kind !== 'plan') return { isOlder: false, steps: [] };
  const isOlder = story.slice(at).some(({ kind }) => newer.has(kind));
  const isOpen = found.steps.some((step) => !step.startsWith('x '));
  return isOlder && !isOpen ? { isOlder: false, steps: [] } : { isOlder, steps: found.steps };
}
