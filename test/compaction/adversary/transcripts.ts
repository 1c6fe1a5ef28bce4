import { answer, callTool, type ItemDraft, say, type ScriptStep } from '../../../src/testing/index.ts';

/** The conversation before a compaction. */
export interface Transcript {
  readonly name: string;
  readonly rounds: readonly Round[];
  /** The request that is being worked on. */
  readonly task: string;
  /** A message that a model could take for the request instead. */
  readonly other?: string;
}

export type Round =
  /** The user speaks, the model makes so many calls and answers. */
  | { readonly says: string; readonly calls: number }
  /** A caller asks for a checkpoint, and the model does as it is told. */
  | 'checkpoint';

const port = `Port the scanner in src/scan.ts from regular expressions to a loop by hand.
  - Keep every test of test/scan.test.ts as it is.
  - "Tokens" stay {kind, text, at}; a tab counts as 1, not as 8 — naïve counting is fine ✔
Do not touch the public interface!`;
const lineEnds = 'One more thing about the scanner: \\r\\n is one line end, and it must not count as two of them.';
const question = 'By the way, who came up with the name "lexeme" for this kind of thing, and when was that?';
const cache = `Make the cache in src/cache.ts forget what is older than ten minutes.
It must not keep the process alive: unref its timer.`;
const docs = 'Please write docs/guide.md anew as a tutorial in five chapters, with an example for each of them.';

const work: Round = { says: port, calls: 4 };

export const transcripts = {
  work: { name: 'work in progress', rounds: [work, { says: lineEnds, calls: 2 }], task: port },
  question: {
    name: 'a question in passing after the work',
    rounds: [work, { says: lineEnds, calls: 2 }, { says: question, calls: 0 }],
    task: port,
    other: question,
  },
  twoTasks: {
    name: 'two open tasks',
    rounds: [work, { says: cache, calls: 3 }, { says: lineEnds, calls: 1 }],
    task: cache,
    other: port,
  },
  undecidable: {
    name: 'a request on which no work has begun',
    rounds: [work, { says: lineEnds, calls: 2 }, { says: docs, calls: 0 }],
    task: port,
    other: docs,
  },
  checkpoints: {
    name: 'a thread with checkpoints',
    rounds: [work, 'checkpoint', { says: lineEnds, calls: 2 }, 'checkpoint', { says: question, calls: 0 }],
    task: port,
    other: question,
  },
} as const satisfies Readonly<Record<string, Transcript>>;

export function saidIn({ rounds }: Transcript): readonly string[] {
  return rounds.flatMap((round) => (round === 'checkpoint' ? [] : [round.says]));
}

/** The steps of the model in a round: its calls, then an answer. */
export function stepsOf({ calls }: Exclude<Round, 'checkpoint'>, place: number): readonly ScriptStep[] {
  const items = Array.from({ length: calls }, (_, number): ItemDraft =>
    callTool('exec_command', { cmd: `look ${place}.${number}` }),
  );
  const last = answer({ items: [say(`Answer ${place}: ${notes(place, 6000)}`)] });
  return calls === 0 ? [last] : [answer({ items }), last];
}

/** Prose of about so many characters that says the same nowhere. */
export function notes(seed: number, length: number): string {
  let text = '';
  for (let line = 1; text.length < length; line++) {
    text += `In pass ${seed}.${line} function f${seed * 1000 + line} read ${line * 7} lines and left ${line % 5}.\n`;
  }
  return text;
}
