import type { Json } from './json.ts';
import type { Outcome } from './outcome.ts';

/**
 * Who wrote the words of a turn: the user, an agent's parent, or a program that put them together, such as a diff for a
 * reviewer. Only words of a user name skills and plugins, and only they go through hooks for prompts.
 */
export const authors = ['user', 'agent', 'program'] as const;

export type Author = (typeof authors)[number];

/** The author of words that the user did not write. Absent in a line or a value: the user wrote them. */
export type OtherAuthor = Exclude<Author, 'user'>;

/** Words without an author are the user's, as in every older file. One that is not known gets no more than a program does. */
export function readAuthor(value: Json | undefined): Author {
  return value === undefined ? 'user' : (authors.find((each) => each === value) ?? 'program');
}

export function otherAuthor(author: Author): OtherAuthor | undefined {
  return author === 'user' ? undefined : author;
}

/** Why a turn goes on that failed, where the user says nothing: the model is asked again, or another one takes over. */
export const turnsContinued = ['after-failure', 'other-model'] as const;

export type TurnContinued = (typeof turnsContinued)[number];

/** What a turn is submitted or steered with: words, pictures, or both. */
export interface UserInput {
  readonly author: Author;
  readonly text: string;
  /** In the order in which they were given; they stand before the words. */
  readonly images: readonly UserImage[];
  /** Files that were meant as pictures and are none. The user is warned, and the model learns of them. */
  readonly unusableImages?: readonly UnusableImage[];
  /** Capstan lets a turn go on: the model reads that as a text of Capstan, and `text` is for lists. */
  readonly continues?: TurnContinued;
}

export interface UnusableImage {
  /** As the user wrote it. */
  readonly path: string;
  readonly problem: Outcome;
}

export interface UserImage {
  /** As the user wrote it: what the model reads and screens show. */
  readonly path: string;
  /** `data:image/…;base64,…` */
  readonly dataUrl: string;
  /** Present where the picture was larger than models take, and was made smaller. */
  readonly resized?: ResizedImage;
}

export interface ResizedImage {
  /** As in `4000x3000`. */
  readonly from: string;
  readonly to: string;
}

/** What a user wrote. */
export function words(text: string): UserInput {
  return { author: 'user', text, images: [] };
}

/** What a user did not write, whatever it quotes. */
export function writtenBy(author: OtherAuthor, text: string): UserInput {
  return { author, text, images: [] };
}

/**
 * Who wrote a message of the user's role, where it was not the user. `engine`: Capstan asks something and has no tag for
 * it. `program`: fragments, which have tags of their own, and what a program says in the user's place. `agent`: the
 * agent that started this one. `earlier-summary`: another program, about the conversation before.
 */
export type InputWriter = 'engine' | 'program' | 'agent' | 'earlier-summary';

/** The names of the tags that say who speaks, where a format has no role for the speaker. */
export const speakerTags = ['agent_message', 'tool_output', 'developer', 'earlier_summary'] as const;
