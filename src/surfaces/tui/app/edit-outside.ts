import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Draft, draftOf } from '../composer/draft.ts';
import { expandDraft } from '../composer/whole-draft.ts';
import { plainPaste } from '../composer/paste.ts';

/** The draft as the user's own editor leaves it, or why there is none. */
export async function editOutside(
  draft: Draft,
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly draft: Draft } | { readonly problem: string }> {
  const editor = [env['VISUAL'], env['EDITOR']].find((each) => each !== undefined && each.trim() !== '');
  if (editor === undefined)
    return { problem: 'No editor is set. Set VISUAL or EDITOR, for example: export EDITOR=vim' };
  // Made for this edit, and only its owner can look into it.
  const folder = mkdtempSync(join(tmpdir(), 'capstan-draft-'));
  const file = join(folder, 'message.md');
  try {
    writeFileSync(file, expandDraft(draft), { mode: 0o600 });
    const code = await run(editor, file);
    if (code !== 0) return { problem: `The editor ended with ${code}: the draft is as it was.` };
    return { draft: draftOf(plainPaste(readFileSync(file, 'utf8')).trimEnd()) };
  } catch (error) {
    return { problem: `The editor could not be used: ${error instanceof Error ? error.message : String(error)}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A shell takes the words of the variable apart, as users expect it. */
function run(editor: string, file: string): Promise<number | string> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? signal ?? 1));
  });
}
