import { expect } from 'vitest';
import { fragmentCatalog } from '../../../src/core/world/catalog.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { describeState } from '../../harness/describe-state.ts';
import { reduce } from '../../../src/core/state/reduce.ts';
import { emptyThreadState } from '../../../src/core/state/thread-state.ts';
import type { RecordedRequest, ScriptedModel } from '../../../src/testing/index.ts';
import type { WatchedThread } from '../../harness/watched-thread.ts';
import { checkRebuilt } from '../../laws/prefix-law.ts';
import { isAnyCompaction } from './is-any-compaction.ts';
import { type Installed, noMessage, type Told } from './told.ts';
import { saidIn, type Transcript } from './transcripts.ts';

export interface PlayedThread {
  readonly transcript: Transcript;
  readonly request: string;
  readonly told: readonly Told[];
  /** The first sampling request after the compaction, and all from the turn on in which it was made. */
  readonly next: RecordedRequest;
  readonly later: readonly RecordedRequest[];
  readonly model: ScriptedModel;
  readonly watched: WatchedThread;
}

/** Checks the rules that hold whatever a model did when it was asked for a checkpoint. */
export async function checkThread({
  transcript,
  told,
  next,
  later,
  model,
  watched,
  ...played
}: PlayedThread): Promise<void> {
  const lines = await watched.lines();
  expect(describeState(lines.reduce(reduce, emptyThreadState)), 'the file gives the state').toBe(
    describeState(watched.live!.state),
  );
  await checkRebuilt(model, lines);
  for (const request of later) expectEachOnce(request, saidIn(transcript));
  const before = model.requests.findLast((each) => each.index < next.index && !isAnyCompaction(each))!;
  const goesOn = JSON.stringify(next.body['input']).startsWith(JSON.stringify(before.body['input']).slice(0, -1));
  const stands = told.every((each) => 'failed' in each);
  expect(goesOn, 'history stands where nothing was installed, and only there').toBe(stands);
  const installed = told.find((each) => 'strategy' in each);
  if (installed === undefined) return;
  for (const each of later.filter(({ index }) => index >= next.index)) {
    expectOwnMarkers(each);
    expectRequest(each, installed, played.request);
  }
}

/** Nothing that the user said is gone, changed, or there twice, be it in the spelling of JSON. */
function expectEachOnce(request: RecordedRequest, said: readonly string[]): void {
  const all = textsOf(request).join('\n\n');
  const times = (text: string): number => all.split(text).length - 1;
  const spelled = said.map((text) => JSON.stringify(text).slice(1, -1)).filter((text) => !said.includes(text));
  expect([...said, ...spelled].map((text) => [text, times(text)])).toEqual([
    ...said.map((text) => [text, 1]),
    ...spelled.map((text) => [text, 0]),
  ]);
}

/** Markers of ours stand at the ends of texts of ours, once each, and nowhere else, in whatever letters. */
function expectOwnMarkers(request: RecordedRequest): void {
  const texts = textsOf(request);
  for (const { source, pattern } of markers) {
    const isStrange = (text: string): boolean => {
      const found = [...text.replaceAll('\\#', '').matchAll(pattern)];
      const isAtEnd = text.startsWith(source) || text.endsWith(source);
      return found.length > 1 || (found.length === 1 && !isAtEnd);
    };
    expect(texts.filter(isStrange), source).toEqual([]);
  }
}

const markers = fragmentCatalog
  .flatMap(({ markers: ends }) => (ends === undefined ? [] : [...ends]))
  .map((source) => ({ source, pattern: new RegExp(source.replaceAll(' ', '\\s+').replace(/>$/, '\\s*>'), 'gi') }));

const tags = ['<VERBATIM_REQUEST_START>', '<VERBATIM_REQUEST_END>'] as const;

/** Checks the request between the tags: the user's words that the model chose; if it chose none, there are no tags. */
function expectRequest(request: RecordedRequest, { strategy, mended }: Installed, task: string): void {
  const all = textsOf(request).join('\n');
  const isChosen = strategy === 'structured' && !mended.includes(noMessage);
  expect(tags.map((tag) => all.split(`\n${tag}`).length - 1)).toEqual(isChosen ? [1, 1] : [0, 0]);
  if (isChosen) expect(all.split(tags[0])[1]!.split(tags[1])[0]).toBe(`\n${task}\n`);
}

/** The texts of all messages and outputs. */
function textsOf({ body }: Pick<RecordedRequest, 'body'>): readonly string[] {
  const input = body['input'] as readonly JsonObject[];
  return input.flatMap(({ content, output }) =>
    Array.isArray(content) ? content.map((part) => String((part as JsonObject)['text'])) : [String(output ?? '')],
  );
}
