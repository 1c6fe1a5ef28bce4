import { isJsonObject, type Json, type JsonObject, parseJson } from '../../../protocol/json.ts';
import { authorizationLevels, type Question, type ReviewVerdict, riskLevels } from '../../../protocol/question.ts';
import { type Grant, type GrantedPermissions, isGrantText, parseGrantKey, permissionsOf } from '../grants/grants.ts';

/** `why`: for people who investigate it. */
export type ParsedVerdict =
  | { readonly kind: 'verdict'; readonly verdict: ReviewVerdict }
  | { readonly kind: 'unreadable'; readonly why: string };

/** An answer is a few lines; searching more than this for an object is useless. */
const longestAnswer = 100_000;
const longestRationale = 1000;
/** Prose before the object may contain braces. */
const mostStarts = 100;

/** Every JSON spelling of the key. */
const outcomeKey = new RegExp(
  `"${[...'outcome'].map((letter) => `(?:${letter}|\\\\u00${letter.charCodeAt(0).toString(16)})`).join('')}"`,
  'gi',
);

/** Reads the one JSON object in the text. Two outcomes give no verdict: one may be quoted from the reviewed action. */
export function parseReviewVerdict(text: string): ParsedVerdict {
  if (text.length > longestAnswer) return unreadable('it is too long');
  const places = [...text.matchAll(outcomeKey)].map(({ index }) => index);
  const [place] = places;
  if (place === undefined) return unreadable('it names no outcome');
  if (places.length > 1) return unreadable('it names more than one outcome');
  const found = objectAround(text, place);
  return found === undefined ? unreadable('it contains no JSON object') : verdictOf(found);
}

function verdictOf(given: JsonObject): ParsedVerdict {
  const { outcome, risk_level: risk, user_authorization: authorization, rationale } = given;
  if (outcome !== 'allow' && outcome !== 'deny') return unreadable('its outcome is neither "allow" nor "deny"');
  const knownRisk = riskLevels.find((level) => level === risk);
  if (isGiven(risk) && knownRisk === undefined) return unreadable('its risk_level is unknown');
  // A reviewer that allows an action without naming its risk has not weighed it.
  if (outcome === 'allow' && knownRisk === undefined) return unreadable('it allows the action and names no risk_level');
  const knownAuthorization = authorizationLevels.find((level) => level === authorization);
  if (isGiven(authorization) && knownAuthorization === undefined)
    return unreadable('its user_authorization is unknown');
  if (isGiven(rationale) && typeof rationale !== 'string') return unreadable('its rationale is not a text');
  const said = typeof rationale === 'string' ? shortened(rationale) : '';
  const verdict = { outcome, risk: knownRisk ?? 'high', authorization: knownAuthorization ?? 'unknown' } as const;
  return { kind: 'verdict', verdict: { ...verdict, ...(said === '' ? {} : { rationale: said }) } };
}

/** Formats that require every key use `null` for empty ones. */
const isGiven = (value: Json | undefined): boolean => value !== undefined && value !== null;

function shortened(rationale: string): string {
  const text = rationale.trim().toWellFormed();
  return text.length <= longestRationale ? text : `${text.slice(0, longestRationale).toWellFormed()} …`;
}

const unreadable = (why: string): ParsedVerdict => ({ kind: 'unreadable', why });

/** The outermost object around the place, if any: an outcome nested in something else is no verdict. */
function objectAround(text: string, place: number): JsonObject | undefined {
  let start = text.indexOf('{');
  for (let tries = 0; tries < mostStarts && start >= 0 && start < place; tries++) {
    const end = endOfObject(text, start);
    const value = end !== undefined && end > place ? parseJson(text.slice(start, end)) : undefined;
    if (isJsonObject(value)) return Object.hasOwn(value, 'outcome') ? value : undefined;
    start = text.indexOf('{', start + 1);
  }
  return undefined;
}

