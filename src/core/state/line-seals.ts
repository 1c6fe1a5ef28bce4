import { defined } from '../../base/objects.ts';
import type { TurnId } from '../../protocol/ids.ts';
import { type Json, type JsonObject, objectAt, stringAt } from '../../protocol/json.ts';
import { type Line, type LineDraft, lineType } from '../../protocol/line.ts';
import { pinSealContent, readPin, type RecordedPin } from './fold/pinned-notes.ts';
import { messageSealContent, readWaitingMessage, type RecordedWaitingMessage } from './fold/waiting-messages.ts';
import { type GivenGrant, isSameGrant, type RecordedGrant } from './questions/grants.ts';
import { answerSealContent, answerIn, questionSealContent, type RecordedQuestion } from './questions/question-lines.ts';

export type SealedClaim = { readonly claim: Json; readonly seal?: string };

/** Owner of the lines. An imported thread gets a new name at its import, so that earlier seals are invalid in it. */
export function sealSubject(threadId: string, meta: JsonObject): string {
  const imported = importNameOf(meta);
  return imported === undefined ? threadId : `${threadId} ${imported}`;
}

export const importNameOf = (meta: JsonObject): string | undefined => stringAt(objectAt(meta, 'capstan'), 'imported');

/** Claim of a fork's first line: lines of the other thread count in this one. */
export function sealedForkIn(meta: JsonObject): SealedClaim | undefined {
  const source = stringAt(meta, 'forked_from_id');
  return source === undefined ? undefined : sealed(['fork', source], stringAt(objectAt(meta, 'capstan'), 'seal'));
}

/** Fields under `capstan` in a first line that every later file of the thread repeats. */
export function lastingMetaFields(meta: JsonObject): JsonObject {
  const { imported, seal } = objectAt(meta, 'capstan') ?? {};
  return defined({ imported, seal });
}

export const sealText = (subject: string, claim: Json): string => JSON.stringify([subject, claim]);

/** Grants of a `turn_context` or of `thread_settings`, equal for both. Undefined if another program wrote them. */
export function sealedGrantsIn(source: JsonObject): SealedClaim | undefined {
  const ours = objectAt(source, 'capstan');
  if (ours === undefined) return undefined;
  const { envelope: _shown, seal: _seal, ...choices } = ours;
  const claim = ['settings', source['cwd'] ?? null, source['approval_policy'] ?? null, choices];
  return sealed(claim, stringAt(ours, 'seal'));
}

export function sealedClaimIn({ type, payload }: Pick<LineDraft, 'type' | 'payload'>): SealedClaim | undefined {
  switch (type) {
    case lineType.turnContext:
      return sealedGrantsIn(payload);
    case lineType.event: {
      const settings = payload['type'] === 'thread_settings_applied' ? objectAt(payload, 'thread_settings') : undefined;
      return settings && sealedGrantsIn(settings);
    }
    case lineType.call:
    case lineType.session:
    case lineType.snapshot: {
      if (type !== lineType.snapshot && payload['process'] === undefined) return undefined;
      const { seal: _seal, ...rest } = payload;
      return sealed([type, rest], stringAt(payload, 'seal'));
    }
    case lineType.pin: {
      const pin = readPin(payload);
      return pin && sealedPin(pin);
    }
    case lineType.question: {
      const [callId, turnId, answer] = [stringAt(payload, 'call_id'), stringAt(payload, 'turn_id'), answerIn(payload)];
      const about = stringAt(payload, 'about');
      if (callId === undefined || turnId === undefined || about === undefined) return undefined;
      const question = { callId, turnId: turnId as TurnId, about };
      if (payload['answer'] === undefined) return sealed(questionSealContent(question), stringAt(payload, 'seal'));
      return answer && sealed(answerSealContent(question, answer), answer.seal);
    }
    case lineType.waiting: {
      const message = readWaitingMessage(payload);
      return message && sealedMessage(message);
    }
    default:
      return undefined;
  }
}

