import { defined } from '../protocol/defined.ts';
import type { TurnId } from '../protocol/ids.ts';
import { arrayAt, isJsonObject, type JsonObject, objectAt, stringAt } from '../protocol/json.ts';
import { type LineDraft, lineType } from '../protocol/line.ts';
import { readAnswer, textsAt } from './question-fields.ts';

/** What the user allowed for as long as the thread lasts, as the line of the answer says it. */
export interface RecordedGrant {
  /** Of the call that was asked about. */
  readonly callId: string;
  readonly turnId: TurnId;
  readonly about: string;
  readonly scope: 'session' | 'rule';
  readonly keys: readonly string[];
  /** The mark of the policy that it was given under. */
  readonly under?: string;
  /** Proves that this home wrote the line. */
  readonly seal?: string;
}

/** A thread has a handful of them; a file that was made up may hold any number, of any length. */
const mostGrants = 500;
const mostKeys = 100;
const longestKey = 4000;

/** `forked`: the fork may do less than the thread that they were given in. `unproven`: no seal proves that this home wrote them. */
export type GrantsDroppedBecause = 'forked' | 'unproven';

/** A call can be asked about twice, before it runs and for another try; each answer gives a grant of its own. */
type GrantName = Pick<RecordedGrant, 'callId' | 'about'>;

export function isSameGrant(one: GrantName, other: GrantName): boolean {
  return one.callId === other.callId && one.about === other.about;
}

/** The end of one grant, or of all. */
export function grantsDropped(because: GrantsDroppedBecause, grant?: GrantName): LineDraft {
  const name = defined({ call_id: grant?.callId, about: grant?.about });
  return { type: lineType.question, payload: { ...name, dropped: because } };
}

/** The grants after a `capstan_question` line. A line that gives none, or makes no sense, changes nothing. */
export function foldGrant(grants: readonly RecordedGrant[], payload: JsonObject): readonly RecordedGrant[] {
  const callId = stringAt(payload, 'call_id');
  if (payload['dropped'] !== undefined) {
    if (callId === undefined) return grants.length === 0 ? grants : [];
    const about = stringAt(payload, 'about');
    // A line that names the call alone means all of it.
    const left = grants.filter((grant) => !isSameGrant(grant, { callId, about: about ?? grant.about }));
    return left.length === grants.length ? grants : left;
  }
  const given = grantIn(payload);
  if (given === undefined) return grants;
  // A call may be asked about twice, before it runs and when the sandbox stopped it: both answers last.
  return [...grants.filter((grant) => !isSameGrant(grant, given)), given].slice(-mostGrants);
}

function grantIn(payload: JsonObject): RecordedGrant | undefined {
  const answer = readAnswer(objectAt(payload, 'answer'));
  const { scope } = answer ?? {};
  const [callId, turnId, about] = [
    stringAt(payload, 'call_id'),
    stringAt(payload, 'turn_id'),
    stringAt(payload, 'about'),
  ];
  const keys = textsAt(payload, 'keys');
  if (answer?.kind !== 'allowed' || (scope !== 'session' && scope !== 'rule')) return undefined;
  if (callId === undefined || turnId === undefined || about === undefined) return undefined;
  if (keys === undefined || keys.length === 0 || keys.length > mostKeys) return undefined;
  if (keys.some(({ length }) => length > longestKey)) return undefined;
  const [seal, under] = [stringAt(payload, 'seal'), stringAt(payload, 'under')];
  const of = { callId, turnId: turnId as TurnId, about, scope, keys, ...defined({ under }) };
  return seal === undefined || seal === '' ? of : { ...of, seal };
}

/** As a checkpoint carries them: each as the line of its answer. */
export function storeGrants(grants: readonly RecordedGrant[]): readonly JsonObject[] {
  return grants.map(({ callId, turnId, about, scope, keys, under, seal }) => {
    const answer = { kind: 'allowed', scope };
    return { call_id: callId, turn_id: turnId, about, answer, keys, ...defined({ under, seal }) };
  });
}

export function readGrants(carried: JsonObject): readonly RecordedGrant[] {
  const given = (arrayAt(carried, 'grants') ?? []).filter(isJsonObject);
  return given.reduce<readonly RecordedGrant[]>((all, each) => foldGrant(all, each), []);
}
