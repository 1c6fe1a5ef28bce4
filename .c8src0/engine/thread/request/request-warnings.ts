import type { Envelope } from '../../../core/envelope/envelope.ts';
import type { LeftOutMedia } from '../../../core/history/media-parts.ts';
import type { Item } from '../../../protocol/item.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { warnOnceForAll } from '../log.ts';
import type { Turn } from '../thread-parts.ts';

/** Models for which the user was warned that an item is sent without its media. */
const known = new WeakMap<Item, Set<string>>();

/** Warns about media that the model does not get: once per turn at most, and once per item and model. */
export function warnOfLeftOutMedia({ log, memory }: Turn, { identity }: Envelope, left: readonly LeftOutMedia[]): void {
  const { slug } = identity.model;
  const fresh = left.filter(({ item }) => known.get(item)?.has(slug) !== true);
  for (const { item } of fresh) known.set(item, (known.get(item) ?? new Set()).add(slug));
  if (fresh.length === 0 || memory.saysLeftOut) return;
  memory.saysLeftOut = true;
  log.tell({ kind: 'warning', outcome: leftOut(slug, fresh) });
}

function leftOut(model: string, left: readonly LeftOutMedia[]): Outcome<'media-left-out'> {
  const sum = (media: 'images' | 'recordings' | 'elsewhere'): number =>
    left.reduce((all, each) => all + each[media], 0);
  const [images, recordings, elsewhere] = [sum('images'), sum('recordings'), sum('elsewhere')];
  if (images + recordings === 0) return unreachable(elsewhere);
  const kinds = [
    { count: images, noun: 'picture', takes: 'pictures' },
    { count: recordings, noun: 'recording', takes: 'sound' },
  ].filter(({ count }) => count > 0);
  const what = kinds.map(({ count, noun }) => counted(count, noun)).join(' and ');
  const takes = kinds.map((kind) => kind.takes);
  const isOne = images + recordings === 1;
  return {
    code: 'media-left-out',
    message: `${what} ${isOne ? 'was' : 'were'} left out of the request: ${model} takes no ${takes.join(' and no ')}.`,
    next: `The model reads that ${isOne ? 'it is' : 'they are'} missing. Choose a model that takes ${takes.join(' and ')}.`,
  };
}

/** Files of other programs may name pictures by a path that only exists on that machine. */
function unreachable(count: number): Outcome<'media-left-out'> {
  const isOne = count === 1;
  return {
    code: 'media-left-out',
    message: `${counted(count, 'picture or file', 'pictures or files')} of the history ${isOne ? 'was' : 'were'} left out of the request: ${isOne ? 'its address is' : 'their addresses are'} neither http(s) nor data.`,
    next: `The model reads that ${isOne ? 'it is' : 'they are'} missing. Attach ${isOne ? 'it' : 'them'} again if the model needs ${isOne ? 'it' : 'them'}.`,
  };
}

const counted = (number: number, noun: string, many = `${noun}s`): string => `${number} ${number === 1 ? noun : many}`;

/** Warns once in the life of a thread if the server reports another model than the requested one. */
export function warnOfOtherModel(turn: Turn, { identity }: Envelope, served: string): void {
  const { model, provider } = identity;
  if (isServedAs(model.slug, served)) return;
  const outcome = {
    code: 'other-model',
    message: `${model.slug} was asked for, and ${provider} says that ${served} answers.`,
    next: 'The provider does not say why. If you did not expect it, check the model and the settings of the provider.',
  };
  warnOnceForAll(turn, outcome, `${provider}/${model.slug} ${served}`);
}

/** Suffixes that do not change the model: a date, a tag for the newest one, a file format. */
const suffixes = /(?:[-@](?:latest|\d{4}-\d{2}-\d{2}|\d{4,8})|:latest|\.gguf)$/;

/** Removes what servers put around the name of the same model. */
function plainName(name: string): string {
  const last = name.toLowerCase().split('/').at(-1) ?? '';
  const shorter = last.replace(suffixes, '');
  return shorter === last ? last : plainName(shorter);
}

export const isServedAs = (asked: string, served: string): boolean => plainName(asked) === plainName(served);