/** The place after the object; ignores braces in strings. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let isString = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (isString) {
      if (character === '\\') at++;
      else if (character === '"') isString = false;
    } else if (character === '"') isString = true;
    else if (character === '{') depth++;
    else if (character === '}' && --depth === 0) return at + 1;
  }
  return undefined;
}

/** `beyond`: the reviewer allowed more than a reviewer may. */
export type ReviewDecision = 'allowed' | 'declined' | 'beyond';
export type ReviewedAction = Pick<Question, 'kind' | 'commands' | 'paths' | 'host' | 'permissions'>;

/**
 * Enforces the thresholds whatever the prompt said: low and medium risk may be allowed, high risk only if the user's
 * words ask for it and the action is narrow, critical risk never. Requires that the reviewer saw the whole action.
 */
export function decideReview({ outcome, risk, authorization }: ReviewVerdict, action: ReviewedAction): ReviewDecision {
  if (outcome === 'deny') return 'declined';
  if (risk === 'low' || risk === 'medium') return 'allowed';
  const isAskedFor = authorization === 'medium' || authorization === 'high';
  return risk === 'high' && isAskedFor && isNarrowAction(action) ? 'allowed' : 'beyond';
}

/**
 * True for one definite action: one command known from its words, these files, this host. False for a script of several
 * commands, an unreadable one, and permission for a whole tree or any host.
 */
export function isNarrowAction({ kind, commands, paths, host, permissions }: ReviewedAction): boolean {
  const { network, read = [], write = [] } = permissions ?? {};
  if (network === true && host === undefined) return false;
  if ([...read, ...write].some(isNearRoot)) return false;
  if (kind === 'network') return host !== undefined;
  if (kind === 'patch') return paths !== undefined && paths.length > 0;
  return kind === 'permissions' ? read.length + write.length > 0 : commands?.length === 1;
}

/** Folders that hold a machine's or a user's files: `/`, `/etc`, `/home/someone`. */
const isNearRoot = (path: string): boolean => path.split('/').filter((part) => part !== '' && part !== '.').length < 3;
/** The reviewer's decisions in a turn, newest last. Failed reviews are not included. */
export type ReviewHistory = readonly ('allowed' | 'declined')[];
/** Denials in a row, or among the recent reviews, after which a model will not find a permitted way. */
const mostInARow = 3;
const mostOfRecent = 10;
const recent = 50;
export const addReview = (history: ReviewHistory, decision: ReviewHistory[number]): ReviewHistory =>
  [...history, decision].slice(-recent);

export function mustEndTurn(history: ReviewHistory): boolean {
  const last = history.slice(-mostInARow);
  if (last.length === mostInARow && last.every((decision) => decision === 'declined')) return true;
  return history.filter((decision) => decision === 'declined').length >= mostOfRecent;
}

export interface GrantsDescription extends GrantedPermissions {
  readonly commands?: readonly { readonly command: string; readonly cwd: string; readonly where: string }[];
  readonly files?: readonly string[];
  readonly tools?: readonly string[];
}

/** Keys come from a file: malformed ones grant nothing and are left out. */
export function describeGrants(grants: readonly Grant[]): GrantsDescription {
  const parts = [...new Set(grants.map(({ key }) => key))].map((key) => parseGrantKey({ key }));
  const commands = parts.flatMap(([what, where, cwd, command]) =>
    what === 'command' && isGrantText(where) && isGrantText(cwd) && isGrantText(command)
      ? [{ command, cwd, where }]
      : [],
  );
  const named = (kind: string) => parts.flatMap(([what, name]) => (what === kind && isGrantText(name) ? [name] : []));
  const ofServers = parts.flatMap(([what, server, tool]) =>
    what === 'mcp' && isGrantText(server) && isGrantText(tool) ? [`${server}/${tool}`] : [],
  );
  const [files, tools] = [named('file'), [...named('tool'), ...ofServers]];
  return {
    ...permissionsOf(grants),
    ...(commands.length === 0 ? {} : { commands }),
    ...(files.length === 0 ? {} : { files }),
    ...(tools.length === 0 ? {} : { tools }),
  };
}
