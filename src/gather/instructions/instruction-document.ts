import type { InstructionRules } from '../../envelope/settings.ts';
import type { Clock } from '../../ports/clock.ts';
import { defined } from '../../protocol/defined.ts';
import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';
import {
  composeInstructions,
  documentBytes,
  type InstructionText,
  isBlank,
  type LoadedInstructions,
  personalBytes,
  whyNotText,
} from './compose-instructions.ts';
import {
  findInstructionFiles,
  type FoundInstructions,
  type InstructionFile,
  readBeginning,
} from './find-instruction-files.ts';
import { type InstructionProblem, notText } from './instruction-problems.ts';
import { readGuard } from '../files/read-guard.ts';

/** A time stamp younger than this may be shared by a change that is still to come. */
const settledAfterMs = 2_000;

/** How often to look again when files move while they are read. */
const attempts = 3;

/**
 * The text of all AGENTS.md files that apply, for a caller that asks before every model request: the next call notices
 * an edit. As long as no file changes, only their names are looked at and the answer is the one from before. Whatever
 * is wrong with a file is a problem, never an error.
 */
export class InstructionFiles {
  readonly #home: string;
  readonly #clock: Clock;
  #last: { readonly key: string; readonly loaded: LoadedInstructions } | undefined;

  /** `home` is the user folder, whose file holds for all projects. */
  constructor({ home, clock }: { readonly home: string; readonly clock: Clock }) {
    this.#home = home;
    this.#clock = clock;
  }

  /** `policy` says what may be read for the model. */
  async load(rules: InstructionRules, { policy, effectiveWindow }: LoadingTurn): Promise<LoadedInstructions> {
    const reads = readGuard(policy);
    const mostBytes = documentBytes(effectiveWindow);
    for (let attempt = 1; ; attempt++) {
      const found = findInstructionFiles(this.#home, rules, reads);
      const key = JSON.stringify([rules.cwd, rules.maxBytes, mostBytes, found]);
      if (this.#last?.key === key) return this.#last.loaded;
      const settledBefore = this.#clock.now() - settledAfterMs;
      const { loaded, state } = read(found, { ...rules, mostBytes });
      if (state === 'moved' && attempt < attempts) continue;
      const isSettled = [...found.personal, ...found.project].every(({ modifiedMs }) => modifiedMs < settledBefore);
      this.#last = isSettled && state === 'whole' ? { key, loaded } : undefined;
      return loaded;
    }
  }
}

/** The turn for which the files are read. */
interface LoadingTurn {
  readonly policy: ResolvedPolicy;
  /** In tokens. */
  readonly effectiveWindow: number;
}

interface Read {
  readonly loaded: LoadedInstructions;
  /** `moved`: it is worth looking again at once. `failed`: something could not be read, and may be later. */
  readonly state: 'whole' | 'moved' | 'failed';
}

function read(
  found: FoundInstructions,
  { cwd, maxBytes, mostBytes }: InstructionRules & { readonly mostBytes: number },
): Read {
  const problems: InstructionProblem[] = [...found.problems];
  let state: Read['state'] = 'whole';
  const textOf = (file: InstructionFile, limit: number): InstructionText | undefined => {
    const result = readBeginning(file, limit);
    if (result.kind === 'changed' || result.kind === 'gone') state = 'moved';
    if (result.kind === 'failed' && state === 'whole') state = 'failed';
    if ('problem' in result) {
      problems.push(result.problem);
      return undefined;
    }
    const reason = whyNotText(result.text.bytes);
    if (reason === undefined) return result.text;
    problems.push(notText(file.path, reason));
    return undefined;
  };

  const personal = found.personal
    .values()
    .map((file) => textOf(file, personalBytes(mostBytes)))
    .find((text) => text !== undefined && !isBlank(text));
  const limit = Math.min(maxBytes, mostBytes);
  const project = found.project.map((file) => textOf(file, limit)).filter((text) => text !== undefined);
  const composed = composeInstructions({ ...defined({ personal }), project, cwd, maxBytes, mostBytes });
  return { loaded: { document: composed.document, problems: [...problems, ...composed.problems] }, state };
}
