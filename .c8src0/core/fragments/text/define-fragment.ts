import { sha1 } from '../../../base/digest.ts';
import type { Role } from '../../../protocol/item.ts';
import { escapeEndMarker } from './escape-markup.ts';
import { byteLength, bytesPerToken, truncateMiddle } from './truncate.ts';

export type Markers = readonly [start: string, end: string];

/** Renders one kind of runtime fact as text. A kind reads only its payload. */
export interface FragmentKind<Payload> {
  /** Stable: stored as the origin of rendered text. */
  readonly id: string;
  /** One sentence that says what the model learns from it. */
  readonly purpose: string;
  readonly role: Role;
  /** The model and other programs read these. Capstan needs them only for a text without a recorded origin. */
  readonly markers?: Markers;
  /** Limit for one rendering in history, markers included (I6). A longer body is visibly cut in its middle. */
  readonly capTokens: number;
  /** Needs a message of its own. */
  readonly separate?: true;
  /** The world section that it renders. Absent for an event, which is sent once. */
  readonly section?: string;
  /** The kind whose id a recognised text of this form gets, because forms of one family share their markers. */
  readonly formOf?: string;
  /** A second role in which other programs write it. */
  readonly alsoRole?: Role;
  /** Markers that depend on the payload; `markers` then shows the pattern. */
  markersFor?(payload: Payload): Markers;
  /** True if a text without a recorded origin is of this kind. */
  matches(text: string): boolean;
  /** Includes all white space between the markers. */
  body(payload: Payload): string;
}

interface FragmentDefinition<Payload> extends Omit<FragmentKind<Payload>, 'role' | 'markers' | 'matches'> {
  /** Absent: developer. */
  readonly role?: Role;
  /** Absent: tags that have the words of the id, so `<hook_context>` for `hook-context`. */
  readonly markers?: Markers | 'none';
  /** Replaces the check of both markers. A match in the role `user` must begin like the start marker. */
  matches?(text: string): boolean;
}

export interface Fragment {
  readonly kind: string;
  readonly role: Role;
  readonly text: string;
  readonly separate: boolean;
}

export function defineFragment<Payload>(definition: FragmentDefinition<Payload>): FragmentKind<Payload> {
  const { id, role = 'developer', markers: given = tagsOf(id.replaceAll('-', '_')), formOf, ...rest } = definition;
  const markers = given === 'none' ? undefined : given;
  const matches = (text: string): boolean =>
    formOf === undefined && markers !== undefined && isBetweenMarkers(text, markers);
  return { id, role, markers, formOf, matches, ...rest };
}

const tagsOf = (tag: string): Markers => [`<${tag}>`, `</${tag}>`];

/** A kind whose facts can be withdrawn. */
export interface WithdrawableFragment<Payload> extends FragmentKind<Payload> {
  /** Withdraws the fact, in the same role and between the same markers. */
  readonly withdrawn: FragmentKind<void>;
}

type FamilyDefinition<Payload> = FragmentDefinition<Payload> & {
  readonly withdrawn: string;
  readonly withdrawnId?: string;
};

export function defineWithdrawableFragment<Payload>(family: FamilyDefinition<Payload>): WithdrawableFragment<Payload> {
  const { withdrawn, withdrawnId, ...definition } = family;
  const kind = defineFragment(definition);
  const { id, role, markers, separate, section } = kind;
  return {
    ...kind,
    withdrawn: defineFragment<void>({
      id: withdrawnId ?? `${id}-withdrawn`,
      purpose: `Withdraws \`${id}\`.`,
      role,
      markers: markers ?? 'none',
      separate,
      section,
      formOf: id,
      capTokens: 100,
      body: () => withdrawn,
    }),
  };
}

const noticeBytes = 48;

export function renderFragment<Payload>(kind: FragmentKind<Payload>, payload: Payload): Fragment {
  const [start, end] = kind.markersFor?.(payload) ?? kind.markers ?? ['', ''];
  const body = escapeEndMarker(kind.body(payload), end);
  const space = kind.capTokens * bytesPerToken - byteLength(start) - byteLength(end);
  const limit = Math.floor((space - noticeBytes) / bytesPerToken);
  const whole = byteLength(body) <= space;
  const text = start + (whole ? body : truncateMiddle(body, { mode: 'tokens', limit })) + end;
  return { kind: kind.id, role: kind.role, text, separate: kind.separate === true };
}

/** Ignores case and surrounding white space. */
export function isBetweenMarkers(text: string, [start, end]: Markers): boolean {
  const trimmed = text.trim();
  // The beginning rules out most texts cheaply; resuming a thread compares every text with every kind.
  if (trimmed.slice(0, start.length).toLowerCase() !== start.toLowerCase()) return false;
  return trimmed.slice(-end.length).toLowerCase() === end.toLowerCase();
}

type ReplaceableDefinition<Fact> = Omit<FamilyDefinition<Fact>, 'body'> & {
  /** The opening sentence of a text that replaces an earlier one. */
  readonly notice: string;
  /** Ends with a line break. */
  body(fact: Fact): string;
};

/** A family in which each text is valid until the next one, which says that it replaces the earlier one. */
export function defineReplaceableFragment<Fact>(
  definition: ReplaceableDefinition<Fact>,
): WithdrawableFragment<Fact & { readonly replaces: boolean }> {
  const { notice, body, ...rest } = definition;
  return defineWithdrawableFragment<Fact & { readonly replaces: boolean }>({
    ...rest,
    body: (fact) => `\n${fact.replaces ? `${notice}\n\n` : ''}${body(fact)}`,
  });
}

const domain = 'codex-world-state-fragment-v1\0';
/** Cache of the newest digest: permissions are often rendered twice, and cold code takes half a millisecond. */
let newest = { role: '', text: '', digest: '' };

/** A digest of role and text; other programs compute the same one, except for line ends. */
export function fingerprint({ role, text }: Pick<Fragment, 'role' | 'text'>): string {
  if (newest.role !== role || newest.text !== text) newest = { role, text, digest: digestOf(role, text) };
  return newest.digest;
}

function digestOf(role: string, text: string): string {
  const parts = [role, text.replaceAll('\r\n', '\n')].map((part) => Buffer.from(part));
  return sha1(Buffer.concat([Buffer.from(domain), ...parts.flatMap((part) => [length(part), part])])).toString('hex');
}

function length(part: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(part.length));
  return bytes;
}
