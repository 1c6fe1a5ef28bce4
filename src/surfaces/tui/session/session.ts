import type { SettingsChange } from '../../../core/envelope/read-settings-change.ts';
import type { AgentNode } from '../../../engine/agents/read-agent-tree.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { LiveThread, LiveThreads } from '../../../engine/live/live-thread-types.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import { outcomeText, type Outcome } from '../../../protocol/outcome.ts';
import { addUsage, noUsage, type Usage, usageSince } from '../../../protocol/usage.ts';
import { moneyWords } from '../../views/wording/cost-words.ts';
import { usedTokensWords, usedWithEstimate } from '../screen/text/format-values.ts';
import type { SlashName } from '../commands/slash-commands.ts';
import { draftToUserInput } from '../draft/draft-message.ts';
import { createDraftServices, type DraftServices } from '../draft/draft-services.ts';
import type { Draft } from '../draft/draft.ts';
import { KeptQueue } from '../flow/message-queue.ts';
import { reportWorkErrors, type RunningWork, type RunningWorkParts, UserShells } from '../flow/running-work.ts';
import { askAboutProposedPlan, TurnFlow } from '../flow/turn-flow.ts';
import { UserActions } from '../flow/user-acts.ts';
import { cleanLine } from '../screen/text/clean-text.ts';
import { drawRow, drawRows } from '../screen/text/draw-row.ts';
import type { Look } from '../screen/text/look.ts';
import { accentStyle, plain, styled } from '../screen/text/style.ts';
import { wrapIn } from '../screen/text/wrap-row.ts';
import type { TuiScreen } from '../screen/tui-screen.ts';
import { EventEntries } from '../transcript/event-entries.ts';
import { type ShownHistory, ThreadOnScreen } from './thread-on-screen.ts';
import { StatusView } from './status-line.ts';
import type { TerminalContext } from './terminal-context.ts';
import { ThreadViewer } from './thread-reader.ts';

export interface SessionParts {
  readonly stage: TuiScreen;
  readonly surroundings: TerminalContext;
  readonly engine: Engine;
  readonly threads: LiveThreads;
  quit(): void;
  now(): number;
  /** Place up to which the first thread is already on the stage, because the user was watching it. */
  readonly shown?: number;
  /** It runs beside another conversation, and is not saved. */
  readonly isSide?: true;
  runSlash(session: TuiSession, name: SlashName, rest: string): Promise<void>;
  /** Handles another program writing the thread: asks the user what to do. */
  regain(session: TuiSession): Promise<void>;
}

export class TuiSession {
  readonly parts: SessionParts;
  readonly entries: EventEntries;
  readonly doors: DraftServices;
  readonly flow: TurnFlow;
  readonly status: StatusView;
  readonly shells: UserShells;
  readonly acts = new UserActions(this);
  readonly #staged: ThreadOnScreen;
  readonly #kept: KeptQueue;
  /** Usage of the conversation outside its thread: in turns abandoned by forking, and in side conversations. */
  #spentBeside = noUsage;

