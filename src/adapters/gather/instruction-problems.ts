import { controlClass } from '../../base/invisible-characters.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { reasonOf } from '../disk/file-system.ts';

type Kind = 'unreadable' | 'not-a-file' | 'not-text' | 'damaged' | 'cut' | 'outside-project' | 'denied';
/** A problem with an instruction file. The turn continues without it, or with what could be read. */
export type InstructionProblem = Outcome<`instructions-${Kind}`>;

function problem(kind: Kind, message: string, next: string): InstructionProblem {
  return { code: `instructions-${kind}`, message, next };
}

function cannotBeRead(path: string, reason: string, next: string): InstructionProblem {
  const message = `The instructions in ${onOneLine(path)} cannot be read: ${onOneLine(reason)}.`;
  return problem('unreadable', message, next);
}

export const unreadable = (path: string, error: unknown): InstructionProblem =>
  cannotBeRead(path, reasonOf(error), 'Make the file readable, or remove it.');

export const linkLeadsNowhere = (path: string): InstructionProblem =>
  cannotBeRead(path, 'it is a broken link', 'Fix the link, or delete it.');

export function fileDisappeared(path: string): InstructionProblem {
  const next = 'No action is needed. Capstan looks for the file again before the next request.';
  return cannotBeRead(path, 'the file disappeared', next);
}

const ignored = (kind: Kind, path: string, reason: string, next: string): InstructionProblem =>
  problem(kind, `Capstan ignores the instructions in ${onOneLine(path)}${reason}.`, next);

export function leavesProject(path: string, target: string): InstructionProblem {
  const fate = `: it is a link to ${onOneLine(target)}, outside the project`;
  return ignored('outside-project', path, fate, 'Replace the link with a copy of the file.');
}

export function deniedByPolicy(path: string, target: string): InstructionProblem {
  const leads = path === target ? '' : ` (a link to ${onOneLine(target)})`;
  const next = 'If this is intended, no action is needed. `capstan envelope` shows the policy.';
  return ignored('denied', path, `${leads}: the policy denies reading the file`, next);
}

export const notText = (path: string, reason: string): InstructionProblem =>
  ignored('not-text', path, `: ${reason}`, 'Save the file as UTF-8 text.');

export function notAFile(path: string, kind: string): InstructionProblem {
  const message = `${onOneLine(path)} has the name of an instructions file, but is ${kind}.`;
  return problem('not-a-file', message, 'Rename it, or replace it with a file that holds the instructions.');
}

export function damaged(path: string, replaced: number): InstructionProblem {
  const message = `The instructions in ${onOneLine(path)} are not valid UTF-8 (replaced characters: ${replaced}).`;
  return problem('damaged', message, 'Save the file as UTF-8 text.');
}

export const instructionsCut = (leftOut: string, next: string): InstructionProblem =>
  problem('cut', `The instructions are too long. Left out: ${leftOut}.`, next);

const controls = new RegExp(`[${controlClass}]`, 'g');
/** A path may hold any character; in a sentence it must not break the line or control the terminal. */
export const onOneLine = (path: string): string => path.replace(controls, '?');
