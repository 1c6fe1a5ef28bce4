import type { ContenderId } from '../contenders/contender.ts';

export type MarkId =
  | 'start'
  | 'first-request'
  | 'round-trip-10k'
  | 'round-trip-1m'
  | 'extra-1m'
  | 'memory-10k'
  | 'memory-1m'
  | 'cpu-10k'
  | 'cpu-1m'
  | 'resume'
  | 'resume-turn'
  | 'memory-resume'
  | 'step-100k'
  | 'step-1m'
  | 'step-10m'
  | 'sandbox'
  | 'sandbox-carved'
  | 'sandbox-files'
  | 'sandbox-hosts'
  | TerminalMark
  | 'version';

/** Those of a conversation on a terminal. */
export const terminalMarks = [
  'terminal-frame',
  'terminal-session',
  'terminal-echo',
  'terminal-echo-stream',
  'terminal-cpu',
  'terminal-cores',
  'terminal-memory',
  'terminal-bytes',
  'terminal-idle-frames',
  'terminal-clears',
  'terminal-resize',
  'terminal-resize-whole',
] as const;

export type TerminalMark = (typeof terminalMarks)[number];

/** Those of one command, in the sandbox and bare. */
export const sandboxMarks: readonly MarkId[] = ['sandbox', 'sandbox-carved', 'sandbox-files', 'sandbox-hosts'];

/** A row of a table: a contender, or something that only `--version`, steps and commands are measured with. */
export type RowId = ContenderId | 'codex-shim' | 'node' | 'copy' | 'bare';

export interface Mark {
  readonly id: MarkId;
  readonly title: string;
  readonly unit: 'µs' | 'ms' | 's' | 'cores' | 'MB' | 'KB' | 'times';
}

/** In the order of the report. */
export const marks: readonly Mark[] = [
  { id: 'start', title: 'Start to first request', unit: 'ms' },
  { id: 'first-request', title: 'Size of the first request', unit: 'KB' },
  { id: 'round-trip-10k', title: 'Tool round trip, 10 KB of history', unit: 'ms' },
  { id: 'round-trip-1m', title: 'Tool round trip, 1 MB of history', unit: 'ms' },
  { id: 'extra-1m', title: 'Extra cost of 1 MB per round trip', unit: 'ms' },
  { id: 'memory-10k', title: 'Peak memory, 10 KB of history', unit: 'MB' },
  { id: 'memory-1m', title: 'Peak memory, 1 MB of history', unit: 'MB' },
  { id: 'cpu-10k', title: 'Processor time of the turn, 10 KB of history', unit: 's' },
  { id: 'cpu-1m', title: 'Processor time of the turn, 1 MB of history', unit: 's' },
  { id: 'resume', title: 'Resume of a 10 MB thread to first request', unit: 'ms' },
  { id: 'resume-turn', title: 'Resume of a 19 MB turn to first request', unit: 'ms' },
  { id: 'memory-resume', title: 'Peak memory of that resume', unit: 'MB' },
  { id: 'step-100k', title: 'Context of a step, 0.1 MB of history', unit: 'µs' },
  { id: 'step-1m', title: 'Context of a step, 1 MB of history', unit: 'µs' },
  { id: 'step-10m', title: 'Context of a step, 10 MB of history', unit: 'µs' },
  { id: 'sandbox', title: 'Sandboxed `true`', unit: 'ms' },
  { id: 'sandbox-carved', title: 'Sandboxed `true`, 20 carve-outs', unit: 'ms' },
  { id: 'sandbox-files', title: 'Sandboxed `true`, 10,000 files', unit: 'ms' },
  { id: 'sandbox-hosts', title: 'Sandboxed `true`, lists of hosts', unit: 'ms' },
  { id: 'terminal-frame', title: 'Terminal: first frame', unit: 'ms' },
  { id: 'terminal-session', title: 'Terminal: conversation ready', unit: 'ms' },
  { id: 'terminal-echo', title: 'Terminal: key to letter, idle', unit: 'ms' },
  { id: 'terminal-echo-stream', title: 'Terminal: key to letter, streaming below 20,000 lines', unit: 'ms' },
  { id: 'terminal-cpu', title: 'Terminal: processor time of 3,000 deltas at 800/s', unit: 's' },
  { id: 'terminal-cores', title: 'Terminal: processor while 800 deltas/s stream', unit: 'cores' },
  { id: 'terminal-memory', title: 'Terminal: memory with 20,000 lines', unit: 'MB' },
  { id: 'terminal-bytes', title: 'Terminal: written per streamed KB', unit: 'KB' },
  { id: 'terminal-idle-frames', title: 'Terminal: frames that change nothing', unit: 'times' },
  { id: 'terminal-clears', title: 'Terminal: screen or scrollback cleared', unit: 'times' },
  { id: 'terminal-resize', title: 'Terminal: resize below 20,000 lines, scrollback', unit: 'ms' },
  { id: 'terminal-resize-whole', title: 'Terminal: resize with 20,000 lines, whole screen', unit: 'ms' },
  { id: 'version', title: '--version', unit: 'ms' },
];

export const rowNames: Readonly<Record<RowId, string>> = {
  capstan: 'Capstan',
  codex: 'Codex',
  'codex-lean': 'Codex, lean',
  'codex-shim': 'Codex through npm',
  pi: 'pi (no sandbox)',
  'floor-sandboxed': 'floor, sandboxed',
  floor: 'floor',
  node: 'bare Node',
  copy: 'copy of its bytes',
  bare: 'bare command',
};
