import { needsSandbox } from '../../core/policy/paths/access.ts';
import { grantedFolders } from '../../core/policy/profiles/profile-entries.ts';
import type { AgentNode } from '../../engine/agents/read-agent-tree.ts';
import type { EngineRefused } from '../../engine/engine-refused.ts';
import type { Engine } from '../../engine/engine.ts';
import { kindOfEntry } from '../../engine/file-access.ts';
import { limitHeapGrowth } from '../../engine/limit-heap-growth.ts';
import type { LiveRequest, LiveThread, LiveThreads } from '../../engine/live/live-thread-types.ts';
import { liveThreads } from '../../engine/live/live-threads.ts';
import type { OpenedThread } from '../../engine/thread-setup/open-thread.ts';
import { formatCount, policyInForce } from '../../engine/wording.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { Fault, type Outcome } from '../../protocol/outcome.ts';
import type { ResolvedPolicy } from '../../protocol/permissions.ts';
import type { ThreadEvent } from '../../protocol/thread-event.ts';
import { usedTokens } from '../../protocol/usage.ts';
import { type ExecArguments, execCommand } from '../views/command-line/exec-command.ts';
import { loadEngine } from '../views/command-line/load-engine.ts';
import { runCommand } from '../views/command-line/run-command.ts';
import { currentFolder, diskLossAsOutcome, endOnSignal } from '../views/terminal/process.ts';
import type { ApprovalAnswerer } from './approvals/approvals.ts';
import { createOutput } from './create-output.ts';
import { checkLastMessageFile, loadImages, loadOutputSchema, writeLastMessage } from './option-files.ts';
import type { ExecPrinter } from './output.ts';
import { readPrompt } from './stdin.ts';
import { resolve } from 'node:path';

/** Runs `capstan exec` without loading the tables of other commands. */
export const runExec = (words: readonly string[]): Promise<number> =>
  runCommand(execCommand, words, () => ({ run, whereElse: hintToReadThread }));

/** The place of a turn's answer when standard output could not take it. */
export const hintToReadThread = ({ options }: ExecArguments): string =>
  options.ephemeral ? '' : ' The thread has the whole turn: resume it to see the answer.';

/**
 * Runs one turn. Exit codes: 0: completed; 1: failed, refused, an unfit answer (without `--json`), or an unwritten
 * file; 2: wrong usage. A signal ends the turn, then the process.
 */
