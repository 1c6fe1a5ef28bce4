import { valueOr } from '../../base/objects.ts';
import { feedProgram, readOutput } from '../../adapters/exec/run-program.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { EnvironmentVariables } from '../../protocol/shell.ts';
import type { EngineParts } from '../engine-parts.ts';
import { programVariables } from '../sandbox/user-program-variables.ts';

/** Clipboard content for a message. `picture`: as a data URL. */
export type ClipboardContent =
  | { readonly kind: 'files'; readonly paths: readonly string[] }
  | { readonly kind: 'picture'; readonly dataUrl: string };

type Ask = (...argv: readonly string[]) => Promise<Buffer | undefined>;

export interface ClipboardWay {
  readonly program: string;
  readonly from: string;
  read(ask: Ask): Promise<ClipboardContent | undefined>;
}

/** Larger pictures are refused anyway. As text they take more than twice as much. */
const mostBytes = 32 * 1024 * 1024;
const readTimeoutMs = 5000;

/** Reads files, or else a picture, from the user's clipboard. */
export async function readClipboard(
  parts: Pick<EngineParts, 'programs' | 'programFolder' | 'options'>,
  platform: NodeJS.Platform = process.platform,
): Promise<ClipboardContent | Outcome> {
  const { programs, programFolder, options } = parts;
  const ways = clipboardWays(platform, options.env);
  const [first] = ways;
  if (first === undefined) return unreadable('There is no screen, so there is no clipboard to read.', noScreen);
  const found = ways.find(({ program }) => programs.find(program) !== undefined);
  if (found === undefined)
    return unreadable(`The clipboard cannot be read: ${first.program} is not installed.`, `Install ${first.from}.`);
  const reading = { cwd: programFolder(), env: programVariables(parts), timeoutMs: readTimeoutMs, mostBytes };
  const content = await found.read(async (name, ...args) => {
    const output = await readOutput([programs.find(name) ?? name, ...args], reading);
    return output === undefined || output.length === 0 ? undefined : output;
  });
  return content ?? unreadable('There is no picture in the clipboard.', 'Copy a picture, or paste its path.');
}

const noScreen = 'Paste the path of the picture instead.';
const unreadable = (message: string, next: string): Outcome => ({ code: 'clipboard-unreadable', message, next });

/** The ways to read a system's clipboard, best first. */
export function clipboardWays(platform: NodeJS.Platform, env: EnvironmentVariables): readonly ClipboardWay[] {
  const has = (name: string): boolean => (env[name] ?? '') !== '';
  if (platform === 'darwin') return [macos];
  const linux = [...(has('WAYLAND_DISPLAY') ? [wayland] : []), ...(has('DISPLAY') ? [x11] : [])];
  return has('WSL_DISTRO_NAME') || has('WSL_INTEROP') ? [windows, ...linux] : linux;
}

const wayland: ClipboardWay = {
  program: 'wl-paste',
  from: 'wl-clipboard',
  read: (ask) => byTypes(ask('wl-paste', '--list-types'), (type) => ask('wl-paste', '--no-newline', '--type', type)),
};

const x11: ClipboardWay = {
  program: 'xclip',
  from: 'xclip',
  read(ask) {
    const get = (target: string) => ask('xclip', '-selection', 'clipboard', '-target', target, '-out');
    return byTypes(get('TARGETS'), get);
  },
};

const fileUrl = `try
POSIX path of (the clipboard as «class furl»)
end try`;

/** Not tested on a Mac. */
const macos: ClipboardWay = {
  program: 'osascript',
  from: 'the tools of macOS',
  async read(ask) {
    const file = (await ask('osascript', '-e', fileUrl))?.toString('utf8').trim() ?? '';
    if (file !== '') return { kind: 'files', paths: [file] };
    const picture = await ask('osascript', '-e', 'the clipboard as «class PNGf»');
    return pictureOf('image/png', parseAppleScriptBytes(picture?.toString('utf8') ?? ''));
  },
};

/** Parses `«data PNGf89504E47…»`. */
export function parseAppleScriptBytes(printed: string): Buffer | undefined {
  const [, hex] = /«data PNGf([\dA-Fa-f]+)»/.exec(printed) ?? [];
  return hex === undefined ? undefined : Buffer.from(hex, 'hex');
}

const powershell = `Add-Type -AssemblyName System.Windows.Forms, System.Drawing
$files = [Windows.Forms.Clipboard]::GetFileDropList()
if ($files.Count -gt 0) { 'files'; $files } else {
  $image = [Windows.Forms.Clipboard]::GetImage()
  if ($image) {
    $memory = New-Object IO.MemoryStream
    $image.Save($memory, [Drawing.Imaging.ImageFormat]::Png)
    'picture'; [Convert]::ToBase64String($memory.ToArray())
  }
}`;

/** For Linux inside Windows. Not tested there. */
const windows: ClipboardWay = {
  program: 'powershell.exe',
  from: 'Windows PowerShell',
  async read(ask) {
    const printed = await ask('powershell.exe', '-NoProfile', '-STA', '-Command', powershell);
    return parseWindowsClipboard(printed?.toString('utf8') ?? '');
  },
};

export function parseWindowsClipboard(printed: string): ClipboardContent | undefined {
  const [kind, ...rest] = printed.split(/\r?\n/).filter((line) => line !== '');
  if (kind === 'files') return { kind: 'files', paths: rest };
  return kind === 'picture' ? pictureOf('image/png', Buffer.from(rest.join(''), 'base64')) : undefined;
}

const pictureTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;

/** Files first: a file manager puts a small icon beside them. */
async function byTypes(types: Promise<Buffer | undefined>, get: (type: string) => Promise<Buffer | undefined>) {
  const offered = new Set((await types)?.toString('utf8').split(/\s+/));
  if (offered.has('text/uri-list')) {
    const paths = pathsOfUris((await get('text/uri-list'))?.toString('utf8') ?? '');
    if (paths.length > 0) return { kind: 'files', paths } as const;
  }
  const type = pictureTypes.find((each) => offered.has(each));
  return type === undefined ? undefined : pictureOf(type, await get(type));
}

/** Parses a list of `file://` addresses, one in each line. */
export function pathsOfUris(list: string): readonly string[] {
  return list.split(/\r?\n/).flatMap((line) => {
    if (!line.startsWith('file://')) return [];
    return valueOr([], () => [decodeURIComponent(new URL(line).pathname)]);
  });
}

function pictureOf(type: string, bytes: Buffer | undefined): ClipboardContent | undefined {
  if (bytes === undefined || bytes.length === 0) return undefined;
  return { kind: 'picture', dataUrl: `data:${type};base64,${bytes.toString('base64')}` };
}

const writeTimeoutMs = 3000;

/** Returns whether the program took the text. One that commands could have written is treated as missing. */
export async function writeToClipboardProgram(
  parts: Pick<EngineParts, 'programs' | 'programFolder' | 'options'>,
  [name = '', ...words]: readonly string[],
  text: string,
): Promise<boolean> {
  const program = parts.programs.find(name);
  if (program === undefined) return false;
  const env = programVariables(parts);
  return feedProgram([program, ...words], { cwd: parts.programFolder(), env, input: text, timeoutMs: writeTimeoutMs });
}
