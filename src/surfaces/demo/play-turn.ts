import type { RecordedRequest, ScriptedModel } from '../../testing/index.ts';
import type { Variables } from '../../protocol/variables.ts';
import { type ExecEvent, type ExecItem } from '../exec/events.ts';
import { cutLine } from '../terminal/table.ts';
import { type ExecProcess, startExec } from './exec-process.ts';
import type { Page } from './page.ts';
import { type DemoFolders, shortened } from './place.ts';
import { constantParts, toldIn } from './told.ts';
import { shellWords } from '../../protocol/shell-words.ts';

/** What every part of the demo works with. */
export interface Stage {
  readonly page: Page;
  readonly place: DemoFolders;
  readonly model: ScriptedModel;
  readonly env: Variables;
  readonly signal: AbortSignal;
}

interface TurnAsked {
  /** Options of `exec`, and `resume` with its id. */
  readonly options: readonly string[];
  readonly words: string;
  /** Called while a command is under way. */
  readonly meanwhile?: (process: ExecProcess) => Promise<void>;
}

type Command = Extract<ExecItem, { type: 'command_execution' }>;

export type TurnSeen = Awaited<ReturnType<typeof playTurn>>;

const outputLines = 4;

/** Runs `capstan exec` for one turn and shows what happens in it. Gives what its process reported. */
export async function playTurn(stage: Stage, { options, words, meanwhile }: TurnAsked) {
  const { page, place, model, env, signal } = stage;
  page.text('$', shellWords(['capstan', 'exec', '--json', ...options, words]), 'strong');
  const before = model.requests.at(-1);
  const process = startExec([...options, words], { cwd: place.project, env, signal });
  // The commands are those that ended, in order.
  const seen = { threadId: '', completed: false, commands: [] as Command[] };
  const request = await Promise.race([model.request(model.requests.length), process.gone]);
  if (request !== undefined) showTold(stage, request, before, words);
  for await (const event of process.events) {
    showEvent(page, event);
    if (event.type === 'thread.started') seen.threadId = event.thread_id;
    if (event.type === 'turn.completed') seen.completed = true;
    if (!('item' in event) || event.item.type !== 'command_execution') continue;
    if (event.type === 'item.started') await meanwhile?.(process);
    else seen.commands.push(event.item);
  }
  page.end();
  return { ...seen, end: await process.ended };
}

/** Of the first request everything is new; of a later one, what the model has not been sent before. */
function showTold(
  { page, place }: Stage,
  request: RecordedRequest,
  before: RecordedRequest | undefined,
  words: string,
): void {
  const told = toldIn(request, before, words);
  if (before === undefined) page.row('told', [`${constantParts(request)}, then:`], 'quiet');
  for (const text of told) page.text('told', shortened(place, text), 'quiet');
  if (told.length === 0) page.row('told', ['nothing new besides these words'], 'quiet');
}

function showEvent(page: Page, event: ExecEvent): void {
  if (event.type === 'error') return page.text('error', event.message, 'bad');
  if (!('item' in event)) return;
  const { type, item } = event;
  if (type === 'item.started' && item.type === 'command_execution') page.open('runs', scriptOf(item));
  if (type !== 'item.completed') return;
  if (item.type === 'agent_message') page.text('says', item.text);
  if (item.type !== 'command_execution') return;
  const end = item.exit_code === null ? item.status : `exit ${item.exit_code}`;
  page.close(`[${end}]`, item.status === 'completed' ? 'good' : 'bad');
  const lines = item.aggregated_output.split('\n').filter((line) => line.trim() !== '');
  const shown = lines.slice(0, outputLines);
  page.row(
    '',
    shown.map((line) => cutLine(line, page.rowWidth)),
  );
}

/** What the model asked for: the last word of the command line that the shell was started with. */
function scriptOf({ command }: Command): string {
  const quoted = /^\S+ -c (?<script>.*)$/s.exec(command)?.groups?.['script'] ?? command;
  return /^'.*'$/s.test(quoted) ? quoted.slice(1, -1).replaceAll(String.raw`'\''`, "'") : quoted;
}