  constructor(parts: SessionParts, first: LiveThread) {
    const { stage, engine, surroundings, now } = parts;
    const thread = (): LiveThread => this.thread;
    const { notice, told, run } = this;
    this.parts = parts;
    this.entries = new EventEntries(stage.transcript, (outcome) => engine.recordIfNews(outcome));
    const { entries } = this;
    this.doors = createDraftServices({ thread, engine, notice });
    this.#kept = new KeptQueue({ files: engine.user.queuedMessages(), notice });
    this.shells = new UserShells({ stage, entries, thread, now, told });
    this.flow = new TurnFlow({
      stage,
      now,
      thread,
      inputOf: (draft) => this.#inputOf(draft),
      notice,
      told,
      guard: run,
      shell: (command) => this.shells.run(command),
      slash: (name, rest) => {
        const work = this.guard(this.runSlash(name, rest));
        this.acts.order.during(work);
        return work;
      },
      broken: () => entries.broken(),
      later: () => this.acts.order.later,
      keep: (waiting) => this.#kept.save(waiting),
    });
    stage.viewOpened = () => this.acts.viewOpened();
    stage.viewClosed = () => this.flow.released();
    this.status = new StatusView({
      engine,
      surroundings,
      settings: engine.config.tui,
      thread,
      runState: () => (this.#staged.isAsking ? 'Waiting' : this.isBusy ? 'Working' : 'Ready'),
    });
    const { flow, status, work } = this;
    const proposed = (plan: string): void => run(askAboutProposedPlan(this, plan));
    const staged = { stage, surroundings, engine, entries, flow, status, now, work, run, told, proposed };
    this.#staged = new ThreadOnScreen(first, staged, parts.shown);
    stage.background = () => ({
      commands: this.thread.sessions.length,
      agents: runningAgents(parts.threads, this.thread).length,
    });
    stage.footer = (look) => this.status.rows(look);
    stage.drawn = (look) => this.status.showTitle(look);
  }

  get thread(): LiveThread {
    return this.#staged.live;
  }
  get isBusy(): boolean {
    return this.flow.isBusy;
  }

  /** Shows the history of the thread. `end`: only what fits the screen, without a header. */
  async begin({ shows = 'all' }: { readonly shows?: ShownHistory | 'none' } = {}): Promise<void> {
    await this.#staged.begin(shows);
    this.#requeue();
  }

  async switchTo(
    thread: LiveThread,
    { shows = 'all', goesBack = false }: { readonly shows?: ShownHistory; readonly goesBack?: boolean } = {},
  ): Promise<void> {
    // To the user, a thread that continues from before a message is the same conversation.
    if (goesBack) this.addSpent(thread.usage().total, this.thread.usage().total);
    else this.#spentBeside = noUsage;
    this.shells.stopAll();
    await this.#staged.switchTo(thread, shows);
    this.#requeue();
  }

  /** Queues again the messages that waited for the thread when an earlier process ended. */
  #requeue(): void {
    if (this.parts.isSide === true) return;
    const drafts = this.#kept.open(this.thread.id);
    this.flow.requeue(drafts);
    if (drafts.length === 0) return;
    const isOne = drafts.length === 1;
    const waits = isOne ? 'A message from before waits' : `${drafts.length} messages from before wait`;
    const follows = isOne ? 'It follows' : 'They follow';
    this.notice(`${waits} again. ${follows} the next message that you send; /queue shows the queue.`);
  }

  /** Adds the usage of another thread: `all` at its end minus `shared` at its start. */
  addSpent(shared: Usage, all: Usage): void {
    this.#spentBeside = addUsage(this.#spentBeside, usageSince(shared, all));
  }

  readonly notice = (text: string, level: 'info' | 'warning' | 'error' = 'info'): void => {
    this.entries.notice(text, level);
    // A command that shows a notice has taken effect, though it may continue for a long time.
    this.acts.order.tookEffect();
    this.parts.stage.draw();
  };

  noticeProblem(problem: Pick<Outcome, 'message' | 'next'>): void {
    this.notice(outcomeText(problem), 'error');
  }

  /** Shows why the thread refused. If another program writes the thread, the user is asked what to do. */
  refused(outcome: Outcome): void {
    if (outcome.code !== 'thread-locked') return this.noticeProblem(outcome);
    this.inBackground(this.parts.regain(this));
  }

  async change(change: SettingsChange): Promise<boolean> {
    const changed = await this.thread.override(change);
    this.told(changed);
    this.parts.stage.draw();
    return changed.kind !== 'refused';
  }

  async compact(focus: string): Promise<void> {
    if (this.thread.place === undefined && !this.flow.isBusy) return this.notice('Nothing to compact yet.');
    if (this.flow.isBusy) this.notice('The conversation is compacted before the next request of this turn.');
    const options = focus === '' ? {} : { focus };
    const done = await this.work('Compacting the conversation', () => this.thread.compact(options));
    // Work that did not begin has no event to report it.
    if (done?.kind === 'failed' && done.outcome.code === 'nothing-to-compact') this.notice(done.outcome.message);
  }