export async function run(asked: ExecArguments): Promise<number | Outcome> {
  const { options, variant, words } = asked;
  if (variant === 'review') return (await import('./run-review.ts')).run({ options, words });
  const here = currentFolder();
  if ('code' in here) return here;
  const cwd = here.path;
  const alone = variant === 'fork' && words.length === 0;
  const unfit = alone ? forkProblem(asked) : undefined;
  if (unfit !== undefined) return unfit;
  // Reading a piped prompt may take long; the configuration is read in parallel.
  const [prompt, engine] = await Promise.all([alone ? '' : readPrompt(words[0]), loadEngine(options, cwd)]);
  // A thread that waits for an answer can be resumed without a prompt.
  const mayContinue = variant === 'resume' && typeof prompt !== 'string' && prompt.code === 'no-prompt';
  const missing = typeof prompt === 'string' ? undefined : prompt;
  if (missing !== undefined && (!mayContinue || needsPrompt(asked) !== undefined)) return missing;
  if (engine.kind === 'refused') return engine.outcome;
  const pictures = await loadImages(asked, cwd, engine);
  if ('code' in pictures) return pictures;
  const schema = await loadOutputSchema(asked, cwd);
  if ('code' in schema) return schema;
  const lastMessageFile = checkLastMessageFile(options, cwd, engine.config.writableFolders);
  if (lastMessageFile !== undefined && 'code' in lastMessageFile) return lastMessageFile;

  const output = createOutput(options, { engine });
  const approvals = await approvalsOf(asked, { cwd, output, home: engine.home });
  if (approvals !== undefined && 'code' in approvals) return approvals;
  for (const notice of [...engine.notices, ...missingAddedFolders(asked, cwd), ...schema.notices])
    output.notice(notice);
  const threads = liveThreads(engine);
  const thread = await openThread({ engine, threads }, asked, cwd, threadRequest(asked, output, approvals));
  if (thread.kind === 'refused') return thread.outcome;
  const leave = async <End>(end: End): Promise<End> => {
    await threads.close();
    return end;
  };
  if (missing !== undefined && !thread.isSuspended) return leave(nothingToAnswer(missing, thread.notices));
  const changed =
    options.mode === undefined ? undefined : await thread.override({ collaboration: { mode: options.mode } });
  if (changed?.kind === 'refused') return leave(changed.outcome);
  // The thread may let commands write in more folders than the configuration does.
  const { cwd: folder, sandbox: profile } = thread.settings;
  const roots = [...engine.config.writableFolders, folder, ...grantedFolders(profile)];
  const recheck = checkLastMessageFile(options, cwd, roots);
  if (recheck !== undefined && 'code' in recheck) return leave(recheck);
  output.start(thread);
  const asking = missing === undefined ? 'starts-anew' : approvals === undefined ? 'cannot-ask' : 'asks';
  for (const notice of thread.notices) output.notice(adaptSuspendedNotice(notice, asking));
  const mismatch = approvalMismatch(asked, thread.settings);
  if (mismatch !== undefined) output.notice(mismatch);
  if (alone) {
    await threads.close();
    output.idle?.();
    return 0;
  }
  const { signal, over } = endOnSignal({
    onSignal: (name) => {
      output.interrupted?.();
      if (name === 'SIGTERM' && options.sdkJson) output.toldToEnd?.();
    },
    onLate: () => output.lost(new Fault(cutShort)),
    onSecond: () => output.endedAtOnce(),
    // The SDK sends this signal, and takes any end without an exit code for a crash.
    exitsAfter: options.sdkJson ? ['SIGTERM'] : [],
  });
  const { cyberAccessProgram } = options;
  const input = { author: 'user', text: typeof prompt === 'string' ? prompt : '', ...pictures } as const;
  const turn = { input, outputSchema: schema.outputSchema, cyberAccessProgram };
  const result = await diskLossAsOutcome(async () => {
    try {
      return await (missing === undefined ? thread.submit({ ...turn, signal }) : thread.continue({ signal }));
    } finally {
      const working = otherWorkingAgents(threads, thread.id);
      await threads.close();
      const left = working.length === 0 ? undefined : agentsLeftOutcome(working, await engine.stored.agents(thread.id));
      if (left !== undefined) output.notice(left);
      over();
      await approvals?.close?.();
    }
  });
  if (result instanceof Fault) {
    output.lost(result);
    return 1;
  }
  if (result.kind === 'refused') return result.outcome;
  const written = lastMessageFile === undefined ? undefined : writeLastMessage(lastMessageFile, result);
  if (written !== undefined) output.notice(written);
  // Readers of events judge the answer themselves, as with Codex.
  const isJson = options.json || options.sdkJson;
  const fits = result.kind === 'completed' && (isJson || result.unfit === undefined) && result.endedBy === undefined;
  return fits && written?.code !== 'last-message-unwritten' ? 0 : 1;
}

const cutShort: Outcome = {
  code: 'interrupted',
  message: 'The turn was interrupted, but its work did not stop in time.',
  next: 'Resume the thread to see what was still running.',
};

/** Loaded on use: most runs ask nothing. */
async function approvalsOf(
  { options }: ExecArguments,
  { cwd, output, home }: { readonly cwd: string; readonly output: ExecPrinter; readonly home: string },
) {
  if (options.approvals === undefined) return undefined;
  const message = '--approvals and --dangerously-bypass-approvals-and-sandbox cannot be used together.';
  if (options.bypass) return { code: 'approvals-bypassed', message, next: 'Leave out one of them.' } as const;
  const { loadApprovals } = await import('./approvals/load-approvals.ts');
  const files = { rulesFile: `${home}/rules/default.rules`, configFile: `${home}/config.toml` };
  return loadApprovals(options.approvals, { cwd, output, ...files });
}

function threadRequest(
  { options: { bypass, ephemeral, threadSource } }: ExecArguments,
  output: ExecPrinter,
  approvals: ApprovalAnswerer | undefined,
): LiveRequest {
  const listener = (event: ThreadEvent): void => {
    // By now the modules are loaded and the thread's history is sent.
    if (event.kind === 'usage') limitHeapGrowth();
    approvals?.seen?.(event);
    output.event(event);
  };
  return {
    listener,
    provisional: output.provisional,
    // The caller waits for the answer only: the next run frees the space, if there is one.
    compactsAfterTurns: false,
    // Without the option there is no user to ask.
    ...(approvals === undefined
      ? { unattended: true, heldApprovals: 'never', unlessReviewed: !bypass }
      : { askUser: approvals.askUser }),
    sandbox: bypass ? { type: 'disabled' } : undefined,
    ephemeral,
    threadSource,
  };
}

