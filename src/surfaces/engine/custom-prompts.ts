import { join } from 'node:path';
import { namesIn } from '../../disk/folders.ts';
import { readTextIfPossible } from '../../disk/read-bounded.ts';
import { defined } from '../../protocol/defined.ts';
import { readYaml } from '../../skills/read-yaml.ts';

/** A prompt that the user keeps in a file. */
export interface CustomPrompt {
  /** Of its file, without the ending. */
  readonly name: string;
  readonly description?: string;
  /** What may stand behind its name, for people. */
  readonly takes?: string;
  /** With places for what the user adds. */
  readonly text: string;
}

const maxBytes = 1_000_000;
const mostPrompts = 500;

/** The files of a folder that end in `.md`, in the order of their names. Folders below it do not count. */
export function customPrompts(folder: string): readonly CustomPrompt[] {
  return namesIn(folder)
    .flatMap((file) => /^([\w][\w.-]*)\.md$/.exec(file)?.[1] ?? [])
    .toSorted()
    .slice(0, mostPrompts)
    .flatMap((name): readonly CustomPrompt[] => {
      const text = readTextIfPossible(join(folder, `${name}.md`), { maxBytes });
      return text === undefined ? [] : [{ name, ...readPrompt(text) }];
    });
}

/** Without the table at its top, which says what it is for. */
function readPrompt(written: string): Omit<CustomPrompt, 'name'> {
  const lines = written.replace(/^\uFEFF/, '').split(/\r\n|\n/);
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---');
  if (lines[0]?.trimEnd() !== '---' || end === -1) return { text: lines.join('\n').trim() };
  const read = readYaml(lines.slice(1, end).join('\n'));
  const table = read.kind === 'read' ? read.table : {};
  const line = (key: string): string | undefined => {
    const value = table[key];
    return typeof value === 'string' && value.trim() !== '' ? value.split(/\s+/).join(' ').trim() : undefined;
  };
  const text = lines
    .slice(end + 1)
    .join('\n')
    .trim();
  return {
    text,
    ...defined({ description: line('description'), takes: line('argument-hint') ?? line('argument_hint') }),
  };
}
