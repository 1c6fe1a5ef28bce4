import type { OpenRefused, RolloutStore, Seals } from '../../../ports/thread-store.ts';
import { defined } from '../../../base/objects.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { LineDraft } from '../../../protocol/line.ts';
import { type GivenGrant, grantsDroppedLine, isSameGrant } from '../../../core/state/questions/grants.ts';
import { type Pin, pinSetAsideLine } from '../../../core/state/fold/pinned-notes.ts';
import { reduce } from '../../../core/state/reduce.ts';
import { foldQuestion, withoutTurnGrants } from '../../../core/state/questions/pending-questions.ts';
import { questionDroppedLine, type RecordedQuestion } from '../../../core/state/questions/question-lines.ts';
import {
  sealedGrant,
  sealedMessage,
  sealedPin,
  sealedQuestion,
  withholdEntries,
} from '../../../core/state/line-seals.ts';
import type { ThreadState } from '../../../core/state/thread-state.ts';
import { messageDroppedLine, type WaitingMessage } from '../../../core/state/fold/waiting-messages.ts';
import { isWrittenByThisHome, type ProvingParts } from '../../store/thread-origin.ts';
import { openThread, type ResumedThread } from './resume-thread.ts';

/** Claims in the user's name that no seal of this home proves. No turn uses them and no model sees them. */
export interface UnprovenClaims {
  readonly messages: readonly WaitingMessage[];
  readonly pins: readonly Pin[];
  readonly grants?: readonly GivenGrant[];
  /** Includes questions whose answer is not proven. */
  readonly questions?: readonly RecordedQuestion[];
  /** Why they are left out only for now: then no line ends them. Absent: no key of this store will ever prove them. */
  readonly forNow?: WhyWithheld;
}

export type WhyWithheld =
  | { readonly kind: 'key-unusable'; readonly problem: string }
  /** Another engine of the store may have sealed them with a key that this one lacks. */
  | { readonly kind: 'other-keys' };

const nothingUnproven: UnprovenClaims = { messages: [], pins: [] };

export async function findUnprovenClaims(
  parts: ProvingParts,
  id: ThreadId,
  { meta, waiting, pins, grants, openTurn }: Pick<ThreadState, 'meta' | 'waiting' | 'pins' | 'grants' | 'openTurn'>,
): Promise<UnprovenClaims> {
  const { questions = [], grants: ofTurn = [] } = openTurn ?? {};
  const count = waiting.length + pins.length + grants.length + ofTurn.length + questions.length;
  if (count === 0) return nothingUnproven;
  // Ask before the first check: a key that is repaired meanwhile proves nothing about lines checked without it.
  const forNow = leftOutForNow(parts.seals);
  /** Those of which a claim is not proven. Checks one after the other. */
  const unprovenOf = async <Said>(all: readonly Said[], claims: (said: Said) => ReturnType<typeof sealedQuestion>) => {
    const found: Said[] = [];
    for (const said of all) {
      for (const claim of claims(said))
        if (!found.includes(said) && !(await isWrittenByThisHome(parts, { id, meta }, claim))) found.push(said);
    }
    return found;
  };
  const messages = await unprovenOf(waiting, (message) => [sealedMessage(message)]);
  const notes = await unprovenOf(pins, (pin) => [sealedPin(pin)]);
  const given = await unprovenOf([...grants, ...ofTurn], (grant) => [sealedGrant(grant)]);
  const open = await unprovenOf(questions, sealedQuestion);
  if (messages.length + notes.length + given.length + open.length === 0) return nothingUnproven;
  return {
    messages: messages.map((message) => withoutSeal(message)),
    pins: notes.map((pin) => withoutSeal(pin)),
    ...defined({ grants: unlessNone(given), questions: unlessNone(open), forNow }),
  };
}

const unlessNone = <Said>(all: readonly Said[]): readonly Said[] | undefined => (all.length === 0 ? undefined : all);

function leftOutForNow(seals: Seals): WhyWithheld | undefined {
  const problem = seals.problem();
  if (problem !== undefined) return { kind: 'key-unusable', problem };
  return seals.otherKeys === undefined ? undefined : { kind: 'other-keys' };
}

/** For people and programs: only the file itself needs the seal. */
export function withoutSeal<Said extends object>(recorded: Said & { readonly seal?: string }): Said {
  const { seal: _seal, ...said } = recorded;
  return said as Said;
}

/** Lines that end claims that no key will ever prove. After them every fold decides alike, with or without a key. */
export function linesDroppingClaims({
  messages,
  pins,
  grants = [],
  questions = [],
  forNow,
}: UnprovenClaims): readonly LineDraft[] {
  if (forNow !== undefined) return [];
  return [
    ...messages.map(({ id }) => messageDroppedLine(id, 'unproven')),
    ...pins.map(({ id }) => pinSetAsideLine(id)),
    ...grants.map((grant) => grantsDroppedLine('unproven', grant)),
    ...questions.map(questionDroppedLine),
  ];
}

/** The state with which the thread's next turn begins. Records nothing. */
export async function provenState(parts: ProvingParts, id: ThreadId, state: ThreadState) {
  const unproven = await findUnprovenClaims(parts, id, state);
  return { state: removeUnprovenClaims(state, unproven), unproven };
}

/** Removes unproven claims from the state. Later checkpoints keep the result. */
export function removeUnprovenClaims(
  given: ThreadState,
  { messages, pins, grants = [], questions = [] }: UnprovenClaims,
) {
  if (messages.length + pins.length + grants.length + questions.length === 0) return given;
  const asking = questions.reduce((all, question) => foldQuestion(all, questionDroppedLine(question).payload), given);
  const state = withoutTurnGrants(asking, grants);
  const among = (some: readonly { readonly id: string }[], id: string): boolean => some.some((each) => each.id === id);
  return withholdEntries(state, {
    pins: state.pins.filter(({ id }) => among(pins, id)),
    waiting: state.waiting.filter(({ id }) => among(messages, id)),
    grants: state.grants.filter((grant) => grants.some((each) => isSameGrant(each, grant))),
  });
}

/**
 * Opens a thread for writing, without unproven claims. Lines record the removal, durable with the next ones, unless it
 * is only for now.
 */
export async function openProvenThread(
  parts: ProvingParts & { readonly store: RolloutStore },
  id: ThreadId,
): Promise<(ResumedThread & { readonly unproven: UnprovenClaims }) | OpenRefused> {
  const opened = await openThread(parts.store, id);
  if (opened.kind === 'refused') return opened;
  try {
    const unproven = await findUnprovenClaims(parts, id, opened.state);
    const drafts = linesDroppingClaims(unproven);
    const state = drafts.length === 0 ? opened.state : opened.owned.append(drafts).reduce(reduce, opened.state);
    return {
      ...opened,
      state: unproven.forNow === undefined ? state : removeUnprovenClaims(state, unproven),
      unproven,
    };
  } catch (error) {
    await opened.owned.close();
    throw error;
  }
}
