import { ifAllDefined } from '../../../base/objects.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import { type JsonObject, objectAt, objectsAt, stringAt } from '../../../protocol/json.ts';
import { type LineDraft, lineType } from '../../../protocol/line.ts';
import type { AnswerScope } from '../../../protocol/question.ts';
import { readAnswer, stringListAt } from './question-lines.ts';

/** Permission beyond one call, as in the line of the answer. */
export interface GivenGrant {
  readonly callId: string;
  readonly turnId: TurnId;
  readonly about: string;
  readonly scope?: AnswerScope;
  readonly keys: readonly string[];
  readonly under?: string;
  readonly seal?: string;
}

export type RecordedGrant = GivenGrant & { readonly scope: 'session' | 'rule' };
/** Threads and turns have few; a forged file may hold any number of any length. */
const mostGrants = 500;
const mostKeys = 100;
const longestKey = 4000;
/** `forked`: given in another thread. `unproven`: no seal of this home. `ended`: before a rollback. */
export type GrantsDroppedBecause = 'forked' | 'unproven' | 'ended';
/** A call can be asked about twice, before it runs and for a retry; each answer gives its own grant. */
type GrantName = Pick<GivenGrant, 'callId' | 'about'>;

export const isSameGrant = (one: GrantName, other: GrantName): boolean =>
  one.callId === other.callId && one.about === other.about;

type Grants = readonly RecordedGrant[];

/** Grants after a rollback: those given before the turns that are taken back, and not ended since. */
export const grantsAfterRollback = (then: Grants, now: Grants): Grants =>
  then.filter((grant) => now.some((each) => isSameGrant(each, grant)));

/** For a rollout that continues from the place of `then`: ends again the grants that ended after that place. */
export function endedGrantLines(then: Grants, now: Grants): readonly LineDraft[] {
  const kept = grantsAfterRollback(then, now);
  return then.filter((grant) => !kept.includes(grant)).map((grant) => grantsDroppedLine('ended', grant));
}

export function grantsDroppedLine(because: GrantsDroppedBecause, grant?: GrantName): LineDraft {
  return { type: lineType.question, payload: { call_id: grant?.callId, about: grant?.about, dropped: because } };
}

/** Folds a `capstan_question` line. One that is invalid or gives no grant changes nothing. */
export function foldGrant(grants: Grants, payload: JsonObject): Grants {
  if (payload['dropped'] !== undefined) return withoutDropped(grants, payload);
  const given = grantIn(payload);
  return given !== undefined && isLasting(given) ? withGrant(grants, given) : grants;
}

/** Folds the answer to a request for permissions: its grants hold at least for the turn. */
export function foldTurnGrant(grants: readonly GivenGrant[], payload: JsonObject): readonly GivenGrant[] {
  if (payload['dropped'] !== undefined) return withoutDropped(grants, payload);
  const given = grantIn(payload);
  return given === undefined ? grants : withGrant(grants, given);
}

function withoutDropped<Grant extends GrantName>(grants: readonly Grant[], payload: JsonObject): readonly Grant[] {
  const [callId, about] = [stringAt(payload, 'call_id'), stringAt(payload, 'about')];
  if (callId === undefined) return grants.length === 0 ? grants : [];
  // A line that names only the call means all its grants.
  const left = grants.filter((grant) => !isSameGrant(grant, { callId, about: about ?? grant.about }));
  return left.length === grants.length ? grants : left;
}

const withGrant = <Grant extends GrantName>(grants: readonly Grant[], given: Grant): readonly Grant[] =>
  [...grants.filter((grant) => !isSameGrant(grant, given)), given].slice(-mostGrants);

const isLasting = (given: GivenGrant): given is RecordedGrant => given.scope === 'session' || given.scope === 'rule';

function grantIn(payload: JsonObject): GivenGrant | undefined {
  const answer = readAnswer(objectAt(payload, 'answer'));
  const keys = stringListAt(payload, 'keys') ?? [];
  if (answer?.kind !== 'allowed' || keys.length === 0 || keys.length > mostKeys) return undefined;
  if (keys.some(({ length }) => length > longestKey)) return undefined;
  const callId = stringAt(payload, 'call_id');
  const turnId = stringAt(payload, 'turn_id') as TurnId | undefined;
  const grant = ifAllDefined({ callId, turnId, about: stringAt(payload, 'about'), keys });
  const seal = stringAt(payload, 'seal') || undefined;
  return grant && { ...grant, scope: answer.scope, under: stringAt(payload, 'under'), seal };
}

export function grantsToJson(grants: readonly GivenGrant[]): readonly JsonObject[] {
  return grants.map(({ callId, turnId, about, scope, keys, under, seal }) => {
    return { call_id: callId, turn_id: turnId, about, answer: { kind: 'allowed', scope }, keys, under, seal };
  });
}

export const grantsFromJson = (carried: JsonObject): readonly RecordedGrant[] =>
  objectsAt(carried, 'grants').reduce<Grants>(foldGrant, []);

export const turnGrantsFromJson = (openTurn: JsonObject): readonly GivenGrant[] =>
  objectsAt(openTurn, 'grants').reduce<readonly GivenGrant[]>(foldTurnGrant, []);
