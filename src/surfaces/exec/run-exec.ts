import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { ClientFacts } from '../../envelope/facts.ts';
import { folderProblem } from '../../gather/folder.ts';
import { findRepository } from '../../gather/git.ts';
import { grantedFolders } from '../../policy/granted-folders.ts';
import { Fault, type Outcome } from '../../protocol/outcome.ts';
import { version } from '../../protocol/version.ts';
import type { TurnResult } from '../../thread/settle.ts';
import type { ThreadTurn } from '../../thread/thread.ts';
import { complain } from '../complain.ts';
import { currentFolder } from '../current-folder.ts';
import { type Ending, endOnSignal } from '../end-on-signal.ts';
import { Engine } from '../engine/engine.ts';
import type { EngineOptions } from '../engine/engine-options.ts';
import { type EngineRefused, refused } from '../engine/engine-refused.ts';
import type { OpenedThread } from '../engine/open-thread.ts';
import { outlastReaders } from '../outlast-readers.ts';
import { print, printNote } from '../print.ts';
import { missingAddedFolders } from './added-folders.ts';
import { type ExecArguments, lastValue, parseExecArguments } from './arguments.ts';
import { forkProblem } from './fork-alone.ts';
import { loadImages } from './images.ts';
import { checkLastMessageFile, writeLastMessage } from './last-message-file.ts';
import { execUsage } from './options.ts';
import { createOutput, type Output } from './output.ts';
import { loadOutputSchema } from './output-schema.ts';
import { readPrompt } from './stdin.ts';

/**
 * `capstan exec`: one turn, then the exit code. 0: completed; 1: failed, interrupted, refused, an answer that does not
 * fit the output schema, or a file that could not be written; 2: wrong usage.
 */
export async function runExec(words: readonly string[]): Promise<number> {
  const standardOutput = outlastReaders();
  const asked = parseExecArguments(words);
  const code = 'code' in asked ? complain(asked, 2) : await prepareAndRun(asked);
  const lost = await standardOutput.finish();
  if (lost === undefined) return code;
  const isKept = !('code' in asked) && !asked.flags.has('ephemeral') && !asked.flags.has('help');
  const where = isKept ? ' What the turn did and said is in its thread: resume that.' : '';
  return complain({ ...lost, next: `${lost.next}${where}` }, 1);
}

async function prepareAndRun(asked: ExecArguments): Promise<number> {
  if (asked.flags.has('help')) {
    print(execUsage(), 'text');
    return 0;
  }
  const here = currentFolder();
  if ('code' in here) return complain(here, 1);
  const cwd = here.path;
  const alone = asked.forkAlone === true;
  const unfit = alone ? forkProblem(asked) : undefined;
  if (unfit !== undefined) return complain(unfit, 1);
  // Whoever pipes a prompt in may take long; the configuration is read meanwhile.
  const [prompt, engine] = await Promise.all([alone ? '' : readPrompt(asked, printNote), loadEngine(asked, cwd)]);
  if (typeof prompt !== 'string') return complain(prompt, 1);
  if (engine.kind === 'refused') return complain(engine.outcome, 1);
  const pictures = loadImages(asked, cwd, (path) => engine.deniesRead(path));
  if ('code' in pictures) return complain(pictures, 1);
  const outputSchema = loadOutputSchema(asked, cwd);
  if ('code' in outputSchema) return complain(outputSchema, 1);
  const lastMessageFile = checkLastMessageFile(asked, cwd, { env: process.env, roots: engine.configuredRoots });
  if (lastMessageFile !== undefined && 'code' in lastMessageFile) return complain(lastMessageFile, 1);

  const output = createOutput({
    json: asked.flags.has('json') || asked.flags.has('sdkJson'),
    color: lastValue(asked, 'color') ?? 'auto',
    contextEvents: asked.flags.has('contextEvents'),
    verbose: asked.flags.has('verbose'),
    resumable: !asked.flags.has('ephemeral'),
  });
  for (const notice of [...engine.notices, ...missingAddedFolders(asked, cwd)]) output.notice(notice);
  const opened = await lostAsValue(() => openThread(engine, asked, cwd, output));
  if (opened instanceof Fault) return complain(opened, 1);
  if (opened.kind === 'refused') return complain(opened.outcome, 1);
  // The thread may let commands write in more folders than the configuration does.
  const { cwd: folder, profile } = opened.settings;
  const roots = [...engine.configuredRoots, folder, ...grantedFolders(profile)];
  const recheck = checkLastMessageFile(asked, cwd, { env: process.env, roots });
  if (recheck !== undefined && 'code' in recheck) {
    await opened.thread.close();
    return complain(recheck, 1);
  }
  output.start(opened);
  for (const notice of opened.notices) output.notice(notice);
  if (alone) {
    await opened.thread.close();
    output.idle();
    return 0;
  }
  const cyberAccessProgram = lastValue(asked, 'cyberAccessProgram');
  const own = { ...outputSchema, ...(cyberAccessProgram === undefined ? {} : { cyberAccessProgram }) };
  const turn = { input: { text: prompt, ...pictures }, ...own };
  const ending = endOnSignal({
    onSignal: (name) => {
      if (name === 'SIGTERM' && asked.flags.has('sdkJson')) output.toldToEnd();
    },
    onLate: () => output.lost(new Fault(cutShort)),
  });
  const result = await lostAsValue(() => runTurn(opened, turn, ending));
  if (result instanceof Fault) {
    output.lost(result);
    return 1;
  }
  const written = lastMessageFile === undefined ? undefined : writeLastMessage(lastMessageFile, result);
  if (written !== undefined) output.notice(written);
  const fits = result.kind === 'completed' && result.unfit === undefined;
  return fits && written?.code !== 'last-message-unwritten' ? 0 : 1;
}

