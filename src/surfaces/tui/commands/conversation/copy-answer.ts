import { closesCodeFence, readFence } from '../../../../base/markdown/code-fence.ts';
import { plural } from '../../../../engine/wording.ts';
import type { Outcome } from '../../../../protocol/outcome.ts';
import type { EnvironmentVariables } from '../../../../protocol/shell.ts';
import { chooseFrom } from '../../pages/list-view.ts';
import { openPage } from '../../pages/pager-view.ts';
import { cleanLine, cleanLines } from '../../screen/text/clean-text.ts';
import { plain } from '../../screen/text/style.ts';
import { wrappedRows } from '../../screen/text/wrap-row.ts';
import type { TuiSession } from '../../session/session.ts';

const shownCharacters = 72;

/** `/copy`: the last answer, or a part of it from a list. With `answer`, and Ctrl+O: the whole answer at once. */
export async function copyAnswer(session: TuiSession, which: string): Promise<void> {
  const answer = lastAnswer(session);
  if (answer === undefined) return session.notice('There is no answer to copy yet.');
  const parts = copiedParts(answer);
  if (parts.length === 1 || which === 'answer') return copy(session, parts[0]!);
  chooseFrom(session.parts.stage, {
    title: 'Copy what?',
    items: parts.map((part) => ({
      label: nameOf(part),
      about: cleanLine(part.text.trim()).slice(0, shownCharacters),
    })),
    pick: (index) => session.inBackground(copy(session, parts[index]!)),
  });
}

export function showRawAnswer(session: TuiSession): void {
  const answer = lastAnswer(session);
  if (answer === undefined) return session.notice('There is no answer yet.');
  const lines = cleanLines(answer.trimEnd()).map((line) => [plain(line)]);
  const title = 'The last answer as it was written';
  openPage(session.parts.stage, { title, rows: (look) => wrappedRows(lines, look, 'anywhere') });
}

const lastAnswer = (session: TuiSession): string | undefined =>
  session.parts.stage.transcript.entries.findLast(({ answer }) => answer !== undefined)?.answer;

function nameOf({ kind, language }: CopiedPart): string {
  if (kind === 'answer') return 'the whole answer';
  return kind === 'quote' ? 'a quote' : language === undefined ? 'code' : cleanLine(`code, ${language}`);
}

async function copy(session: TuiSession, part: CopiedPart): Promise<void> {
  const { stage, engine } = session.parts;
  const ways = copyWays(process.env, process.platform);
  const feed = (words: readonly string[], text: string) => engine.user.feedClipboard(words, text);
  const copied = await copyText(part.text, { ways, feed, write: (sequence) => stage.send(sequence) });
  if ('code' in copied) return session.noticeProblem(copied);
  const what = part.kind === 'answer' ? 'The answer' : nameOf(part).replace(/^[a-z]/, (sign) => sign.toUpperCase());
  session.notice(`${what} (${plural(part.text.length, 'character')}) was copied to ${copied.name}.`);
}

type CopyWay =
  | { readonly kind: 'program'; readonly words: readonly [string, ...string[]]; readonly name: string }
  | { readonly kind: 'terminal'; readonly name: string };

/** Terminals may silently drop longer sequences. */
const mostTerminalBytes = 100_000;
const terminal: CopyWay = { kind: 'terminal', name: 'the terminal' };
/** tmux keeps the text and passes it to the outer terminal. */
const tmux = program('the buffer of tmux', 'tmux', 'load-buffer', '-w', '-');

/** The ways to try, best first. Over SSH, the clipboard of this machine is not the user's. */
export function copyWays(env: EnvironmentVariables, platform: NodeJS.Platform): readonly CopyWay[] {
  const has = (name: string): boolean => (env[name] ?? '') !== '';
  const last = has('TMUX') ? [tmux, terminal] : [terminal];
  if (['SSH_TTY', 'SSH_CONNECTION', 'SSH_CLIENT'].some(has)) return last;
  if (platform === 'darwin') return [program('the clipboard', 'pbcopy'), ...last];
  if (platform === 'win32') return [program('the clipboard', 'clip.exe'), ...last];
  return [
    ...(has('WAYLAND_DISPLAY') ? [program('the clipboard', 'wl-copy')] : []),
    ...(has('DISPLAY') ? [program('the clipboard', 'xclip', '-selection', 'clipboard')] : []),
    ...(has('DISPLAY') ? [program('the clipboard', 'xsel', '--clipboard', '--input')] : []),
    ...(has('WSL_DISTRO_NAME') ? [program('the clipboard of Windows', 'clip.exe')] : []),
    ...last,
  ];
}

function program(name: string, ...words: readonly [string, ...string[]]): CopyWay {
  return { kind: 'program', words, name };
}

interface CopiedPart {
  readonly kind: 'answer' | 'code' | 'quote';
  readonly language?: string;
  readonly text: string;
}

/** The whole answer, then each block of code and each quote of it, in order. */
export function copiedParts(answer: string): readonly CopiedPart[] {
  const parts: CopiedPart[] = [{ kind: 'answer', text: answer.trimEnd() }];
  const lines = answer.split('\n');
  for (let at = 0; at < lines.length; at++) {
    // Fences in list items are indented.
    const fence = readFence(lines[at]!.trimStart());
    const from = at;
    if (fence !== undefined) {
      const [indent, { language }] = [indentOf(lines[at]!), fence];
      at += 1;
      while (at < lines.length && !closesCodeFence(fence, lines[at]!.trimStart())) at += 1;
      const code = lines.slice(from + 1, at).map((line) => line.slice(Math.min(indentOf(line), indent)));
      if (code.length > 0) parts.push({ kind: 'code', language: language || undefined, text: code.join('\n') });
    } else if (isQuote(lines[at]!)) {
      while (at + 1 < lines.length && isQuote(lines[at + 1]!)) at += 1;
      const quoted = lines.slice(from, at + 1).map((line) => line.replace(/^\s*> ?/, ''));
      parts.push({ kind: 'quote', text: quoted.join('\n') });
    }
  }
  return parts;
}

const indentOf = (line: string): number => line.length - line.trimStart().length;
const isQuote = (line: string): boolean => /^ {0,3}>/.test(line);

interface CopyParts {
  readonly ways: readonly CopyWay[];
  /** Runs a program with the text as input. Gives true if it took the text. */
  feed(words: readonly string[], text: string): Promise<boolean>;
  write(sequence: string): void;
}

export async function copyText(text: string, { ways, feed, write }: CopyParts): Promise<CopyWay | Outcome> {
  const bytes = Buffer.byteLength(text);
  for (const way of ways) {
    if (way.kind === 'terminal') {
      if (bytes > mostTerminalBytes) continue;
      write(`\u001B]52;c;${Buffer.from(text).toString('base64')}\u0007`);
      return way;
    }
    if (await feed(way.words, text)) return way;
  }
  const isLong = bytes > mostTerminalBytes;
  const message = isLong ? 'The text is too long for the clipboard of a terminal.' : 'No clipboard was found.';
  return { code: 'not-copied', message, next: 'Write it to a file with /export.' };
}
