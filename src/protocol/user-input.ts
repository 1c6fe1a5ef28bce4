import type { Json } from './json.ts';
import type { Outcome } from './outcome.ts';

/** Only the user's words name skills and plugins and go through prompt hooks; a program composes text like a diff. */
export const authors = ['user', 'agent', 'program'] as const;
export type Author = (typeof authors)[number];
/** Absent in a line or a value: the user wrote the words. */
export type NonUserAuthor = Exclude<Author, 'user'>;

/** Words without an author are the user's, as in older files. An unknown author gets no more rights than a program. */
export const readAuthor = (value: Json | undefined): Author =>
  value === undefined ? 'user' : (authors.find((each) => each === value) ?? 'program');

export const nonUserAuthor = (author: Author): NonUserAuthor | undefined => (author === 'user' ? undefined : author);
/** Why a failed turn continues without the user: the model is asked again, or another one takes over. */
export const continuationReasons = ['after-failure', 'other-model'] as const;
export type ContinuationReason = (typeof continuationReasons)[number];

export interface UserInput {
  readonly author: Author;
  readonly text: string;
  /** In the given order; they precede the words. */
  readonly images: readonly UserImage[];
  /** Files given as pictures that are none. The user is warned, and the model learns of them. */
  readonly unusableImages?: readonly UnusableImage[];
  /** Set if Capstan continues a turn: the model reads Capstan's own text, and `text` is for lists. */
  readonly continues?: ContinuationReason;
}

export type UnusableImage = { readonly path: string; readonly problem: Outcome };

export interface UserImage {
  /** The user's spelling; read by the model and shown on screens. */
  readonly path: string;
  readonly dataUrl: string;
  /** Present if the picture was larger than models accept and was made smaller. */
  readonly resized?: ResizedImage;
}

export interface ResizedImage {
  /** As in `4000x3000`. */
  readonly from: string;
  readonly to: string;
}

export const words = (text: string): UserInput => ({ author: 'user', text, images: [] });
/** For words that the user did not write, whatever they quote. */
export const writtenBy = (author: NonUserAuthor, text: string): UserInput => ({ author, text, images: [] });

/**
 * Authors of messages in the user's role other than the user. `engine`: Capstan, with a question that has no tag.
 * `program`: fragments, which have tags of their own, and a program's words in the user's place. `agent`: the agent
 * that started this one. `earlier-summary`: another program, with a summary of the conversation before.
 */
export type InputAuthor = 'engine' | 'program' | 'agent' | 'earlier-summary';
export const speakerTags = ['agent_message', 'tool_output', 'developer', 'earlier_summary'] as const;
