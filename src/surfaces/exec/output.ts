import { describePolicy } from '../../policy/describe-policy.ts';
import { resolvePolicy } from '../../policy/resolve-policy.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ThreadEvent } from '../../protocol/thread-event.ts';
import type { ChangedFile, PlanItem, TurnItem } from '../../protocol/turn-item.ts';
import { version } from '../../protocol/version.ts';
import type { OpenedThread } from '../engine.ts';
import { execEvents, shellWords } from './events.ts';

/** Where a run shows itself. Standard output carries the contract, standard error is for people. */
export interface Output {
  start(opened: OpenedThread): void;
  event(event: ThreadEvent): void;
  notice(outcome: Outcome): void;
  /** The program was told to end. Whoever told it knows why the turn ends, and takes `turn.failed` for another failure. */
  toldToEnd(): void;
}

export interface OutputOptions {
  readonly json: boolean;
  readonly color: string;
}

export function createOutput({ json, color }: OutputOptions): Output {
  if (json) return jsonOutput();
  const colored =
    color === 'always' || (color !== 'never' && process.stderr.isTTY && process.env['NO_COLOR'] === undefined);
  return plainOutput(colored ? (text) => `\x1b[2m${text}\x1b[22m` : (text) => text);
}

/** One JSON event per line on standard output, nothing else there. */
function jsonOutput(): Output {
  const toExecEvents = execEvents();
  let told = false;
  return {
    start: (opened) => say(startLine(opened)),
    notice: (outcome) => say(`${outcome.message} ${outcome.next}`),
    event(event) {
      for (const line of toExecEvents(event))
        if (!told || line.type !== 'turn.failed') process.stdout.write(`${JSON.stringify(line)}\n`);
    },
    toldToEnd: () => (told = true),
  };
}

/** What happens on standard error; the answer alone on standard output. */
function plainOutput(dim: (text: string) => string): Output {
  return {
    start: (opened) => say(dim(startLine(opened))),
    notice: (outcome) => say(`${outcome.message} ${outcome.next}`),
    toldToEnd: () => {},
    event(event) {
      switch (event.kind) {
        case 'item-completed':
          return sayItem(event.item, dim);
        case 'warning':
          return say(event.outcome.message);
        case 'turn-failed':
          return say(`${event.outcome.message} ${event.outcome.next}`);
        case 'turn-aborted':
          return say('The turn was interrupted. The thread can be resumed.');
        case 'turn-completed': {
          const { input, cachedInput, output } = event.usage;
          say(dim(`tokens used: ${input - cachedInput + output}`));
          if (event.lastMessage !== undefined) process.stdout.write(`${event.lastMessage}\n`);
          return;
        }
        case 'item-updated':
        case 'item-started':
          if (event.item.kind === 'plan') say(dim(planText(event.item)));
          if (event.item.kind === 'command') say(`$ ${event.item.argv.at(-1) ?? ''}`);
          return;
        case 'thread-started':
        case 'turn-started':
          return;
      }
    },
  };
}

function sayItem(item: TurnItem, dim: (text: string) => string): void {
  switch (item.kind) {
    case 'command': {
      const end = item.exitCode === undefined ? item.status : `exit ${item.exitCode}`;
      return say(dim(`${indent(item.output)}  [${end}]`));
    }
    case 'file-change':
      return say(dim(`${item.changes.map(changeLine).join('\n')}\n  [${item.status}]`));
    case 'reasoning':
      return say(dim(item.summary.join('\n')));
    case 'agent-message':
      return say(item.text);
    case 'image-view':
      return say(dim(`looked at ${item.path}`));
    case 'user-message':
    case 'plan':
      return;
  }
}

const marks = { completed: 'x', 'in-progress': '>', pending: ' ' };

function planText({ steps }: PlanItem): string {
  return steps.map(({ text, status }) => `  [${marks[status]}] ${text}`).join('\n');
}

function changeLine({ path, kind, movePath }: ChangedFile): string {
  return `${kind} ${path}${movePath === undefined ? '' : ` -> ${movePath}`}`;
}

/** What is in force, in one line. */
function startLine({ thread, settings }: OpenedThread): string {
  const { model, provider, effort, approval, cwd, profile } = settings;
  const policy = describePolicy(
    resolvePolicy(profile, { cwd, workspaceRoots: [cwd], slashTmp: true, gitDirectories: [] }),
    cwd,
  );
  const parts = [
    `capstan ${version}`,
    `thread ${thread.id}`,
    `model ${model} (provider ${provider}${effort === undefined ? '' : `, effort ${effort}`})`,
    `sandbox ${policy.mode}, network ${policy.network}`,
    `approval ${approval}`,
    `in ${shellWords([cwd])}`,
  ];
  return parts.join(' · ');
}

function indent(text: string): string {
  return text === '' ? '' : `${text.trimEnd().replace(/^/gm, '  ')}\n`;
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
