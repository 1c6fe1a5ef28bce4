import { defined } from '../../../base/objects.ts';
import { asItem, isMessage } from '../../../protocol/item.ts';
import {
  arrayAt,
  isJsonObject,
  type Json,
  type JsonObject,
  objectAt,
  objectsAt,
  stringAt,
} from '../../../protocol/json.ts';
import { type Line, lineType } from '../../../protocol/line.ts';
import type { ThreadSummary } from '../../../protocol/thread.ts';
import { isImageLabel } from '../../fragments/answers/content-parts.ts';
import { entryFromLine, hasOrigin } from '../../history/entry.ts';
import { recogniseFragment } from '../../world/recognise-fragments.ts';

export interface MessageWords {
  readonly role: 'user' | 'assistant';
  /** `[Image]` or `[Audio]` if a user sent nothing else. */
  readonly text: string;
  /** Old files contain everything twice: as an item and as an event for screens. */
  readonly form: 'item' | 'event';
}

/** Undefined if the line holds no words. Injected context is not words. */
export function messageWordsOf({ type, payload, metadata }: Line): MessageWords | undefined {
  if (type === lineType.event) return inEvent(payload);
  if (type !== lineType.responseItem || payload['type'] !== 'message') return undefined;
  const item = asItem(payload);
  if (item === undefined || !isMessage(item)) return undefined;
  const { family } = entryFromLine(item, metadata).origin;
  const role = family === 'user' ? 'user' : item.role === 'assistant' && family === 'model' ? 'assistant' : undefined;
  if (role === undefined) return undefined;
  const { content } = item;
  // Only foreign files mix context into the same message. In ours the words may quote it.
  const isContext = hasOrigin(metadata) ? () => false : (text: string) => recogniseFragment(role, text) !== undefined;
  const texts = content.flatMap(({ text }, index) =>
    typeof text === 'string' && !isImageLabel(content, index) && !isContext(text) ? [text] : [],
  );
  return spoken({ role, text: texts.join('\n'), form: 'item' }, mediaOf(content));
}

function inEvent(event: JsonObject): MessageWords | undefined {
  const text = stringAt(event, 'message');
  if (text === undefined) return undefined;
  if (event['type'] === 'agent_message') return spoken({ role: 'assistant', text, form: 'event' }, undefined);
  if (event['type'] !== 'user_message') return undefined;
  const has = (...keys: readonly string[]): boolean => keys.some((key) => (arrayAt(event, key) ?? []).length > 0);
  const media = has('images', 'local_images') ? '[Image]' : has('audio', 'local_audio') ? '[Audio]' : undefined;
  return spoken({ role: 'user', text, form: 'event' }, media);
}

function spoken(words: MessageWords, media: string | undefined): MessageWords | undefined {
  const text = words.text.trim();
  if (text !== '') return { ...words, text };
  return media === undefined ? undefined : { ...words, text: media };
}

function mediaOf(content: readonly JsonObject[]): string | undefined {
  const has = (wanted: string): boolean => content.some(({ type }) => type === wanted);
  return has('input_image') ? '[Image]' : has('input_audio') ? '[Audio]' : undefined;
}

type SummarisedSetting = 'model' | 'provider' | 'effort' | 'cwd' | 'approval' | 'sandbox' | 'mode';
export type SettingsSummary = Pick<ThreadSummary, SummarisedSetting>;

/** Reads a `turn_context` in the forms of all programs that write one. */
export function turnContextSummary(context: JsonObject): SettingsSummary {
  const provider = stringAt(objectAt(context, 'capstan'), 'provider');
  return defined({ ...sharedSettings(context), provider, effort: stringAt(context, 'effort') });
}

export function appliedSettingsSummary(settings: JsonObject): SettingsSummary {
  const provider = stringAt(settings, 'model_provider_id');
  return defined({ ...sharedSettings(settings), provider, effort: stringAt(settings, 'reasoning_effort') });
}

function sharedSettings(source: JsonObject) {
  const mode = stringAt(objectAt(source, 'collaboration_mode'), 'mode');
  // The chosen value, as `threads set` shows it and a resume restores it: `exec` runs every turn with `never`.
  const approval = approvalWord(objectAt(source, 'capstan')?.['approval'] ?? source['approval_policy']);
  const sandbox = sandboxWord(source);
  return { model: stringAt(source, 'model'), cwd: stringAt(source, 'cwd'), approval, sandbox, mode };
}

function approvalWord(value: Json | undefined): string | undefined {
  if (isJsonObject(value)) return 'granular' in value ? 'granular' : undefined;
  return value === 'on-failure' ? 'on-request' : typeof value === 'string' ? value : undefined;
}

/** The coarse form if there is one; old files call its type `mode`. */
function sandboxWord(source: JsonObject): string | undefined {
  const policy = objectAt(source, 'sandbox_policy');
  const shared = objectAt(source, 'permission_profile');
  const word = stringAt(policy, 'type') ?? stringAt(policy, 'mode') ?? profileWord(shared);
  const profile = objectAt(objectAt(source, 'capstan'), 'profile') ?? shared;
  const isOpen = profile === undefined ? policy?.['network_access'] === true : profile['network'] === 'enabled';
  const more = [...limitWords(profile), ...(isOpen && isFenced(word) && !hasLists(profile) ? ['network access'] : [])];
  return word === undefined || more.length === 0 ? word : `${word} with ${more.join(' and ')}`;
}

/** Parts of a profile that no coarse form expresses. */
function limitWords(profile: JsonObject | undefined): readonly string[] {
  const denies = objectsAt(objectAt(profile, 'file_system'), 'entries').some(({ access }) => access === 'deny');
  return [...(denies ? ['denied paths'] : []), ...(hasLists(profile) ? ['listed hosts'] : [])];
}

const hasLists = (profile: JsonObject | undefined): boolean =>
  objectAt(objectAt(profile, 'capstan_network'), 'lists') !== undefined;

/** Modes that keep the network closed unless something opens it. */
const isFenced = (word: string | undefined): boolean => word === 'read-only' || word === 'workspace-write';

function profileWord(profile: JsonObject | undefined): string | undefined {
  if (profile === undefined) return undefined;
  if (profile['type'] === 'disabled') return 'danger-full-access';
  if (profile['type'] === 'external') return 'external-sandbox';
  const files = objectAt(profile, 'file_system');
  if (files === undefined) return undefined;
  if (files['type'] === 'unrestricted') return 'danger-full-access';
  const writes = objectsAt(files, 'entries').some(({ access }) => access === 'write');
  return writes ? 'workspace-write' : 'read-only';
}

/** Collapses white space of all kinds into single blanks, and marks the cut. */
export function toOneLine(text: string, characters: number): string {
  const folded = text
    .trimStart()
    .slice(0, characters * 8)
    // Replacing would keep a tree of pieces, many times the size of the text.
    .split(/(?:[^\S ]| (?=\s))\s*/)
    .join(' ')
    .trim();
  if (folded.length <= characters) return folded;
  const points = [...folded];
  return points.length <= characters ? folded : `${points.slice(0, characters - 1).join('')}…`;
}
