import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../model/piece.ts';
import type { Command } from '../process/command.ts';
import type { TerminalMark } from '../report/marks.ts';
import { ends, streamText } from './pieces.ts';
import { escapes, PtyProgram, terminalColumns } from './pty-program.ts';

/** Letters that no text on the screens has, typed one at a time. */
const letters = ['Q', 'X', 'Z', 'V', 'Y'];
const idleKeys = 20;
const quietMs = 1500;
const silenceMs = 1500;

export interface TerminalCommand {
  readonly command: Command;
  /** The text in an empty composer. */
  readonly placeholder: string;
  /** A text that is there as soon as the conversation is: its model. */
  readonly ready: string;
}

export type ScreenSamples = Partial<Record<TerminalMark, readonly number[]>>;

/**
 * One conversation on a terminal, in scrollback mode, from the start to a transcript of 20,000 lines with an answer
 * streaming below it.
 */
export async function runScreen({ command, placeholder, ready }: TerminalCommand): Promise<ScreenSamples> {
  const program = new PtyProgram(command);
  try {
    const [frame, session] = await Promise.all([program.sees(placeholder), program.sees(ready)]);
    await pause(3000);
    const echo = await typeLetters(program, idleKeys);
    await pause(quietMs);
    const started = program.written.length;
    await say(program, 'Fill.', ends.fill);
    const streamed = await plainStream(program);
    const residentMegabytes = program.residentMegabytes;
    const echoStream = await typedStream(program);
    const clears = program.written.slice(started).match(/\u001B\[[23]J/g)?.length ?? 0;
    const idleFrames = idleFramesIn(program.written);
    await pause(quietMs);
    return {
      'terminal-frame': [frame - program.startedAt],
      'terminal-session': [session - program.startedAt],
      'terminal-echo': echo,
      'terminal-echo-stream': echoStream,
      'terminal-cpu': [streamed.cpuSeconds],
      'terminal-cores': [streamed.cores],
      'terminal-memory': [residentMegabytes],
      'terminal-bytes': [streamed.bytesPerKilobyte],
      'terminal-idle-frames': [idleFrames],
      'terminal-clears': [clears],
      'terminal-resize': await resizes(program),
    };
  } finally {
    await program.end();
  }
}

/** Shows the transcript on a screen of its own, where its end is drawn again at another width. */
export async function runWholeScreen({ command, placeholder, ready }: TerminalCommand): Promise<ScreenSamples> {
  const program = new PtyProgram(command);
  try {
    await program.sees(placeholder);
    await program.sees(ready);
    await pause(quietMs);
    await say(program, 'Fill.', ends.fill);
    return { 'terminal-resize-whole': await resizes(program) };
  } finally {
    await program.end();
  }
}

/** Narrower and wide again. */
async function resizes(program: PtyProgram): Promise<readonly number[]> {
  const narrower = await program.resize(terminalColumns - 10, silenceMs);
  return [narrower, await program.resize(terminalColumns, silenceMs)];
}

/** `cores`: of a core, while words come. What is done before the first and behind the last is no part of it. */
async function plainStream(program: PtyProgram) {
  const [cpu, from, mark] = [program.cpuSeconds, program.written.length, program.mark];
  await send(program, 'Stream.');
  await program.sees('alpha', { from: mark });
  const [begun, cpuBegun] = [monotonicMs(), program.cpuSeconds];
  await program.sees(ends.stream, { from: mark });
  const cores = (program.cpuSeconds - cpuBegun) / ((monotonicMs() - begun) / 1000);
  await pause(quietMs);
  const cpuSeconds = program.cpuSeconds - cpu;
  const written = Buffer.byteLength(program.written.slice(from));
  return { cpuSeconds, cores, bytesPerKilobyte: written / Buffer.byteLength(streamText) };
}

/** Keys while an answer streams. */
async function typedStream(program: PtyProgram): Promise<readonly number[]> {
  const from = program.mark;
  await send(program, 'Stream.');
  await program.sees('alpha', { from });
  const times: number[] = [];
  for (let at = 0; at < 40 && !program.has(ends.stream, from); at++) times.push(await typeLetter(program, at));
  await program.sees(ends.stream, { from });
  return times;
}

async function typeLetters(program: PtyProgram, count: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let at = 0; at < count; at++) times.push(await typeLetter(program, at));
  return times;
}

/** No letter is the one before it: where both come in one frame, the row would not change. */
async function typeLetter(program: PtyProgram, at: number): Promise<number> {
  const time = await program.echo(letters[at % letters.length]!);
  await pause(60);
  // It is taken back, so that the draft stays in one row.
  program.type('\u007F');
  await pause(40);
  return time;
}

async function say(program: PtyProgram, words: string, end: string): Promise<void> {
  const from = program.mark;
  await send(program, words);
  await program.sees(end, { from, withinMs: 120_000 });
  await pause(quietMs);
}

/** Enter right behind letters counts as part of a paste. */
async function send(program: PtyProgram, words: string): Promise<void> {
  program.type(words);
  await pause(400);
  program.type('\r');
}

/** Frames that write no text, erase nothing, and leave the cursor where the frame before them did. */
function idleFramesIn(written: string): number {
  const frames = written.split('\u001B[?2026h').slice(1);
  const contents = frames.map((frame) => frame.split('\u001B[?2026l')[0]!);
  return contents.filter((content, at) => {
    const hasText =
      content.replaceAll(escapes, '').replaceAll(/[\r\n]/g, '') !== '' || /\u001B\[\d*[JKLMST]/.test(content);
    return !hasText && (content === '' || content === contents[at - 1]);
  }).length;
}
