import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import { authorizationLevels, type ReviewVerdict, riskLevels } from '../../protocol/review-verdict.ts';

/** What became of a reviewer's text. `why`: for the person who looks into it. */
export type ReadVerdict =
  | { readonly kind: 'verdict'; readonly verdict: ReviewVerdict }
  | { readonly kind: 'unreadable'; readonly why: string };

/** An answer is a few lines. Looking for an object in more than that is no use. */
const longestAnswer = 100_000;
const longestRationale = 1000;
/** Prose before the object may hold braces. */
const mostStarts = 100;

/** The key in every spelling that JSON has for it. */
const outcomeKey = new RegExp(
  `"${[...'outcome'].map((letter) => `(?:${letter}|\\\\u00${letter.charCodeAt(0).toString(16)})`).join('')}"`,
  'gi',
);

/**
 * The verdict in a reviewer's answer: one JSON object, which may stand in prose. A text that names an outcome twice has
 * no verdict, since one of them may be a quotation of what was reviewed.
 */
export function readVerdict(text: string): ReadVerdict {
  if (text.length > longestAnswer) return unreadable('it is too long');
  const places = [...text.matchAll(outcomeKey)].map(({ index }) => index);
  const [place] = places;
  if (place === undefined) return unreadable('it names no outcome');
  if (places.length > 1) return unreadable('it names more than one outcome');
  const found = objectAround(text, place);
  if (found === undefined) return unreadable('it contains no JSON object');
  return verdictOf(found);
}

function verdictOf(given: JsonObject): ReadVerdict {
  const { outcome, risk_level: risk, user_authorization: authorization, rationale } = given;
  if (outcome !== 'allow' && outcome !== 'deny') return unreadable('its outcome is neither "allow" nor "deny"');
  const knownRisk = riskLevels.find((level) => level === risk);
  if (isGiven(risk) && knownRisk === undefined) return unreadable('its risk_level is unknown');
  // What a reviewer lets pass without a word about its risk, it has not weighed.
  if (outcome === 'allow' && knownRisk === undefined) return unreadable('it allows the action and names no risk_level');
  const knownAuthorization = authorizationLevels.find((level) => level === authorization);
  if (isGiven(authorization) && knownAuthorization === undefined)
    return unreadable('its user_authorization is unknown');
  if (isGiven(rationale) && typeof rationale !== 'string') return unreadable('its rationale is not a text');
  const said = typeof rationale === 'string' ? shortened(rationale) : '';
  return {
    kind: 'verdict',
    verdict: {
      outcome,
      risk: knownRisk ?? 'high',
      authorization: knownAuthorization ?? 'unknown',
      ...(said === '' ? {} : { rationale: said }),
    },
  };
}

/** A form that wants every key has `null` where there is nothing to say. */
function isGiven(value: Json | undefined): boolean {
  return value !== undefined && value !== null;
}

function shortened(rationale: string): string {
  const text = rationale.trim().toWellFormed();
  return text.length <= longestRationale ? text : `${text.slice(0, longestRationale).toWellFormed()} …`;
}

function unreadable(why: string): ReadVerdict {
  return { kind: 'unreadable', why };
}

/** The outermost object that the place stands in, if there is one: an outcome inside of something else is no verdict. */
function objectAround(text: string, place: number): JsonObject | undefined {
  let start = text.indexOf('{');
  for (let tries = 0; tries < mostStarts && start >= 0 && start < place; tries++) {
    const end = endOfObject(text, start);
    const value = end !== undefined && end > place ? parsed(text.slice(start, end)) : undefined;
    if (isJsonObject(value)) return Object.hasOwn(value, 'outcome') ? value : undefined;
    start = text.indexOf('{', start + 1);
  }
  return undefined;
}

/** The first place after the object, braces in strings aside. */
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

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
