import {
  type Candidate,
  type FaultyAnswer,
  isFaultyAnswer,
} from '../../../src/core/compaction/candidates/candidate.ts';
import { mechanicalCandidate, remoteCandidate } from '../../../src/core/compaction/candidates/build-candidate.ts';
import { plainCandidate, structuredCandidate } from '../../../src/core/compaction/candidates/written-candidate.ts';
import type { Item } from '../../../src/protocol/item.ts';
import { answerOf, planOf, sourceOf } from '../scene.ts';
import type { Asked } from './asked.ts';
import type { Conversation } from './conversation.ts';
import type { Played, Sent } from './play.ts';

export interface Summariser {
  readonly name: string;
  /** The strategy by which it is asked; `mechanical`: it is not asked. */
  readonly strategy: 'structured' | 'plain' | 'remote' | 'mechanical';
  /** Which messages it chooses as the active request. */
  readonly chooses: 'active' | 'wrong' | 'nothing';
  /** True if its text is in the checkpoint, for later ones to carry on. */
  readonly writes: boolean;
  /** True if code adds the ends of the work. */
  readonly isThin: boolean;
  /** Its answer: a text, or the items of a provider that makes the checkpoint itself. */
  readonly answer: (asked: Asked) => string | readonly Item[];
  readonly checkpoint: (asked: Asked) => Candidate;
}

const why = { code: 'model_failed', message: 'the provider refused', next: 'Try again.' };
const sealed: Item = { type: 'compaction', id: 'cmp_1', encrypted_content: 'c2VhbGVk' };

/** Enough that code takes it for a summary. */
const notes = `The repository is checked out in /repo on the branch main, and the working tree has only the changes that are named here. Tests are started from the root, and they need no network. The code follows the style of the files around it: small modules, named exports, errors as values. What was tried and given up: a larger rewrite, because it would have touched the public surface, and a new dependency, because it would have to be reviewed first. Nothing of that is left in the tree. Open points are listed in the order in which they should be taken up, and none of them blocks another one.`;

function goodSummary({ done, next }: Pick<Conversation, 'done' | 'next'>): string {
  return `${done}\n${notes}\nRESUME_AT: ${next}`;
}

/** The summary as a later checkpoint carries it on: its last line no longer says where to continue. */
export function carriedSummary(conversation: Pick<Conversation, 'done' | 'next'>): string {
  return goodSummary(conversation).replace('\nRESUME_AT:', '\n(at that time) RESUME_AT:');
}

/** The next step of a summariser that is wrong. */
export const wrongNext = 'put paper into the printer';
const wrongSummary = `The tax report of 2019 was to be printed on the large printer. ${notes.replaceAll('repository', 'printer')}\nRESUME_AT: ${wrongNext}`;

/** A message without words is quoted by the name of its picture. */
const requestOf = (messages: readonly Sent[]): string =>
  messages.map(({ text }) => (text === '' ? '[Image #1]' : text)).join('\n\n');
/** The text of a structured answer beside its blocks. */
export const notedContext = 'Paths: /repo';
const thinLine = 'Half of it is done.';

const garbage = 'the '.repeat(8000);

export const summarisers: readonly Summariser[] = [
  structured('structured, good', 'active', ({ conversation }) => goodSummary(conversation)),
  structured('structured, thin', 'active', ({ conversation }) => `${thinLine}\nRESUME_AT: ${conversation.next}`),
  structured('structured, wrong', 'wrong', () => wrongSummary),
  failed('structured, failed', 'structured', garbage),
  plain('plain, good', ({ conversation }) => goodSummary(conversation)),
  plain('plain, thin', ({ conversation }) => conversation.done),
  plain('plain, wrong', () => wrongSummary),
  failed('plain, failed', 'plain', ''),
  {
    name: 'remote, good',
    strategy: 'remote',
    chooses: 'nothing',
    writes: false,
    isThin: false,
    answer: () => [sealed],
    checkpoint: (asked) => usable(candidateOf('remote', asked, [sealed])),
  },
  failed('remote, failed', 'remote', []),
  failed('mechanical', 'mechanical', ''),
];

/** By name; a test that asks for another one is wrong. */
export function summariser(name: string): Summariser {
  return summarisers.find((one) => one.name === name)!;
}

function planFor({ played, conversation }: Pick<Asked, 'played' | 'conversation'>) {
  const { budget } = conversation;
  return { ...planOf(budget === undefined ? {} : { words: budget }), number: played.number };
}

function sourceFor({ entries, work }: Played) {
  return sourceOf(entries, work);
}

function usable(result: Candidate | FaultyAnswer): Candidate {
  if (isFaultyAnswer(result)) throw new Error(result.faults.join(' '));
  return result;
}

/** The candidate that code makes of an answer. */
function candidateOf(
  strategy: Summariser['strategy'],
  asked: Asked,
  answer: string | readonly Item[],
): Candidate | FaultyAnswer {
  const [plan, source] = [planFor(asked), sourceFor(asked.played)];
  if (typeof answer !== 'string') return remoteCandidate(plan, source, answer, 'stream');
  if (strategy === 'structured') return structuredCandidate(plan, source, answer);
  return strategy === 'plain' ? plainCandidate(plan, source, answer) : { kind: 'faulty', faults: [] };
}

function structured(name: string, chooses: 'active' | 'wrong', summary: (asked: Asked) => string): Summariser {
  const answer = (asked: Asked): string => {
    const { active, wrong, played } = asked;
    const request = requestOf(chooses === 'active' ? active : wrong === undefined ? [] : [wrong]);
    const recent = played.sent.slice(-3).map(({ text }) => text);
    return answerOf({ context: notedContext, request, recent, summary: summary(asked) });
  };
  const checkpoint = (asked: Asked): Candidate => usable(candidateOf('structured', asked, answer(asked)));
  return { name, strategy: 'structured', chooses, writes: true, isThin: name.endsWith('thin'), answer, checkpoint };
}

function plain(name: string, answer: (asked: Asked) => string): Summariser {
  const checkpoint = (asked: Asked): Candidate => usable(candidateOf('plain', asked, answer(asked)));
  const isThin = name.endsWith('thin');
  return { name, strategy: 'plain', chooses: 'nothing', writes: true, isThin, answer, checkpoint };
}

/** An answer that cannot be used, after which code makes the checkpoint alone. */
function failed(name: string, strategy: Summariser['strategy'], given: string | readonly Item[]): Summariser {
  const checkpoint = (asked: Asked): Candidate => {
    if (!isFaultyAnswer(candidateOf(strategy, asked, given))) throw new Error(`${name}: the answer was taken`);
    return mechanicalCandidate(planFor(asked), sourceFor(asked.played), why);
  };
  return { name, strategy, chooses: 'nothing', writes: false, isThin: true, answer: () => given, checkpoint };
}
