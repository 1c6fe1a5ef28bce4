import { defined } from '../../../base/objects.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import { arrayAt, isJsonObject, type JsonObject, objectAt, stringAt } from '../../../protocol/json.ts';
import { type LineDraft, lineType } from '../../../protocol/line.ts';
import type { AnswerScope } from '../../../protocol/question.ts';
import { readAnswer, textsAt } from './question-lines.ts';

/** What the user allowed beyond one call, as the line of the answer says it. */
export interface GivenGrant {
  /** Of the call that was asked about. */
  readonly callId: string;
  readonly turnId: TurnId;
  readonly about: string;
  readonly scope?: AnswerScope;
  readonly keys: readonly string[];
  /** The mark of the policy that it was given under. */
  readonly under?: string;
  /** Proves that this home wrote the line. */
  readonly seal?: string;
}

/** The same for as long as the thread lasts. */
export interface RecordedGrant extends GivenGrant {
  readonly scope: 'session' | 'rule';
}

/** A thread has a handful of them, and so has a turn; a file that was made up may hold any number, of any length. */
const mostGrants = 500;
const mostKeys = 100;
const longestKey = 4000;

/** `forked`: they were given in another thread. `unproven`: no seal proves that this home wrote them. `ended`: they had ended before a rollback. */
export type GrantsDroppedBecause = 'forked' | 'unproven' | 'ended';

/** A call can be asked about twice, before it runs and for another try; each answer gives a grant of its own. */
type GrantName = Pick<GivenGrant, 'callId' | 'about'>;

export function isSameGrant(one: GrantName, other: GrantName): boolean {
  return one.callId === other.callId && one.about === other.about;
}

/** After a rollback: what was given before the turns that are taken back, and has not ended since. */
export function grantsAfterRollback(
  then: readonly RecordedGrant[],
  now: readonly RecordedGrant[],
): readonly RecordedGrant[] {
  return then.filter((grant) => now.some((each) => isSameGrant(each, grant)));
}

/** The same for a rollout that begins at that place: what ended behind it ends again. */
export function grantsEnded(then: readonly RecordedGrant[], now: readonly RecordedGrant[]): readonly LineDraft[] {
  const kept = grantsAfterRollback(then, now);
  return then.filter((grant) => !kept.includes(grant)).map((grant) => grantsDropped('ended', grant));
}

/** The end of one grant, or of all. */
export function grantsDropped(because: GrantsDroppedBecause, grant?: GrantName): LineDraft {
  const name = defined({ call_id: grant?.callId, about: grant?.about });
  return { type: lineType.question, payload: { ...name, dropped: because } };
}

/** The grants after a `capstan_question` line. A line that gives none, or makes no sense, changes nothing. */
export function foldGrant(grants: readonly RecordedGrant[], payload: JsonObject): readonly RecordedGrant[] {
  if (payload['dropped'] !== undefined) return withoutDropped(grants, payload);
  const given = grantIn(payload);
  return given !== undefined && isLasting(given) ? withGrant(grants, given) : grants;
}

/** The grants of a turn after the answer to a request for permissions: these hold for the turn at least. */
export function foldTurnGrant(grants: readonly GivenGrant[], payload: JsonObject): readonly GivenGrant[] {
  if (payload['dropped'] !== undefined) return withoutDropped(grants, payload);
  const given = grantIn(payload);
  return given === undefined ? grants : withGrant(grants, given);
}

function withoutDropped<Grant extends GrantName>(grants: readonly Grant[], payload: JsonObject): readonly Grant[] {
  const [callId, about] = [stringAt(payload, 'call_id'), stringAt(payload, 'about')];
  if (callId === undefined) return grants.length === 0 ? grants : [];
  // A line that names the call alone means all of it.
  const left = grants.filter((grant) => !isSameGrant(grant, { callId, about: about ?? grant.about }));
  return left.length === grants.length ? grants : left;
}

/** A call may be asked about twice, before it runs and when the sandbox stopped it: both answers last. */
function withGrant<Grant extends GrantName>(grants: readonly Grant[], given: Grant): readonly Grant[] {
  return [...grants.filter((grant) => !isSameGrant(grant, given)), given].slice(-mostGrants);
}

function isLasting(given: GivenGrant): given is RecordedGrant {
  return given.scope === 'session' || given.scope === 'rule';
}

function grantIn(payload: JsonObject): GivenGrant | undefined {
  const answer = readAnswer(objectAt(payload, 'answer'));
  const [callId, turnId, about] = [
    stringAt(payload, 'call_id'),
    stringAt(payload, 'turn_id'),
    stringAt(payload, 'about'),
  ];
  const keys = textsAt(payload, 'keys');
  if (answer?.kind !== 'allowed') return undefined;
  if (callId === undefined || turnId === undefined || about === undefined) return undefined;
  if (keys === undefined || keys.length === 0 || keys.length > mostKeys) return undefined;
  if (keys.some(({ length }) => length > longestKey)) return undefined;
  const [seal, under] = [stringAt(payload, 'seal'), stringAt(payload, 'under')];
  const of = {
    callId,
    turnId: turnId as TurnId,
    about,
    ...defined({ scope: answer.scope }),
    keys,
    ...defined({ under }),
  };
  return seal === undefined || seal === '' ? of : { ...of, seal };
}

/** As a checkpoint carries them: each as the line of its answer. */
export function storeGrants(grants: readonly GivenGrant[]): readonly JsonObject[] {
  return grants.map(({ callId, turnId, about, scope, keys, under, seal }) => {
    const answer = { kind: 'allowed', ...defined({ scope }) };
    return { call_id: callId, turn_id: turnId, about, answer, keys, ...defined({ under, seal }) };
  });
}

export function readGrants(carried: JsonObject): readonly RecordedGrant[] {
  return carriedIn(carried).reduce<readonly RecordedGrant[]>((all, each) => foldGrant(all, each), []);
}

/** Those of the turn that was open. */
export function readTurnGrants(openTurn: JsonObject): readonly GivenGrant[] {
  return carriedIn(openTurn).reduce<readonly GivenGrant[]>((all, each) => foldTurnGrant(all, each), []);
}

function carriedIn(value: JsonObject): readonly JsonObject[] {
  return (arrayAt(value, 'grants') ?? []).filter(isJsonObject);
}