/** A lost disk ends the run, but is no bug: it gets its words like any other end. */
async function lostAsValue<Value>(run: () => Promise<Value>): Promise<Value | Fault> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

const cutShort: Outcome = {
  code: 'interrupted',
  message: 'The turn was interrupted, and what it was doing did not end within a second.',
  next: 'Resume the thread: it shows what was in flight.',
};

async function runTurn(
  { thread }: OpenedThread,
  turn: Omit<ThreadTurn, 'signal'>,
  { signal, over }: Ending,
): Promise<TurnResult> {
  try {
    return await thread.run({ ...turn, signal });
  } finally {
    await thread.close();
    over();
  }
}

async function loadEngine(asked: ExecArguments, cwd: string): Promise<Engine | EngineRefused> {
  const options = engineOptions(asked, cwd);
  if (!asked.flags.has('oss')) return Engine.load(options);
  // Few runs need it, and none of the others waits for it.
  const { localOverrides } = await import('./local-model.ts');
  const local = await localOverrides(options, lastValue(asked, 'localProvider'));
  if ('code' in local) return refused(local);
  return Engine.load({ ...options, overrides: [...options.overrides, ...local.overrides] });
}

function engineOptions(asked: ExecArguments, cwd: string): EngineOptions {
  const profile = lastValue(asked, 'profile');
  return {
    env: process.env,
    osHome: homedir(),
    cwd,
    client: clientFacts(asked),
    overrides: overridesOf(asked),
    // Nobody is there to be asked.
    approval: 'never',
    ...(asked.flags.has('bypass') ? { permissionProfile: { type: 'disabled' } } : {}),
    ...(profile === undefined ? {} : { profile }),
    strictConfig: asked.flags.has('strictConfig'),
    ignoreUserConfig: asked.flags.has('ignoreUserConfig'),
    addDirectories: asked.values.addDirectory ?? [],
    ephemeral: asked.flags.has('ephemeral'),
  };
}

function clientFacts(asked: ExecArguments): ClientFacts {
  const name = process.env['CODEX_INTERNAL_ORIGINATOR_OVERRIDE'] ?? 'capstan_exec';
  const threadSource = lastValue(asked, 'threadSource');
  return { name, version, source: 'exec', ...(threadSource === undefined ? {} : { threadSource }) };
}

async function openThread(
  engine: Engine,
  asked: ExecArguments,
  here: string,
  output: Output,
): Promise<OpenedThread | EngineRefused> {
  const folder = lastValue(asked, 'cwd');
  const cwd = folder === undefined ? undefined : resolve(here, folder);
  // Whoever waits for the answer waits for nothing else: the next run makes the room, if there is one.
  const shown = { listener: output.event, foldsAfterTurns: false };
  const { resume, fork } = asked;
  const goneOn = resume ?? fork;
  if (goneOn === undefined) {
    const place = cwd ?? here;
    const problem = folderProblem(place) ?? checkRepository(asked, place);
    return problem === undefined ? engine.start({ ...shown, cwd: place }) : { kind: 'refused', outcome: problem };
  }
  // Nothing happens to a thread that is forked: it may be of another folder, or put away.
  const anywhere = asked.flags.has('all') || (fork !== undefined && fork.kind === 'named');
  const where = { ...(anywhere ? {} : { cwd: cwd ?? here }), archived: fork?.kind === 'named' };
  const chosen = await engine.choose({ ...goneOn, ...where });
  if (chosen.kind === 'none') return { kind: 'refused', outcome: chosen };
  const request = cwd === undefined ? shown : { ...shown, cwd };
  return fork === undefined ? engine.resume(chosen.id, request) : engine.fork(chosen.id, { kind: 'latest' }, request);
}

/** Outside a repository nothing can be taken back, so that must be asked for. */
function checkRepository(asked: ExecArguments, cwd: string): Outcome | undefined {
  if (asked.flags.has('skipGitRepoCheck') || asked.flags.has('bypass') || findRepository(cwd) !== undefined)
    return undefined;
  return {
    code: 'not-a-repository',
    message: `Not inside a trusted directory and --skip-git-repo-check was not specified: ${cwd} is in no git repository.`,
    next: 'Work in a repository, where changes can be taken back, or add --skip-git-repo-check.',
  };
}

/** Options are short for configuration keys; `-c` comes first, so that the plain option wins. */
function overridesOf(asked: ExecArguments): readonly string[] {
  const [model, sandbox] = [lastValue(asked, 'model'), lastValue(asked, 'sandbox')];
  return [
    ...(asked.values.override ?? []),
    ...(asked.values.enable ?? []).map((feature) => `features.${feature}=true`),
    ...(asked.values.disable ?? []).map((feature) => `features.${feature}=false`),
    ...(model === undefined ? [] : [`model=${JSON.stringify(model)}`]),
    ...(sandbox === undefined ? [] : [`sandbox_mode=${JSON.stringify(sandbox)}`]),
  ];
}
