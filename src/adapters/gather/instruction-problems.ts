import { controlClass } from '../../base/invisible-characters.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { reasonOf } from '../disk/file-system.ts';

/** A problem with an instruction file. The turn continues without it, or with what could be read. */
export type InstructionProblem =
  Outcome<`instructions-${'unreadable' | 'not-a-file' | 'not-text' | 'damaged' | 'cut' | 'outside-project' | 'denied'}`>;

function cannotBeRead(path: string, reason: string, next: string): InstructionProblem {
  const message = `The instructions in ${onOneLine(path)} cannot be read: ${onOneLine(reason)}.`;
  return { code: 'instructions-unreadable', message, next };
}

export function unreadable(path: string, error: unknown): InstructionProblem {
  return cannotBeRead(path, reasonOf(error), 'Make the file readable, or remove it.');
}

export function linkLeadsNowhere(path: string): InstructionProblem {
  return cannotBeRead(path, 'it is a broken link', 'Fix the link, or delete it.');
}

export function leavesProject(path: string, target: string): InstructionProblem {
  const fate = `it is a link to ${onOneLine(target)}, outside the project`;
  const message = `Capstan ignores the instructions in ${onOneLine(path)}: ${fate}.`;
  const next = 'Replace the link with a copy of the file.';
  return { code: 'instructions-outside-project', message, next };
}

export function deniedByPolicy(path: string, target: string): InstructionProblem {
  const leads = path === target ? '' : ` (a link to ${onOneLine(target)})`;
  const message = `Capstan ignores the instructions in ${onOneLine(path)}${leads}: the policy denies reading the file.`;
  const next = 'If this is intended, no action is needed. `capstan envelope` shows the policy.';
  return { code: 'instructions-denied', message, next };
}

export function fileDisappeared(path: string): InstructionProblem {
  const next = 'No action is needed. Capstan looks for the file again before the next request.';
  return cannotBeRead(path, 'the file disappeared', next);
}

export function notAFile(path: string, kind: string): InstructionProblem {
  const message = `${onOneLine(path)} has the name of an instructions file, but is ${kind}.`;
  const next = 'Rename it, or replace it with a file that holds the instructions.';
  return { code: 'instructions-not-a-file', message, next };
}

export function notText(path: string, reason: string): InstructionProblem {
  const message = `Capstan ignores the instructions in ${onOneLine(path)}: ${reason}.`;
  return { code: 'instructions-not-text', message, next: 'Save the file as UTF-8 text.' };
}

export function damaged(path: string, replaced: number): InstructionProblem {
  const message = `The instructions in ${onOneLine(path)} are not valid UTF-8 (replaced characters: ${replaced}).`;
  return { code: 'instructions-damaged', message, next: 'Save the file as UTF-8 text.' };
}

export function instructionsCut(leftOut: string, next: string): InstructionProblem {
  return { code: 'instructions-cut', message: `The instructions are too long. Left out: ${leftOut}.`, next };
}

const controls = new RegExp(`[${controlClass}]`, 'g');

/** A path may hold any character; in a sentence it must not break the line or control the terminal. */
export const onOneLine = (path: string): string => path.replace(controls, '?');