async function openThread(
  { engine, threads }: { readonly engine: Engine; readonly threads: LiveThreads },
  { options, variant, thread: name }: ExecArguments,
  here: string,
  shown: LiveRequest,
): Promise<LiveThread | EngineRefused> {
  const cwd = options.cwd === undefined ? undefined : resolve(here, options.cwd);
  if (variant === undefined) {
    const place = cwd ?? here;
    const folder = engine.lookAtFolder(place);
    const problem = 'code' in folder ? folder : checkRepository(options, place, folder);
    return problem === undefined
      ? threads.start({ ...shown, cwd: place, turnFollows: true })
      : { kind: 'refused', outcome: problem };
  }
  // A fork leaves its source unchanged, so the source may belong to another folder or be archived.
  const archived = variant === 'fork' && name !== undefined;
  const where = options.all || archived ? {} : { cwd: cwd ?? here };
  const meant = name === undefined ? ({ kind: 'last' } as const) : ({ kind: 'named', name } as const);
  const chosen = await engine.stored.choose({ ...meant, ...where, archived });
  if (chosen.kind === 'none') return { kind: 'refused', outcome: chosen };
  const request = cwd === undefined ? shown : { ...shown, cwd };
  if (variant === 'fork') return threads.fork(chosen.id, { kind: 'latest' }, request);
  const opened = await threads.load(chosen.id, request);
  return opened.kind === 'refused' ? { ...opened, outcome: withEphemeralHint(opened.outcome) } : opened;
}

/** Outside a repository nothing can be taken back, so the user must explicitly request the run. */
function checkRepository(
  { skipGitRepoCheck, bypass }: ExecArguments['options'],
  cwd: string,
  { repository }: { readonly repository: string | undefined },
): Outcome | undefined {
  if (skipGitRepoCheck || bypass || repository !== undefined) return undefined;
  return {
    code: 'not-a-repository',
    // The words in parentheses are Codex's: programs look for them.
    message: `${cwd} is not in a git repository. (Not inside a trusted directory and --skip-git-repo-check was not specified.)`,
    next: 'Work in a git repository, where you can revert changes, or add --skip-git-repo-check.',
  };
}

type WorkingAgent = Pick<LiveThread, 'id' | 'cost'>;

/** Agents that still work, besides the turn's own thread: they end with this program. */
const otherWorkingAgents = (threads: Pick<LiveThreads, 'loaded'>, root: ThreadId): readonly WorkingAgent[] =>
  threads.loaded.filter(({ id, turnId }) => id !== root && turnId !== undefined);

/** Reports agents that still worked when the turn ended. One may have finished before the program did. */
export function agentsLeftOutcome(working: readonly WorkingAgent[], root: AgentNode): Outcome | undefined {
  const known = new Map(nodesIn(root).map((node) => [node.id, node]));
  const ours = working.flatMap(({ id, cost }) => {
    const node = known.get(id);
    return node === undefined ? [] : [{ ...node, cost }];
  });
  if (ours.length === 0) return undefined;
  const isDone = ({ status }: AgentNode): boolean => status === 'completed';
  const [done, cut] = [ours.filter(isDone), ours.filter((node) => !isDone(node))];
  const named = (nodes: readonly AgentNode[]): string => nodes.map(({ path }) => path).join(', ');
  const were = ours.length === 1 ? 'was' : 'were';
  const fates = [
    cut.length > 0 && `${were} interrupted: ${named(cut)}`,
    done.length > 0 && `completed: ${named(done)}`,
  ];
  const some = ours.length === 1 ? '1 agent' : `${ours.length} agents`;
  const spent = ours.reduce((sum, { cost }) => sum + usedTokens(cost), 0);
  const more = spent === 0 ? '' : ` Beyond the tokens above, ${formatCount(spent)} were used for that.`;
  const message = `${some} still worked when the turn ended, and ${fates.filter(Boolean).join('; ')}.${more}`;
  const ask = 'Ask the model to wait for agents whose answers you need.';
  const next = cut.length === 0 ? 'The next turn of the thread reads what they answered.' : ask;
  return { code: 'agents-ended', message, next };
}