export const sealedPin = (pin: RecordedPin): SealedClaim => sealed(pinSealContent(pin), pin.seal);

export function sealedQuestion({ answer, ...question }: RecordedQuestion): readonly SealedClaim[] {
  const claims = [sealed(questionSealContent(question), question.seal)];
  return answer === undefined ? claims : [...claims, sealed(answerSealContent(question, answer), answer.seal)];
}

export const sealedGrant = (grant: GivenGrant): SealedClaim =>
  sealed(answerSealContent(grant, { ...grant, kind: 'allowed' }), grant.seal);

export const sealedMessage = (message: RecordedWaitingMessage): SealedClaim =>
  sealed(messageSealContent(message), message.seal);
const sealed = (claim: Json, seal: string | undefined): SealedClaim => ({ claim, seal });

/** True for a draft that repeats a line that was read: it keeps that line's seal, even an empty one. */
export function hasSealField({ type, payload }: Pick<LineDraft, 'type' | 'payload'>): boolean {
  const source = type === lineType.turnContext ? payload : appliedIn({ type, payload });
  return stringAt(source === undefined ? payload : objectAt(source, 'capstan'), 'seal') !== undefined;
}

const appliedIn = ({ type, payload }: Pick<LineDraft, 'type' | 'payload'>): JsonObject | undefined =>
  type === lineType.event ? objectAt(payload, 'thread_settings') : undefined;

export function repeatedDraft({ type, payload, metadata }: Line): LineDraft {
  const draft = { type, payload, metadata };
  return sealedClaimIn(draft) === undefined || hasSealField(draft) ? draft : withSeal(draft, '');
}

export function withSeal(draft: LineDraft, seal: string): LineDraft {
  const { type, payload } = draft;
  if (type === lineType.turnContext) return { ...draft, payload: sealedSource(payload, seal) };
  const settings = appliedIn(draft);
  const sealedPart = settings === undefined ? { seal } : { thread_settings: sealedSource(settings, seal) };
  return { ...draft, payload: { ...payload, ...sealedPart } };
}

export function sealedSource(source: JsonObject, seal: string): JsonObject {
  return { ...source, capstan: { ...objectAt(source, 'capstan'), seal } };
}

/** Settings as drafted: equal ones stay equal when one is sealed. */
export function withoutSeal(settings: JsonObject | undefined): JsonObject | undefined {
  const ours = objectAt(settings, 'capstan');
  if (ours?.['seal'] === undefined) return settings;
  const { seal: _seal, ...rest } = ours;
  return { ...settings, capstan: rest };
}

/** Entries whose owner a writer cannot prove now. Checkpoints carry them; a writer with the proof restores them. */
export interface WithheldEntries {
  readonly pins: readonly RecordedPin[];
  readonly waiting: readonly RecordedWaitingMessage[];
  readonly grants: readonly RecordedGrant[];
}

type Recorded = WithheldEntries & { readonly withheld?: WithheldEntries };

/** Each fold applies this again, because a line such as a checkpoint may bring them back. */
export function withholdEntries<State extends Recorded>(state: State, withheld: WithheldEntries | undefined): State {
  if (withheld === undefined) return state;
  return {
    ...state,
    pins: without(state.pins, withheld.pins),
    waiting: without(state.waiting, withheld.waiting),
    grants: state.grants.filter((grant) => !withheld.grants.some((each) => isSameGrant(each, grant))),
    withheld,
  };
}

/** Content of a checkpoint, including withheld entries, in order of arrival. */
export function withWithheldEntries({ pins, waiting, grants, withheld }: Recorded): WithheldEntries {
  if (withheld === undefined) return { pins, waiting, grants };
  return {
    pins: [...withheld.pins, ...pins],
    waiting: [...withheld.waiting, ...waiting],
    grants: [...withheld.grants, ...grants],
  };
}

const without = <Said extends { readonly id: string }>(all: readonly Said[], some: readonly Said[]): readonly Said[] =>
  all.filter(({ id }) => !some.some((each) => each.id === id));
