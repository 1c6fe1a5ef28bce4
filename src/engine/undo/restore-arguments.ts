import {
  wholeNumberOption,
  stringOption,
  choiceOption,
  booleanOption,
  functionOption,
  validateOptions,
} from '../../core/envelope/read-options.ts';
import type { OptionProblem, OptionReaders, OptionType } from '../../core/envelope/read-options.ts';
import type { RollbackTarget } from '../thread/branch/rollback-range.ts';
import type { RestoreOptions, RestoreTarget } from './restore-files.ts';

const restoreOptions = {
  dryRun: { type: booleanOption, required: true },
  diffs: { type: booleanOption },
  force: { type: booleanOption, required: true },
  meanwhile: { type: booleanOption },
  progress: { type: functionOption() },
  told: { type: functionOption() },
} as const satisfies OptionReaders<RestoreOptions>;

/** Refuses unknown and missing options, so that a mistyped `dryRun` cannot bring files back. */
export const validateRestoreOptions = (options: unknown): RestoreOptions | OptionProblem =>
  validateOptions<RestoreOptions>(options, restoreOptions, 'restoreFiles()');

type AnyTarget = { readonly beforeTurn?: string; readonly beforeRestore?: 'last' };

const anyTarget = {
  beforeTurn: { type: stringOption },
  beforeRestore: { type: choiceOption('last') },
} as const satisfies OptionReaders<AnyTarget>;

export function validateRestoreTarget(target: unknown): RestoreTarget | OptionProblem {
  const read = validateOptions<AnyTarget>(target, anyTarget, 'the target of restoreFiles()');
  return onlyOne<RestoreTarget>(read, Object.keys(anyTarget));
}

const checkpoint: OptionType<number | 'newest'> = {
  expected: 'the number of a checkpoint, or "newest"',
  read: (given) => (given === 'newest' ? given : wholeNumberOption.read(given)),
};

type AnyRollback = { readonly turns?: number; readonly toTurn?: string; readonly beforeCheckpoint?: number | 'newest' };

const anyRollback = {
  turns: { type: wholeNumberOption },
  toTurn: { type: stringOption },
  beforeCheckpoint: { type: checkpoint },
} as const satisfies OptionReaders<AnyRollback>;

export const validateRollbackTarget = (to: unknown): RollbackTarget | OptionProblem =>
  onlyOne<RollbackTarget>(validateOptions<AnyRollback>(to, anyRollback, 'rollback()'), Object.keys(anyRollback));

/** Requires exactly one of these keys. */
function onlyOne<Meant>(read: object | OptionProblem, keys: readonly string[]): Meant | OptionProblem {
  if ('code' in read || Object.keys(read).length === 1) return read as Meant | OptionProblem;
  const given = Object.keys(read);
  const message =
    given.length === 0 ? 'No place to go back to was given.' : `${given.join(' and ')} were given together.`;
  return { code: 'option-wrong', message, next: `Give exactly one of ${keys.join(', ')}.` };
}
