import { defineFragment, type Markers } from './define.ts';
import { escapeText } from './markup.ts';
import { truncateMiddle } from './truncate.ts';

/** A value that a client sends along with the user's words, under a key of its own. */
export interface AdditionalContextText {
  readonly key: string;
  readonly value: string;
}

/** The client no longer sends this key. */
export interface AdditionalContextWithdrawnText {
  readonly key: string;
}

/** Nobody vouches for the value: it can neither close a tag nor open one. */
export const untrustedContextFragment = defineFragment<AdditionalContextText>({
  id: 'untrusted-context',
  purpose: 'A value from a client that nobody vouches for, by its key.',
  role: 'user',
  markers: ['<external_KEY>', '</external_KEY>'],
  capTokens: 1000,
  markersFor: ({ key }) => tags('external', key),
  matches: (text) => isTagged('external', text),
  body: ({ value }) => escapeText(value),
});

/** The application itself vouches for the value. The word before the key keeps it from posing as another family. */
export const applicationContextFragment = defineFragment<AdditionalContextText>({
  id: 'application-context',
  purpose: 'A value from the application that hosts the thread, by its key.',
  role: 'developer',
  markers: ['<application_KEY>', '</application_KEY>'],
  capTokens: 1000,
  markersFor: ({ key }) => tags('application', key),
  matches: (text) => isTagged('application', text),
  body: ({ value }) => value,
});

export const untrustedContextWithdrawnFragment = withdrawn(untrustedContextFragment, 'external');
export const applicationContextWithdrawnFragment = withdrawn(applicationContextFragment, 'application');

function withdrawn(family: typeof untrustedContextFragment, word: string) {
  return defineFragment<AdditionalContextWithdrawnText>({
    id: `${family.id}-withdrawn`,
    purpose: `Takes back what \`${family.id}\` told under a key.`,
    role: family.role,
    ...(family.markers === undefined ? {} : { markers: family.markers }),
    capTokens: 200,
    formOf: family.id,
    markersFor: ({ key }) => tags(word, key),
    body: () => '<withdrawn />',
  });
}

/** What could end the tag is percent-encoded, so that two keys stay two; only very long ones may meet. */
function tags(word: string, key: string): Markers {
  const short = truncateMiddle(key.toWellFormed(), { mode: 'bytes', limit: 80 });
  const name = `${word}_${encodeURIComponent(short)}`;
  return [`<${name}>`, `</${name}>`];
}

function isTagged(word: string, text: string): boolean {
  const trimmed = text.trim();
  if (!trimmed.startsWith(`<${word}_`)) return false;
  const name = new RegExp(`^<(?<name>${word}_[^>]*)>`).exec(trimmed)?.groups?.['name'];
  return name !== undefined && trimmed.endsWith(`</${name}>`);
}