const nodesIn = (node: AgentNode): readonly AgentNode[] => [node, ...node.agents.flatMap(nodesIn)];

/** Reports if only one of the two options that make Capstan ask is given: it has no effect without the other. */
function approvalMismatch(
  { options: { approvals, askForApproval: policy } }: ExecArguments,
  settings: OpenedThread['settings'],
): Outcome | undefined {
  const { askedApproval } = settings;
  if (settings.approvals !== 'never') return undefined;
  if (approvals !== undefined) {
    const message = 'The approval policy is never, so --approvals has no effect.';
    return { code: 'approvals-unused', message, next: 'Add -a on-request to be asked.' };
  }
  // The default policy asks, too, and most runs do without questions; a user who wrote `untrusted` expects them.
  const unused = policy ?? (askedApproval === 'untrusted' ? askedApproval : undefined);
  if (unused === undefined || unused === 'never') return undefined;
  const written = policy === undefined ? 'The approval policy' : '-a';
  return {
    code: 'approvals-missing',
    message: `${written} ${unused} has no effect without --approvals: this run has the policy never. ${runsUnasked(policyInForce(settings))}`,
    next: 'Add --approvals ask to be asked.',
  };
}

const runsUnasked = (policy: ResolvedPolicy): string =>
  needsSandbox(policy)
    ? 'Commands and patches run inside the sandbox without a question. Capstan refuses those that need more, commands that destroy, and those that a rule asks about.'
    : 'Commands and patches run without a sandbox and without a question. Capstan refuses only commands that destroy, and those that a rule asks about.';

/** A waiting thread explains how to answer; a run that continues its turn asks at once, or says that it cannot. */
export function adaptSuspendedNotice(notice: Outcome, run: 'asks' | 'cannot-ask' | 'starts-anew'): Outcome {
  if (run === 'starts-anew' || notice.code !== 'turn-suspended') return notice;
  return { ...notice, next: run === 'asks' ? 'The question follows, if the call is still allowed.' : '' };
}

/** Why a thread cannot be resumed without a prompt: its last turn may have been cut off where nothing can be answered. */
export function nothingToAnswer(missing: Outcome, notices: readonly Outcome[]): Outcome {
  const cutOff = notices.find(({ code }) => code === 'turn-cut-off');
  if (cutOff === undefined) return missing;
  const next = `${cutOff.next} There is nothing to answer: give a prompt to continue the thread.`;
  return { ...missing, message: cutOff.message, next };
}

/** Reports folders of `--add-dir` that do not exist. A command may make one later, so the turn is not refused. */
const missingAddedFolders = ({ options }: ExecArguments, cwd: string): readonly Outcome[] =>
  options.addDirectory
    .map((folder) => resolve(cwd, folder))
    .filter((path) => kindOfEntry(path) === 'missing')
    .map((path) => ({
      code: 'added-folder-missing',
      message: `The folder ${path} given with --add-dir does not exist.`,
      next: 'Until it does, the option has no effect.',
    }));

const wants = [
  ['image', '--image'],
  ['outputSchema', '--output-schema'],
  ['lastMessageFile', '-o'],
  ['cyberAccessProgram', '--cyber-access-program'],
] as const;

const needsPrompt = ({ options }: ExecArguments): string | undefined =>
  wants.find(([key]) => key !== 'lastMessageFile' && (options[key]?.length ?? 0) > 0)?.[1];

/** Why a fork without a prompt cannot do what an option requests. */
function forkProblem({ options }: ExecArguments): Outcome<'no-prompt'> | undefined {
  const given = wants.find(([key]) => (options[key]?.length ?? 0) > 0)?.[1];
  const option = given ?? (options.ephemeral ? '--ephemeral' : undefined);
  if (option === undefined) return undefined;
  const next = 'Give the prompt after the thread, or "-" to read it from standard input, or leave out the option.';
  return { code: 'no-prompt', message: `${option} needs a prompt, and there is none.`, next };
}

/** A thread that another program writes can still be asked, in a copy that is not kept. */
function withEphemeralHint(outcome: Outcome): Outcome {
  if (outcome.code !== 'thread-locked') return outcome;
  return { ...outcome, next: `${outcome.next} To ask it something without keeping the answer, add --ephemeral.` };
}
