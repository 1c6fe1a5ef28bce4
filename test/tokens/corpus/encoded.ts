import { deflateSync } from 'node:zlib';
import type { Dice } from './dice.ts';
import { english } from './prose.ts';

export const base64 = (dice: Dice, length: number): string =>
  dice.bytes(Math.ceil((length * 3) / 4)).toString('base64');

export const base64Lines = (dice: Dice, length: number): string => base64(dice, length).replace(/.{76}/g, '$&\n');

export const base64Url = (dice: Dice, length: number): string =>
  dice.bytes(Math.ceil((length * 3) / 4)).toString('base64url');

export const base64OfText = (dice: Dice, length: number): string =>
  Buffer.from(english(dice, Math.ceil((length * 3) / 4))).toString('base64');

export const base64OfArchive = (dice: Dice, length: number): string =>
  deflateSync(Buffer.from(english(dice, length * 8))).toString('base64');

export const hex = (dice: Dice, length: number): string => dice.bytes(Math.ceil(length / 2)).toString('hex');

export const digests = (dice: Dice, length: number): string =>
  dice.text(length, () => dice.bytes(32).toString('hex'), '\n');

export const uuids = (dice: Dice, length: number): string =>
  dice.text(
    length,
    () =>
      dice
        .bytes(16)
        .toString('hex')
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    '\n',
  );
