import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Line } from '../../src/protocol/line.ts';
import {
  answer,
  callTool,
  type RecordedRequest,
  say,
  type ScriptedModel,
  startScriptedModel,
  type ScriptStep,
} from '../../src/testing/index.ts';
import { checkpointText, isCompaction, saysCheckpoint, userTexts } from '../compaction/summariser.ts';
import { rowOf } from '../harness/live-thread.ts';
import { checkPrefixes, checkRebuilt } from '../laws/prefix-law.ts';
import { type Acknowledged, checkPromises, KilledWriter, linesIn } from './killed-writer.ts';

const kills = 48;
/** Enough that a checkpoint in its place is a gain. */
const work = 'The parser reads one line at a time. '.repeat(60);

/** When a process is killed, counted from the moment at which it asks for a checkpoint. */
interface Moment {
  /** Checkpoints that are answered in peace before. */
  readonly peace: number;
  readonly after: { readonly ms: number } | { readonly acknowledgements: number };
}

/** A model that kills the process that asks it for a checkpoint: as soon as it is asked, or when it has answered. */
class KillingModel {
  readonly model: ScriptedModel;
  #writer: KilledWriter | undefined;
  #peace = 0;
  #after: Moment['after'] = { ms: 0 };

  private constructor(model: ScriptedModel) {
    this.model = model;
  }

  static async start(): Promise<KillingModel> {
    const model: ScriptedModel = await startScriptedModel((request) => killing.#answer(request));
    const killing: KillingModel = new KillingModel(model);
    return killing;
  }

  /** The next process is killed at one of its compactions. */
  aim(writer: KilledWriter, { peace, after }: Moment): void {
    this.#writer = writer;
    this.#peace = peace;
    this.#after = after;
  }

  #answer(request: RecordedRequest): ScriptStep {
    if (!isCompaction(request)) {
      const call = callTool('exec_command', { cmd: `echo ${request.index}` });
      return answer({ items: [say(`${request.index}: ${work}`), ...(request.index % 3 === 0 ? [] : [call])] });
    }
    if (this.#peace-- === 0) this.#killSoon(this.#writer!, this.#after);
    return saysCheckpoint(checkpointText(userTexts(request).at(-2) ?? '', []));
  }

  #killSoon(writer: KilledWriter, after: Moment['after']): void {
    if ('ms' in after) {
      if (after.ms === 0) writer.kill();
      else setTimeout(() => writer.kill(), after.ms);
      return;
    }
    let left = after.acknowledgements;
    writer.onPrinted = () => {
      if (--left === 0) writer.kill();
    };
  }
}

type Input = readonly JsonObject[];

/** The beginning that the next request must have. */
interface Left {
  readonly history: 'old' | 'new';
  readonly begins: Input;
}

/** Which history a process left that was killed, by what it posted and what the file says. */
function leftBy(requests: readonly RecordedRequest[], checkpoints: readonly Line[]): Left {
  const asked = requests.filter(isCompaction);
  // Each compaction takes one request, and only the last one may have come to nothing.
  expect([asked.length - 1, asked.length]).toContain(checkpoints.length);
  const sampled = requests.findLast((request) => !isCompaction(request))!;
  const isOld = checkpoints.length < asked.length || sampled.index > asked.at(-1)!.index;
  if (isOld) return { history: 'old', begins: inputOf(sampled) };
  return { history: 'new', begins: checkpoints.at(-1)!.payload['replacement_history'] as unknown as Input };
}

function inputOf({ body }: RecordedRequest): Input {
  return body['input'] as unknown as Input;
}

it(`a thread that is killed ${kills} times while it compacts its history has the old one or the new one`, async () => {
  const home = mkdtempSync(join(tmpdir(), 'capstan-kill-'));
  const killing = await KillingModel.start();
  const { model } = killing;
  const promised: Acknowledged[] = [];
  const seen = { old: 0, new: 0 };
  let [id, left]: [string?, Left?] = [];
  try {
    for (let kill = 0; kill < kills; kill++) {
      const [posted, lines] = [model.requests.length, linesIn(home).length];
      const writer: KilledWriter = new KilledWriter([home, model.url, id ?? 'new', 'compacts']);
      // By the clock, and by what the process has done: on a busy machine it does little in a few milliseconds.
      const after = kill % 2 === 0 ? { ms: (kill * 7) % 45 } : { acknowledgements: 1 + ((kill >> 1) % 3) };
      killing.aim(writer, { peace: kill % 3, after });
      const acknowledged = await writer.acknowledged();
      promised.push(...acknowledged);
      id ??= acknowledged[0]!.id;
      checkPromises(linesIn(home), promised);
      const requests = model.requests.slice(posted);
      const rows = inputOf(requests[0]!).map(rowOf);
      const begins = left?.begins.map(rowOf) ?? [];
      expect(rows.slice(0, begins.length)).toEqual(begins);
      left = leftBy(
        requests,
        linesIn(home)
          .slice(lines)
          .filter(({ type }) => type === 'compacted'),
      );
      seen[left.history]++;
    }
    expect(Math.min(seen.old, seen.new)).toBeGreaterThan(kills / 8);
    await checkRebuilt(model, linesIn(home));
    await checkPrefixes(model, linesIn(home));
  } finally {
    await model.close();
    rmSync(home, { recursive: true, force: true });
  }
}, 600_000);
