import { isWritableProgram, programCandidates } from '../../policy/find-program.ts';
import type { ProgramFiles } from '../../ports/program-files.ts';
import type { SandboxRefused } from '../../ports/sandbox.ts';
import type { Spawn } from '../../ports/spawn.ts';
import type { Bubblewrap } from './bubblewrap.ts';
import { probeBubblewrap } from './probe-bubblewrap.ts';

export interface BubblewrapSearch {
  /** The search path of this process. */
  readonly path: string;
  /** Folders in which commands may write: a program from there is not trusted to hold them. */
  readonly writable: readonly string[];
  /** Named by the user. */
  readonly chosen?: string;
  /** Came with the package. It is as trustworthy as the engine, which it stands beside, wherever that is. */
  readonly packaged?: string;
}

export interface BubblewrapParts {
  readonly spawn: Spawn;
  /** What is known of programs that were tried before; a program is tried once. Absent: nothing. */
  readonly probed?: Map<string, Promise<Bubblewrap | SandboxRefused>>;
  readonly files: ProgramFiles;
}

/** The first program that can build a sandbox here, or why there is none. */
export async function findBubblewrap(
  search: BubblewrapSearch,
  { spawn, files, probed = new Map() }: BubblewrapParts,
): Promise<Bubblewrap | SandboxRefused> {
  const problems: SandboxRefused[] = [];
  const probe = (program: string): Promise<Bubblewrap | SandboxRefused> => {
    const known = probed.get(program) ?? probeBubblewrap(program, spawn);
    probed.set(program, known);
    return known;
  };
  for (const candidate of bubblewrapCandidates(search, files)) {
    const found = typeof candidate === 'string' ? await probe(candidate) : candidate;
    if (found.kind === 'bubblewrap' || candidate === found) return found;
    problems.push(found);
  }
  return problems[0] ?? missing;
}

/** Programs that may be bubblewrap, best first, links followed. A refusal ends the list: what comes after is not tried. */
export function bubblewrapCandidates(
  { path, writable, chosen, packaged }: BubblewrapSearch,
  files: ProgramFiles,
): readonly (string | SandboxRefused)[] {
  const searched = programCandidates({ name: 'bwrap', prefer: 'caller', path, writable }, files);
  const named = [chosen, packaged].map((program) => (program ? files.program(program) : undefined));
  if (chosen !== undefined && named[0] !== undefined && isWritableProgram(chosen, writable, files)) {
    return [...searched, writableChoice(chosen)];
  }
  const programs = [...new Set([...searched, ...named].filter((program) => program !== undefined))];
  return chosen && named[0] === undefined ? [...programs, noProgram(chosen, files)] : programs;
}

const missing: SandboxRefused = {
  kind: 'refused',
  code: 'sandbox-missing',
  message: 'Commands need a sandbox under this policy, and bubblewrap, which builds it, was not found.',
  next: 'Install the package "bubblewrap" so that `bwrap` is on the PATH, or set CAPSTAN_BWRAP to its path.',
};

function noProgram(chosen: string, files: ProgramFiles): SandboxRefused {
  const why = files.place(chosen) === undefined ? 'does not exist' : 'is not a file that you may execute';
  const message = `CAPSTAN_BWRAP names ${JSON.stringify(chosen)}, which ${why}, and no other bubblewrap works here.`;
  const next = 'Set CAPSTAN_BWRAP to the path of bubblewrap, or unset it and install the package "bubblewrap".';
  return { kind: 'refused', code: 'sandbox-missing', message, next };
}

function writableChoice(chosen: string): SandboxRefused {
  const where = 'lies where commands may write, so that a command could have replaced it';
  const message = `CAPSTAN_BWRAP names ${JSON.stringify(chosen)}, which ${where}.`;
  const next = 'Move the program out of the workspace and of temporary folders, or unset CAPSTAN_BWRAP.';
  return { kind: 'refused', code: 'sandbox-unusable', message, next };
}
