import { sha1 } from '../../../base/digest.ts';
import { defined } from '../../../base/objects.ts';
import type { Role } from '../../../protocol/item.ts';
import { escapeEndMarker } from './escape-markup.ts';
import { byteLength, bytesPerToken, truncateMiddle } from './truncate.ts';

/** What stands before and after a body. */
export type Markers = readonly [start: string, end: string];

/** How one kind of runtime fact becomes text. A kind reads its payload and nothing else. */
export interface FragmentDefinition<Payload> {
  /** Stable: it is stored as the origin of what it rendered. */
  readonly id: string;
  /** What the model learns from it, in one sentence. */
  readonly purpose: string;
  readonly role: Role;
  /** For the model and other programs; we go by the recorded origin. Without markers a text is not recognised. */
  readonly markers?: Markers;
  /** The most that one rendering may add to history, markers included (I6). A longer body is cut in its middle, visibly. */
  readonly capTokens: number;
  /** The fragment stands alone in its message. */
  readonly separate?: true;
  /** The world section whose text it is. Absent for an event, which is told once. */
  readonly section?: string;
  /** The kind under whose id the text is recognised: forms of one family share their markers. */
  readonly formOf?: string;
  /** A second role in which other programs write it. */
  readonly alsoRole?: Role;
  /** The pair where it depends on the payload; `markers` then shows the pattern. */
  markersFor?(payload: Payload): Markers;
  /** Recognition where a plain comparison with both markers is not enough. A user's text begins with the first character of the marker. */
  matches?(text: string): boolean;
  /** Includes all white space that shall stand between the markers. */
  body(payload: Payload): string;
}

export interface FragmentKind<Payload> extends FragmentDefinition<Payload> {
  /** Whether a text without a recorded origin is of this kind. */
  matches(text: string): boolean;
}

/** A rendered fact, ready to enter history. */
export interface Fragment {
  readonly kind: string;
  readonly role: Role;
  readonly text: string;
  readonly separate: boolean;
}

export function defineFragment<Payload>(definition: FragmentDefinition<Payload>): FragmentKind<Payload> {
  const { markers, formOf } = definition;
  const matches = (text: string): boolean => markers !== undefined && isBetween(text, markers);
  return { matches: formOf === undefined ? matches : () => false, ...definition };
}

/** A kind whose facts can be taken back. */
export interface FragmentFamily<Payload> extends FragmentKind<Payload> {
  /** The form that does it, in the same role and between the same markers. */
  readonly withdrawn: FragmentKind<void>;
}

type FamilyDefinition<Payload> = FragmentDefinition<Payload> & {
  /** What the form that takes it back says. */
  readonly withdrawn: string;
  readonly withdrawnId?: string;
};

export function defineFamily<Payload>(family: FamilyDefinition<Payload>): FragmentFamily<Payload> {
  const { withdrawn, withdrawnId, ...definition } = family;
  const { id, role, markers, separate, section } = definition;
  return {
    ...defineFragment(definition),
    withdrawn: defineFragment<void>({
      id: withdrawnId ?? `${id}-withdrawn`,
      purpose: `Withdraws \`${id}\`.`,
      role,
      capTokens: 100,
      formOf: id,
      ...defined({ markers, separate, section }),
      body: () => withdrawn,
    }),
  };
}

/** Space for the words that say how much was cut. */
const noticeBytes = 48;

export function render<Payload>(kind: FragmentKind<Payload>, payload: Payload): Fragment {
  const [start, end] = kind.markersFor?.(payload) ?? kind.markers ?? ['', ''];
  const body = escapeEndMarker(kind.body(payload), end);
  const space = kind.capTokens * bytesPerToken - byteLength(start) - byteLength(end);
  const limit = Math.floor((space - noticeBytes) / bytesPerToken);
  const whole = byteLength(body) <= space;
  const text = start + (whole ? body : truncateMiddle(body, { mode: 'tokens', limit })) + end;
  return { kind: kind.id, role: kind.role, text, separate: kind.separate === true };
}

/** White space around the text and the case of letters do not count. */
export function isBetween(text: string, [start, end]: Markers): boolean {
  const trimmed = text.trim();
  // Most texts are told apart by how they begin, and a thread that is resumed asks for each of them and every kind.
  if (trimmed.slice(0, start.length).toLowerCase() !== start.toLowerCase()) return false;
  return trimmed.slice(-end.length).toLowerCase() === end.toLowerCase();
}

type ReplaceableDefinition<Fact> = Omit<FamilyDefinition<Fact>, 'body'> & {
  /** The sentence that a text begins with where an earlier one stands. */
  readonly notice: string;
  /** Ends with a line break. */
  body(fact: Fact): string;
};

/** A family whose text stands until another one takes its place, which then says so. */
export function defineReplaceable<Fact>(
  definition: ReplaceableDefinition<Fact>,
): FragmentFamily<Fact & { readonly replaces: boolean }> {
  const { notice, body, ...rest } = definition;
  return defineFamily<Fact & { readonly replaces: boolean }>({
    ...rest,
    body: (fact) => `\n${fact.replaces ? `${notice}\n\n` : ''}${body(fact)}`,
  });
}

const domain = 'codex-world-state-fragment-v1\0';

/** The newest, because permissions have it twice if nothing was granted, and code that is cold takes half a millisecond. */
let newest = { role: '', text: '', digest: '' };

/** A digest of role and text that other programs compute in the same way, line ends aside. */
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
