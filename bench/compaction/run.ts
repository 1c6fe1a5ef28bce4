import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type CheckpointReport, Engine, parseThreadId } from '../../src/index.ts';
import { startScriptedModel } from '../../src/testing/index.ts';
import { type Behaviour, behave } from './behaviours.ts';
import { type Score, scoreOf } from './score.ts';
import { appendTurns, threadFile, threadId } from './thread-file.ts';
import type { Transcript } from './transcript.ts';

export const strategies = ['structured', 'plain', 'remote', 'mechanical'] as const;

/** `mechanical` is no strategy that one can choose: it is what is left when a model says nothing of use. */
export type Strategy = (typeof strategies)[number];

/** A model of the user's own, by the configuration in their home folder. */
export interface RealModel {
  readonly home: string;
  readonly model?: string;
  readonly provider?: string;
}

export type Summariser = { readonly behaviour: Behaviour } | { readonly real: RealModel };

export interface Run {
  readonly transcript: string;
  readonly strategy: Strategy | 'Codex';
  /** The behaviour, or the name of the model. */
  readonly by: string;
  /** The score of the last checkpoint, with the requests and the tokens of all of them; a sentence if there is none. */
  readonly result: ScoredCheckpoint | { readonly failed: string };
}

export interface ScoredCheckpoint {
  /** The strategy that made it in the end. */
  readonly made: CheckpointReport['strategy'];
  readonly model: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly requests: number;
  readonly spent: number;
  readonly mended: readonly string[];
  readonly words: CheckpointReport['words'];
  readonly score: Score;
}

/** Compacts the thread of a transcript with the real engine, as often as it says, and scores what is left. */
export async function run(transcript: Transcript, strategy: Strategy, summariser: Summariser): Promise<Run> {
  const root = mkdtempSync(join(tmpdir(), 'capstan-bench-'));
  const place = { root, home: join(root, 'home'), workspace: join(root, 'workspace') };
  mkdirSync(place.home);
  mkdirSync(join(place.workspace, '.git'), { recursive: true });
  const served =
    'behaviour' in summariser ? await startScriptedModel(behave(transcript, summariser.behaviour)) : undefined;
  try {
    if (served !== undefined) writeFileSync(join(place.home, 'config.toml'), scriptedConfig(served.url));
    else if ('real' in summariser) linkHome(summariser.real.home, place.home);
    const overrides = overridesFor(transcript, strategy, summariser);
    const result = await foldAll(transcript, place, overrides);
    return { transcript: transcript.id, strategy, by: nameOf(summariser, result), result };
  } finally {
    await served?.close();
    rmSync(root, { recursive: true, force: true });
  }
}

function nameOf(summariser: Summariser, result: Run['result']): string {
  if ('behaviour' in summariser) return summariser.behaviour;
  return 'failed' in result ? (summariser.real.model ?? 'model') : result.model;
}

interface Place {
  readonly root: string;
  readonly home: string;
  readonly workspace: string;
}

async function foldAll(transcript: Transcript, place: Place, overrides: readonly string[]): Promise<Run['result']> {
  const reports: CheckpointReport[] = [];
  for (const [index, stretch] of transcript.stretches.entries()) {
    appendTurns(join(place.home, threadFile), place.workspace, stretch);
    const engine = await Engine.load({
      env: { ...process.env, CAPSTAN_HOME: place.home },
      osHome: place.root,
      cwd: place.workspace,
      client: { name: 'bench', version: '0', source: 'exec' },
      config: [...overrides],
      systemFolders: [],
    });
    if (engine.kind === 'refused') return { failed: engine.outcome.message };
    const opened = await engine.resume(parseThreadId(threadId)!, { listener: () => {}, cwd: place.workspace });
    if (opened.kind === 'refused') return { failed: opened.outcome.message };
    const { thread } = opened;
    try {
      const made = await thread.compact({ signal: new AbortController().signal });
      if (made.kind !== 'installed') return { failed: made.kind === 'failed' ? made.outcome.message : made.kind };
      reports.push(made.report);
      if (index === transcript.stretches.length - 1) return scored(reports, scoreOf(transcript, thread.state.history));
    } finally {
      await thread.close();
    }
  }
  return { failed: 'The transcript is empty.' };
}

function scored(reports: readonly CheckpointReport[], score: Score): ScoredCheckpoint {
  const { strategy: made, model, tokensBefore, tokensAfter, words } = reports.at(-1)!;
  const sum = (of: (report: CheckpointReport) => number): number => reports.reduce((all, one) => all + of(one), 0);
  return {
    made,
    model,
    tokensBefore,
    tokensAfter,
    requests: sum(({ requests }) => requests),
    spent: sum(({ usage }) => usage.total),
    mended: reports.flatMap(({ mended }) => mended),
    words,
    score,
  };
}

function overridesFor({ window }: Transcript, strategy: Strategy, summariser: Summariser): readonly string[] {
  const chosen = strategy === 'mechanical' ? 'structured' : strategy;
  const shared = [`model_context_window=${window}`, `compaction.strategy="${chosen}"`];
  if (!('real' in summariser)) return shared;
  const { model, provider } = summariser.real;
  return [
    ...shared,
    ...(model === undefined ? [] : [`model=${JSON.stringify(model)}`]),
    ...(provider === undefined ? [] : [`model_provider=${JSON.stringify(provider)}`]),
  ];
}

/** A provider that compacts by itself: it is asked to only if the strategy says so. */
export function scriptedConfig(url: string): string {
  return `model = "gpt-5.5"
model_provider = "scripted"

[model_providers.scripted]
server_capabilities.remote_compaction = true
base_url = "${url}"
stream_max_retries = 0
request_max_retries = 0
`;
}

/** Threads stay in a folder that goes away; configuration and login are read where they are. */
function linkHome(from: string, to: string): void {
  for (const name of ['config.toml', 'auth.json', '.env']) {
    const file = join(resolve(from), name);
    if (existsSync(file)) symlinkSync(file, join(to, name));
  }
}
