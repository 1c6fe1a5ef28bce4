import type { Outcome } from '../../protocol/outcome.ts';
import { reasonOf } from '../../disk/file-system.ts';

/** What is wrong with a file of instructions. The turn continues without it, or with what could be read of it. */
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
  return cannotBeRead(path, 'its link leads nowhere', 'Let the link lead to a file, or remove it.');
}

export function leavesProject(path: string, target: string): InstructionProblem {
  const fate = `its link leads out of the project, to ${onOneLine(target)}`;
  const message = `The instructions in ${onOneLine(path)} are not read: ${fate}.`;
  const next = 'Put a copy of the file into the project in place of the link.';
  return { code: 'instructions-outside-project', message, next };
}

export function deniedByPolicy(path: string, target: string): InstructionProblem {
  const leads = path === target ? '' : `, which leads to ${onOneLine(target)},`;
  const message = `The instructions in ${onOneLine(path)}${leads} are not read: the policy denies it.`;
  const next = 'Nothing needs to be done if this is intended. `capstan envelope` shows the policy.';
  return { code: 'instructions-denied', message, next };
}

export function wentAway(path: string): InstructionProblem {
  const next = 'Nothing needs to be done. The file is looked for again before the next request.';
  return cannotBeRead(path, 'the file went away', next);
}

export function notAFile(path: string, kind: string): InstructionProblem {
  const message = `${onOneLine(path)} has the name of a file with instructions, but is ${kind}.`;
  const next = 'Give it another name, or put a file with the instructions in its place.';
  return { code: 'instructions-not-a-file', message, next };
}

export function notText(path: string, reason: string): InstructionProblem {
  const message = `The instructions in ${onOneLine(path)} are left out: ${reason}.`;
  return { code: 'instructions-not-text', message, next: 'Save the file as text in UTF-8.' };
}

export function damaged(path: string, replaced: number): InstructionProblem {
  const message = `The instructions in ${onOneLine(path)} are not all UTF-8; characters that were replaced: ${replaced}.`;
  return { code: 'instructions-damaged', message, next: 'Save the file as text in UTF-8.' };
}

export function cutShort(leftOut: string, next: string): InstructionProblem {
  return { code: 'instructions-cut', message: `Instructions are too long; left out: ${leftOut}.`, next };
}

/** A path may hold anything. In a sentence it must not end the line or speak to the terminal. */
export function onOneLine(path: string): string {
  return path.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '?');
}
