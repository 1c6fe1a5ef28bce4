import { diff, json, listing, log, names, python, typescript } from './code.ts';
import type { Dice } from './dice.ts';
import { base64, base64Lines, base64OfArchive, base64OfText, base64Url, digests, hex, uuids } from './encoded.ts';
import { chinese, english, japanese, korean } from './prose.ts';

export type Writer = (dice: Dice, length: number) => string;

/** Texts of these kinds are what threads are made of. All are generated. */
export const kinds: Readonly<Record<string, Writer>> = {
  english,
  typescript,
  python,
  json,
  diff,
  log,
  listing,
  names,
  chinese,
  japanese,
  korean,
  base64,
  base64Lines,
  base64Url,
  base64OfText,
  base64OfArchive,
  hex,
  digests,
  uuids,
};

/** Passages of several kinds, one after the other. */
export const mixture: Writer = (dice, length) =>
  dice.text(length, () => dice.pick(Object.values(kinds))(dice, 300 + dice.below(700)), '\n\n');
