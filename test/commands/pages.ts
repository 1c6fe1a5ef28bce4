import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

/** The pages for users. */
export const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith('.md'),
);

export function readPage(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

/** A block for a shell. One that is marked `run` needs neither network nor programs of others: the tests run it. */
export interface ShellBlock {
  readonly isRun: boolean;
  readonly code: string;
}

export function shellBlocks(page: string): readonly ShellBlock[] {
  const blocks = readPage(page).matchAll(/^```sh( run)?\n(.*?)^```$/gms);
  return [...blocks].map(([, mark, code = '']) => ({ isRun: mark !== undefined, code }));
}
