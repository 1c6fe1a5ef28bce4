import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EngineParts } from '../engine-parts.ts';
import {
  parseAppleScriptBytes,
  clipboardWays,
  pathsOfUris,
  readClipboard,
  parseWindowsClipboard,
} from './clipboard.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'clipboard-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Programs that print what a clipboard has for a type. */
function read(programs: Readonly<Record<string, string>>, env: Readonly<Record<string, string>>) {
  for (const [name, script] of Object.entries(programs))
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const find = (name: string): string | undefined => (name in programs ? join(folder, name) : undefined);
  const parts = {
    programs: { find, searchPath: () => '/usr/bin:/bin' },
    programFolder: () => folder,
    options: { env },
  } as unknown as EngineParts;
  return readClipboard(parts, 'linux');
}

const offering = (types: string, rest: string): string =>
  `case "$*" in *list-types*|*TARGETS*) printf '${types}';; ${rest} esac`;

describe('the clipboard', () => {
  it('has files before pictures', async () => {
    const script = offering(
      'image/png\\ntext/uri-list\\n',
      String.raw`*uri-list*) printf 'file:///a/b%%20c.png\r\nfile:///d.txt\r\n';;`,
    );
    expect(await read({ 'wl-paste': script }, { WAYLAND_DISPLAY: 'w' })).toEqual({
      kind: 'files',
      paths: ['/a/b c.png', '/d.txt'],
    });
  });

  it('gives the bytes of a picture as they are', async () => {
    const script = offering('text/plain\\nimage/jpeg\\n', String.raw`*image/jpeg*) printf '\377\330\000x';;`);
    expect(await read({ xclip: script }, { DISPLAY: ':0' })).toEqual({
      kind: 'picture',
      dataUrl: `data:image/jpeg;base64,${Buffer.from([0xff, 0xd8, 0, 0x78]).toString('base64')}`,
    });
  });

  it('says why there is none', async () => {
    const code = 'clipboard-unreadable';
    expect(await read({}, {})).toMatchObject({ code, next: 'Paste the path of the picture instead.' });
    expect(await read({}, { DISPLAY: ':0' })).toMatchObject({ code, next: 'Install xclip.' });
    const nothing = { 'wl-paste': offering('text/plain', '') };
    expect(await read(nothing, { WAYLAND_DISPLAY: 'w' })).toMatchObject({ code, message: /no picture/ as never });
    expect(await read({ 'wl-paste': 'exit 1' }, { WAYLAND_DISPLAY: 'w' })).toMatchObject({ code });
  });

  it('is that of Windows in its Linux, and of the Mac on a Mac', () => {
    const names = (platform: NodeJS.Platform, env: Readonly<Record<string, string>>) =>
      clipboardWays(platform, env).map(({ program }) => program);
    expect(names('linux', { WSL_DISTRO_NAME: 'U', WAYLAND_DISPLAY: 'w' })).toEqual(['powershell.exe', 'wl-paste']);
    expect(names('linux', { WAYLAND_DISPLAY: 'w', DISPLAY: ':0' })).toEqual(['wl-paste', 'xclip']);
    expect(names('darwin', {})).toEqual(['osascript']);
    expect(names('linux', {})).toEqual([]);
  });

  it('of other systems is read from what their programs print', () => {
    expect(parseAppleScriptBytes('«data PNGf8950»\n')).toEqual(Buffer.from([0x89, 0x50]));
    expect(parseAppleScriptBytes('error')).toBeUndefined();
    expect(parseWindowsClipboard('files\r\nC:\\a.png\r\n')).toEqual({ kind: 'files', paths: ['C:\\a.png'] });
    expect(parseWindowsClipboard('picture\r\niVA=\r\n')).toEqual({
      kind: 'picture',
      dataUrl: 'data:image/png;base64,iVA=',
    });
    expect(parseWindowsClipboard('')).toBeUndefined();
    expect(pathsOfUris('# comment\nfile:///a\nhttp://x/b\nfile://%zz\n')).toEqual(['/a']);
  });
});
