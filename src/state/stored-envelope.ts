import type { Envelope } from '../envelope/envelope.ts';
import type { RuleSet } from '../policy/rules/rule-set.ts';
import { hiddenMark } from '../policy/secrets.ts';
import { isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';
import { textDigest } from '../protocol/text-digest.ts';
import { applyPatch, makePatch } from '../world/merge-patch.ts';

/**
 * The envelope as a line keeps it: plain JSON without null. Long texts stand elsewhere in the file (I9) and leave only
 * their size and digest here. What the user sets for commands may be a secret: only its names are kept. Budgets are kept,
 * and not the shares that they are made from; of rules, how many there were.
 */
export function storeEnvelope(envelope: Envelope): JsonObject {
  const { policy, capabilities } = envelope;
  const { clientTools, ...abilities } = capabilities;
  const { shares: _shares, ...window } = envelope.window;
  const { shellEnvironment, rules } = policy;
  const set = Object.fromEntries(Object.keys(shellEnvironment.set).map((name) => [name, hiddenMark]));
  const kept = {
    ...envelope,
    policy: { ...policy, shellEnvironment: { ...shellEnvironment, set }, rules: rulesRecord(rules) },
    // How they are defined stands with the settings of the thread.
    capabilities: { ...abilities, ...(clientTools && { clientTools: clientTools.map(({ name }) => name) }) },
    window,
  };
  return shorten(JSON.parse(JSON.stringify(kept)) as JsonObject) as JsonObject;
}

/** There may be thousands, and their files are on the disk. */
function rulesRecord(rules: RuleSet): JsonObject {
  const { prefixes, hosts } = rules;
  return { prefixes: prefixes.length, hosts: hosts.length, digest: textDigest(JSON.stringify(rules)) };
}

const longText = 300;

function shorten(value: Json): Json {
  if (typeof value === 'string' && value.length > longText) {
    return { characters: value.length, digest: textDigest(value) };
  }
  if (Array.isArray(value)) return value.map((member) => shorten(member as Json));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shorten(member as Json)]));
}

/** What a turn's line says: everything when nothing is known of an earlier turn, else what differs. */
export function envelopeRecord(before: JsonObject | undefined, now: JsonObject): JsonObject {
  if (before === undefined) return { full: true, groups: now };
  return { full: false, groups: makePatch(before, now) ?? {} };
}

/** The stored envelope after such a record. A difference to nothing gives nothing. */
export function foldEnvelope(before: JsonObject | undefined, record: Json | undefined): JsonObject | undefined {
  const groups = isJsonObject(record) ? record['groups'] : undefined;
  if (!isJsonObject(record) || !isJsonObject(groups)) return undefined;
  if (record['full'] === true) return groups;
  return before === undefined ? undefined : (applyPatch(before, groups) as JsonObject);
}
