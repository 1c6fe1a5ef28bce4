import type { Outcome } from '../../protocol/outcome.ts';
import { reasonOf } from '../../disk/file-system.ts';

/** What is wrong with a file of instructions. The turn continues without it, or with what could be read of it. */
export type InstructionProblem = Outcome<
  | 'instructions-unreadable'
  | 'instructions-not-a-file'
  | 'instructions-not-text'
  | 'instructions-damaged'
  | 'instructions-cut'
  | 'instructions-outside-project'
  | 'instructions-denied'
>;

export function unreadable(path: string, error: unknown): InstructionProblem {
  return {
    code: 'instructions-unreadable',
    message: `The instructions in ${onOneLine(path)} cannot be read: ${onOneLine(reasonOf(error))}.`,
    next: 'Make the file readable, or remove it.',
  };
}

export function linkLeadsNowhere(path: string): InstructionProblem {
  return {
    code: 'instructions-unreadable',
    message: `The instructions in ${onOneLine(path)} cannot be read: its link leads nowhere.`,
    next: 'Let the link lead to a file, or remove it.',
  };
}

export function leavesProject(path: string, target: string): InstructionProblem {
  return {
    code: 'instructions-outside-project',
    message: `The instructions in ${onOneLine(path)} are not read: its link leads out of the project, to ${onOneLine(target)}.`,
    next: 'Put a copy of the file into the project in place of the link.',
  };
}

export function deniedByPolicy(path: string, target: string): InstructionProblem {
  const leads = path === target ? '' : `, which leads to ${onOneLine(target)},`;
  return {
    code: 'instructions-denied',
    message: `The instructions in ${onOneLine(path)}${leads} are not read: the policy denies it.`,
    next: 'Nothing needs to be done if this is intended. `capstan envelope` shows the policy.',
  };
}

export function wentAway(path: string): InstructionProblem {
  return {
    code: 'instructions-unreadable',
    message: `The instructions in ${onOneLine(path)} cannot be read: the file went away.`,
    next: 'Nothing needs to be done. The file is looked for again before the next request.',
  };
}

export function notAFile(path: string, kind: string): InstructionProblem {
  return {
    code: 'instructions-not-a-file',
    message: `${onOneLine(path)} has the name of a file with instructions, but is ${kind}.`,
    next: 'Give it another name, or put a file with the instructions in its place.',
  };
}

export function notText(path: string, reason: string): InstructionProblem {
  return {
    code: 'instructions-not-text',
    message: `The instructions in ${onOneLine(path)} are left out: ${reason}.`,
    next: 'Save the file as text in UTF-8.',
  };
}

export function damaged(path: string, replaced: number): InstructionProblem {
  return {
    code: 'instructions-damaged',
    message: `The instructions in ${onOneLine(path)} are not all UTF-8; characters that were replaced: ${replaced}.`,
    next: 'Save the file as text in UTF-8.',
  };
}

export function cutShort(leftOut: string, next: string): InstructionProblem {
  return { code: 'instructions-cut', message: `Instructions are too long; left out: ${leftOut}.`, next };
}

/** A path may hold anything. In a sentence it must not end the line or speak to the terminal. */
export function onOneLine(path: string): string {
  return path.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '?');
}