  async summary(): Promise<readonly string[]> {
    const { stage } = this.parts;
    const stopped = await stoppedAgentsWords(this.parts, this.thread);
    const { count } = this.#kept;
    const kept = `${count === 1 ? 'A queued message is' : `${count} queued messages are`} kept for when you continue.`;
    return endSummary(this.thread, this.#spentBeside, count === 0 ? stopped : [...stopped, kept], stage.look);
  }

  close(): void {
    this.#kept.close();
    this.shells.stopAll();
    this.#staged.close();
    this.status.close();
  }

  readonly work: RunningWork['run'] = (header, run) => {
    this.acts.order.tookEffect();
    return this.flow.runOther(header, run);
  };

  readonly workBeside: RunningWork['runBeside'] = (header, run) => {
    this.acts.order.tookEffect();
    return this.flow.works.runBeside(header, run);
  };

  readThread(id: ThreadId): ThreadViewer {
    const { stage, engine, threads, now } = this.parts;
    return new ThreadViewer(id, { engine, threads, now, changed: () => stage.draw() });
  }

  runSlash(name: SlashName, rest: string): Promise<void> {
    return this.parts.runSlash(this, name, rest);
  }

  sendWords(words: string): void {
    this.acts.sendWords(words);
  }

  inBackground(work: Promise<unknown>): void {
    const held = this.guard(this.flow.hold(work));
    if (!this.isBusy) this.acts.order.during(held);
  }

  readonly run = (work: Promise<unknown>): void => void this.guard(work);

  guard(work: Promise<unknown>): Promise<void> {
    return reportWorkErrors(work, this.notice);
  }

  #inputOf(draft: Draft) {
    const { takesPictures, settings } = this.thread;
    const load = (source: string) => this.parts.engine.loadImage(source, settings.cwd);
    return draftToUserInput(draft, { takesPictures, model: settings.model, load });
  }

  readonly told: RunningWorkParts['told'] = ({ kind, outcome }) => {
    if (kind === 'refused' && outcome !== undefined) this.refused(outcome);
  };
}

/** Lines that stay at the end: the cost, notes, and how to resume. Empty for a thread without a turn. */
function endSummary(thread: LiveThread, beside: Usage, notes: readonly string[], look: Look): readonly string[] {
  const total = addUsage(thread.usage().total, beside);
  if (thread.place === undefined) return [];
  const money = total.cost === undefined ? '' : `, ${moneyWords(total.cost, total.estimated)}`;
  const besides = usedWithEstimate(beside) === 0 ? '' : ', with what was taken back or asked beside it';
  const spent = usedWithEstimate(total) === 0 ? [] : [`${usedTokensWords(total)} tokens used${money}${besides}.`];
  const said = [...spent, ...notes].flatMap((line) => wrapIn(look, [plain(line)]));
  const command = `capstan resume ${thread.id}`;
  const before = 'To continue:';
  const row = [styled(command, accentStyle)];
  if (before.length + 1 + command.length <= look.width)
    return drawRows([[], ...said, [plain(`${before} `), ...row]], look);
  // Do not wrap the command: a narrow terminal breaks the row itself, and copies it as one line.
  return [...drawRows([[], ...said, [plain(before)]], look), drawRow(row, { ...look, width: command.length })];
}

const runningAgents = (threads: Pick<LiveThreads, 'agentsOf'>, { id }: Pick<LiveThread, 'id'>) =>
  threads.agentsOf(id).filter(({ turnId }) => turnId !== undefined);

/** Names are read from files: a hanging disk must not delay the user's exit. */
const namesMs = 500;

/** A note for the leaving user about agents that were stopped at work. Empty if none was working. */
async function stoppedAgentsWords({ engine, threads }: SessionParts, thread: LiveThread): Promise<readonly string[]> {
  const running = new Set<string>(runningAgents(threads, thread).map(({ id }) => id));
  if (running.size === 0 || thread.place === undefined) return [];
  const late = new Promise<undefined>((over) => void setTimeout(() => over(undefined), namesMs).unref());
  // Without their names, give at least their number.
  const tree = await Promise.race([engine.stored.agents(thread.id).catch(() => undefined), late]);
  const names = tree === undefined ? [] : namesIn(tree, running);
  const which = names.length === 0 ? '' : `: ${names.join(', ')}`;
  return [`${running.size === 1 ? 'An agent was' : `${running.size} agents were`} stopped at work${which}.`];
}

const namesIn = ({ agents }: AgentNode, running: ReadonlySet<string>): readonly string[] =>
  agents.flatMap((agent) => [
    ...(running.has(agent.id) ? [cleanLine(agentName(agent.path))] : []),
    ...namesIn(agent, running),
  ]);

export const agentName = (path: string): string => path.replace(/^\/root\//, '');
