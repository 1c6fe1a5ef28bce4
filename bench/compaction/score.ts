import { historyEntries, type History } from '../../src/core/history/history.ts';
import { messagesOfUser } from '../../src/core/history/user-words.ts';
import { isMessage, type Item } from '../../src/protocol/item.ts';
import { type Probe, type ProbeKind, probeKinds, type Transcript } from './transcript.ts';

export interface Found {
  readonly found: number;
  readonly of: number;
}

/** The facts of a transcript that a checkpoint still holds. Nothing is judged: texts are searched. */
export interface Score {
  readonly kinds: Readonly<Record<ProbeKind, Found>>;
  /** The facts that were not found. */
  readonly missing: readonly string[];
  /** `named`: the message that defines the task is there word for word, and the checkpoint names it as the task. */
  readonly task: 'named' | 'there' | 'lost';
  /** Messages that the checkpoint gives as the user's, and that the user never said. */
  readonly forged: number;
  readonly pictures: Found;
}

export function scoreOf(transcript: Transcript, history: History): Score {
  const texts = historyEntries(history).map(({ item }) => textOf(item));
  const isThere = (probe: Probe): boolean => texts.some((text) => holds(text, probe));
  const kinds = Object.fromEntries(
    probeKinds.map((kind) => {
      const own = transcript.probes.filter((probe) => probe.kind === kind);
      return [kind, { found: own.filter(isThere).length, of: own.length }];
    }),
  ) as Score['kinds'];
  const said = transcript.stretches.flat();
  const words = messagesOfUser(history);
  const task = words.find(({ text }) => text === transcript.task);
  const images = historyEntries(history).flatMap(({ item }) => (isMessage(item) ? item.content : []));
  return {
    kinds,
    missing: transcript.probes.filter((probe) => !isThere(probe)).map(({ fact }) => fact),
    task: task === undefined ? 'lost' : task.task ? 'named' : 'there',
    forged: words.filter(({ text, cut }) => !cut && !said.some((one) => one.words === text)).length,
    pictures: {
      found: images.filter(({ type }) => type === 'input_image').length,
      of: said.reduce((sum, { pictures = 0 }) => sum + pictures, 0),
    },
  };
}

/** True if a text says a fact. Case and white space do not count. */
export function holds(text: string, { fact, form }: Pick<Probe, 'fact' | 'form'>): boolean {
  if (form === 'exact') return squeezed(text).includes(squeezed(fact));
  const there = wordsOf(text);
  return [...wordsOf(fact)].every((word) => there.has(word));
}

function squeezed(text: string): string {
  return text.replaceAll(/\s+/g, ' ').toLowerCase();
}

/** Words, numbers and paths, without the signs around them. */
function wordsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_./-]*/gu) ?? [];
  return new Set(words.map((word) => word.replace(/[./-]+$/, '')));
}

function textOf(item: Item): string {
  if (isMessage(item)) return item.content.map(({ text }) => (typeof text === 'string' ? text : '')).join('\n');
  return typeof item['output'] === 'string' ? item['output'] : '';
}
