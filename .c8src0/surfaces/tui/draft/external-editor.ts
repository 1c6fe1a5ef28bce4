import { readBounded } from '../../../engine/file-access.ts';
import { renumberElements } from './draft-elements.ts';
import { draftPlainText, picturesOf } from './draft-message.ts';
import { type Draft, type DraftElement, draftFromText } from './draft.ts';
import { cleanPastedText } from './pasted-text.ts';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ExternalEditorOptions {
  /** Names the editor, and is its environment. The search path has no folder where commands may write. */
  readonly env: Readonly<Record<string, string>>;
  /** Home of the engine: no command of a model can write there, so none can change the message. */
  readonly home: string;
}

const mostBytes = 8 * 1024 * 1024;

export async function editInExternalEditor(
  draft: Draft,
  { env, home }: ExternalEditorOptions,
): Promise<{ readonly draft: Draft } | { readonly problem: string }> {
  const editor = [env['VISUAL'], env['EDITOR']].find((each) => each !== undefined && each.trim() !== '');
  if (editor === undefined)
    return { problem: 'No editor is set. Set VISUAL or EDITOR, for example: export EDITOR=vim' };
  let folder: string | undefined;
  try {
    mkdirSync(join(home, 'capstan'), { recursive: true, mode: 0o700 });
    folder = mkdtempSync(join(home, 'capstan', 'draft-'));
    const file = join(folder, 'message.md');
    writeFileSync(file, draftPlainText(draft), { mode: 0o600 });
    const code = await run(editor, file, env);
    if (code !== 0) return { problem: `${editor} ended with ${code}: the draft is as it was.` };
    // The editor may have left a pipe or a device there, which never ends.
    const edited = readBounded(file, { maxBytes: mostBytes });
    if (edited.kind === 'read') return { draft: draftFromEditedText(draft, edited.bytes.toString('utf8')) };
    const isLong = edited.kind === 'unread' && edited.why === 'too-large';
    if (isLong) return { problem: 'The edited message is too long: the draft is as it was.' };
    const why = edited.kind === 'missing' ? 'it no longer exists' : edited.reason;
    return { problem: `The edited message cannot be read, and the draft is as it was: ${why}.` };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { problem: `${editor} could not be used, and the draft is as it was: ${why}` };
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** A shell splits the variable into words, as users expect. */
const run = (editor: string, file: string, env: ExternalEditorOptions['env']): Promise<number | string> =>
  new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit', env });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? signal ?? 1));
  });

/** Makes a draft from the edited text, in which pastes are expanded. Each label of a picture becomes that picture. */
export function draftFromEditedText(before: Draft, edited: string): Draft {
  const text = cleanPastedText(edited).trimEnd();
  if (text === draftPlainText(before).trimEnd()) return before;
  const sources = picturesOf(before);
  const elements = [...text.matchAll(/\[Image #(\d{1,4})\]/g)].flatMap(
    ({ 0: label, 1: number, index }): readonly DraftElement[] => {
      const [source, end] = [sources[Number(number) - 1], index + label.length];
      return source === undefined ? [] : [{ start: index, end, payload: { kind: 'image', source } }];
    },
  );
  return renumberElements({ ...draftFromText(text), elements });
}
