import { listFolderNames } from '../../adapters/disk/file-system.ts';
import { readTextIfPossible } from '../../adapters/disk/regular-files.ts';
import { systemPrograms } from '../../adapters/exec/find-programs.ts';
import { createPromptHistory, type PromptHistory } from '../../adapters/rollout/prompt-history.ts';
import { parseYamlTable, splitFrontMatter } from '../../adapters/skills/skill-head.ts';
import { defined } from '../../base/objects.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { EngineParts } from '../engine-parts.ts';
import { join } from 'node:path';

export interface CustomPrompt {
  /** The file name without its ending. */
  readonly name: string;
  readonly description?: string;
  /** The arguments that may follow the name, for people. */
  readonly takes?: string;
  readonly text: string;
}

export type CustomPrompts = { readonly prompts: readonly CustomPrompt[]; readonly problems: readonly Outcome[] };
const maxBytes = 1_000_000;
const mostPrompts = 500;

/** Reads the `.md` files of a folder, sorted by name. Subfolders do not count. */
export async function readCustomPrompts(folder: string): Promise<CustomPrompts> {
  const names = listFolderNames(folder).flatMap((file) => /^([\w][\w.-]*)\.md$/.exec(file)?.[1] ?? []);
  const prompts: CustomPrompt[] = [];
  const problems: Outcome[] = [];
  for (const name of names.toSorted().slice(0, mostPrompts)) {
    const path = join(folder, `${name}.md`);
    const text = readTextIfPossible(path, { maxBytes });
    const read = text === undefined ? undefined : await readPrompt(text);
    if (typeof read === 'object') prompts.push({ name, ...read });
    else if (read !== undefined) problems.push(wrongPrompt(path, read));
  }
  return { prompts, problems };
}

/** Removes the front matter (the YAML between `---` lines). Returns a sentence if it is wrong. */
async function readPrompt(written: string): Promise<Omit<CustomPrompt, 'name'> | string> {
  const split = splitFrontMatter(written);
  if (split.kind === 'open') return 'no line of `---` ends its table';
  if (split.kind === 'headless') {
    const text = written.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
    return { text: text.trim() };
  }
  const read = await parseYamlTable(split.head);
  if (read.kind === 'unread') return read.reason;
  const texts = { ...read.table };
  for (const key of ['argument-hint', 'argument_hint']) {
    const hint = texts[key];
    // A hint such as [FILE] is a list in YAML.
    if (Array.isArray(hint) && hint.every((each) => typeof each === 'string')) texts[key] = `[${hint.join(', ')}]`;
  }
  const odd = ['description', 'argument-hint', 'argument_hint'].find((key) => typeof (texts[key] ?? '') !== 'string');
  if (odd !== undefined) return `its \`${odd}\` is a list or a table; write a text, in quotes if need be`;
  const line = (key: string): string | undefined => {
    const value = texts[key];
    return typeof value === 'string' && value.trim() !== '' ? value.split(/\s+/).join(' ').trim() : undefined;
  };
  const takes = line('argument-hint') ?? line('argument_hint');
  return { text: split.body.trim(), ...defined({ description: line('description'), takes }) };
}

function wrongPrompt(path: string, reason: string): Outcome<'prompt-wrong'> {
  const message = `The prompt ${path} is left out: ${reason}.`;
  return { code: 'prompt-wrong', message, next: 'Correct it, or remove it.' };
}

export type { PromptHistory, PromptPlace } from '../../adapters/rollout/prompt-history.ts';

/** Reads only the user's configuration: a project must not decide about the user's history file. */
export function openPromptHistory({ base, clock }: Pick<EngineParts, 'base' | 'clock'>): PromptHistory {
  const { persistence, maxBytes = 0 } = base.config.history ?? {};
  const path = `${base.home}/history.jsonl`;
  return createPromptHistory({ path, clock, programs: systemPrograms, isOff: persistence === 'none', maxBytes });
}
