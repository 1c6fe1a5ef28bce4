import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { draftFromText, emptyDraft, insertInto, isShellDraft, replaceRange } from './draft.ts';
import { draftFromEditedText, editInExternalEditor } from './external-editor.ts';
import { pasteInto } from './pasted-text.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'edit-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** An editor that does what the script says to the file. */
function editor(script: string): string {
  const path = join(home, 'my editor.sh');
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return `'${path}' --flag`;
}

const picture = (source: string) => ({ kind: 'image', source }) as const;
const two = replaceRange(
  insertInto(replaceRange(emptyDraft, [0, 0], '[Image #1]', picture('a.png')), ' and '),
  [15, 15],
  '[Image #2]',
  picture('b.png'),
);

describe('the user’s own editor', () => {
  it('gets the draft with its pastes in full, in a folder of the home', async () => {
    const draft = pasteInto(draftFromText('see '), 'x'.repeat(1200));
    const EDITOR = editor(
      `case "$2" in ${home}/capstan/draft-*) ;; *) exit 9;; esac; test "$(wc -c < "$2")" = 1204 && printf 'new  \\n\\n' > "$2"`,
    );
    expect(await editInExternalEditor(draft, { env: { VISUAL: ' ', EDITOR }, home })).toEqual({
      draft: draftFromText('new'),
    });
    expect(readdirSync(join(home, 'capstan'))).toEqual([]);
  });

  it('finds the draft where only this user can read it', async () => {
    const EDITOR = editor('ls -ld "$2" "$(dirname "$2")" | cut -c1-10 > "$2.modes"; cat "$2.modes" > "$2"');
    expect(
      await editInExternalEditor(draftFromText('a'), { env: { PATH: process.env['PATH'] ?? '', EDITOR }, home }),
    ).toEqual({
      draft: draftFromText('drwx------\n-rw-------'),
    });
  });

  it('VISUAL comes before EDITOR; without either both are named', async () => {
    const env = { VISUAL: editor('printf visual > "$2"'), EDITOR: 'false' };
    expect(await editInExternalEditor(draftFromText('a'), { env, home })).toEqual({ draft: draftFromText('visual') });
    expect(await editInExternalEditor(draftFromText('a'), { env: {}, home })).toEqual({
      problem: 'No editor is set. Set VISUAL or EDITOR, for example: export EDITOR=vim',
    });
  });

  it.each([
    ['fails', 'exit 3', /ended with 3: the draft is as it was/],
    ['removes the file', 'rm "$2"', /the draft is as it was: it no longer exists/],
    ['leaves a pipe', 'rm "$2"; mkfifo "$2"', /the draft is as it was: .*pipe/],
    ['leaves a device', 'rm "$2"; ln -s /dev/zero "$2"', /the draft is as it was: .*device/],
    ['writes too much', 'head -c 9000000 /dev/zero > "$2"', /too long/],
  ])('that %s changes nothing', async (_, script, problem) => {
    expect(await editInExternalEditor(draftFromText('a'), { env: { EDITOR: editor(script) }, home })).toEqual({
      problem: expect.stringMatching(problem) as string,
    });
  });

  it('one that is not there changes nothing', async () => {
    const edited = await editInExternalEditor(draftFromText('a'), { env: { EDITOR: '/nowhere/vi 2>/dev/null' }, home });
    expect(edited).toEqual({ problem: '/nowhere/vi 2>/dev/null ended with 127: the draft is as it was.' });
  });
});

describe('an edited draft', () => {
  it('that was not changed keeps all of its elements', () => {
    const draft = pasteInto(two, `!${'x'.repeat(1200)}`);
    expect(draftFromEditedText(draft, `[Image #1] and [Image #2]!${'x'.repeat(1200)}\n\n`)).toBe(draft);
  });

  it('has a picture as often as its label, with new numbers', () => {
    const edited = draftFromEditedText(two, '[Image #2] [Image #2] [Image #7]');
    expect(edited.text).toBe('[Image #1] [Image #2] [Image #7]');
    expect(edited.elements.map(({ payload }) => payload)).toEqual([picture('b.png'), picture('b.png')]);
  });

  it('enters and leaves the shell by its first sign', () => {
    expect(isShellDraft(draftFromEditedText(draftFromText('ls'), '!ls\r\n'))).toBe(true);
    expect(isShellDraft(draftFromEditedText(draftFromText('!ls'), 'ls'))).toBe(false);
  });
});
