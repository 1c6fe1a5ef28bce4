import { describe, expect, test } from 'vitest';
import { historyEntries } from '../../src/core/history/history.ts';
import type { Ordinal } from '../../src/protocol/ids.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { type Line, type LineDraft, lineType } from '../../src/protocol/line.ts';
import {
  unreadableCheckpoints,
  isReadableByAll,
  reopenedLine,
} from '../../src/core/state/checkpoints/opaque-checkpoint.ts';
import { carriedState } from '../../src/core/state/checkpoints/compacted-line.ts';
import { describeState } from '../harness/describe-state.ts';
import { newestCheckpointSearch } from '../../src/core/state/checkpoints/newest-checkpoint.ts';
import { reduce } from '../../src/core/state/reduce.ts';
import { emptyThreadState, type ThreadState } from '../../src/core/state/thread-state.ts';

const [maker, reader] = [{ id: 'maker', address: 'https://maker.example/v1' }, { id: 'reader' }];
const message = (id: string): JsonObject => ({
  type: 'message',
  id,
  role: 'user',
  content: [{ type: 'input_text', text: id }],
});
const opaque = (id: string): JsonObject => ({ type: 'compaction', id, encrypted_content: id });

/** A thread that grows line by line, and is folded on the way. */
class Story {
  readonly lines: Line[] = [];
  state: ThreadState = emptyThreadState;

  add(...drafts: readonly LineDraft[]): this {
    for (const draft of drafts) {
      const line = { timestamp: '', ordinal: this.lines.length as Ordinal, ...draft };
      this.lines.push(line);
      this.state = reduce(this.state, line);
    }
    return this;
  }

  says(...ids: readonly string[]): this {
    return this.add(...ids.map((id) => ({ type: lineType.responseItem, payload: message(id) })));
  }

  /** A checkpoint that leaves these items; what only the maker can read is the maker's. */
  compacts(...items: readonly JsonObject[]): this {
    const beside = items.map(({ type }) => ({
      capstan: { origin: { family: 'model' }, ...(type === 'compaction' ? { maker } : {}) },
    }));
    const payload = {
      message: '',
      replacement_history: items,
      replacement_history_metadata: beside,
      capstan: carriedState(this.state),
    };
    return this.add({ type: lineType.compacted, payload });
  }

  reopens(): this {
    return this.add(reopenedLine('turn', reader));
  }

  get ids(): readonly unknown[] {
    return historyEntries(this.state.history).map(({ item }) => item['id']);
  }

  /** The state as a process finds it that opens the thread now, and where its fold began. */
  located(options?: Parameters<typeof newestCheckpointSearch>[0]): {
    readonly state: ThreadState;
    readonly from: number;
  } {
    const search = newestCheckpointSearch(options);
    const from = this.lines.findLastIndex((line) => {
      const { type, payload } = line;
      const kind = { type, payloadType: typeof payload['type'] === 'string' ? payload['type'] : undefined };
      return search.wanted(kind) && search.beginsAt(line);
    });
    const read = from <= 0 ? this.lines : [this.lines[0]!, ...this.lines.slice(from)];
    return { state: read.reduce(reduce, emptyThreadState), from };
  }
}

const begun = (): Story => new Story().add({ type: lineType.sessionMeta, payload: { id: 'thread' } });

describe('the history behind an opaque checkpoint', () => {
  test('stands in its place again, with what came since, through any number of them', () => {
    const story = begun().says('a', 'b').compacts(message('kept'), opaque('one')).says('c').compacts(opaque('two'));
    story.says('d').reopens().says('e');
    expect(story.ids).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(story.state.sent).toEqual({ kind: 'gone', why: 'reopened' });
  });

  test('begins with the newest checkpoint that can be read', () => {
    const story = begun().says('a').compacts(message('readable')).says('b').compacts(opaque('one')).says('c').reopens();
    expect(story.ids).toEqual(['readable', 'b', 'c']);
  });

  test('is found by a fold that begins where it can, after each line', () => {
    const story = begun();
    const check = (): void => expect(describeState(story.located().state)).toBe(describeState(story.state));
    story.says('a').compacts(message('readable'));
    for (const step of [
      () => story.says('b'),
      () => story.compacts(opaque('one')),
      () => story.says('c'),
      () => story.compacts(opaque('two')),
      () => story.reopens(),
      () => story.says('d'),
      () => story.compacts(opaque('three')),
      () => story.says('e'),
      () => story.reopens(),
      () => story.compacts(message('readable too')),
      () => story.says('f'),
    ]) {
      step();
      check();
    }
    expect(story.ids).toEqual(['readable too', 'f']);
  });

  test('is read only where it is asked for, as long as no line uses it', () => {
    const story = begun().says('a').compacts(opaque('one')).says('b');
    expect([story.located().from, story.located({ behind: true }).from]).toEqual([2, -1]);
    const { behind } = story.located({ behind: true }).state;
    expect([isReadableByAll(behind!), isReadableByAll(story.located().state.behind!)]).toEqual([true, false]);
  });

  test('is behind again after a rollback to before it was used', () => {
    const story = begun().says('a').compacts(opaque('one')).says('b').reopens().says('c');
    story.add({ type: lineType.event, payload: { type: 'thread_rolled_back', num_turns: 2 } });
    expect(story.ids).toEqual(['one']);
    expect(story.reopens().ids).toEqual(['a']);
  });
});

describe('what a provider cannot read', () => {
  test('is hidden from all but its maker, and from all where the maker is not known', () => {
    const { state } = begun().says('a').compacts(message('kept'), opaque('one')).says('b');
    const hidden = (from: { readonly id: string; readonly address?: string }) =>
      unreadableCheckpoints(state, from).map(({ item }) => item['id']);
    expect(hidden(maker)).toEqual([]);
    expect(hidden(reader)).toEqual(['one']);
    expect(hidden({ id: 'maker', address: 'https://elsewhere.example/v1' })).toEqual(['one']);
    const foreign = begun()
      .says('a')
      .add({ type: lineType.compacted, payload: { message: '', replacement_history: [opaque('one')] } });
    expect(unreadableCheckpoints(foreign.state, maker)).toHaveLength(1);
  });

  test('hides nothing where what it stands for stands before it', () => {
    const item = { type: lineType.responseItem, payload: opaque('along the way') };
    expect(unreadableCheckpoints(begun().says('a').add(item).state, reader)).toEqual([]);
    expect(unreadableCheckpoints(begun().add(item).says('a').state, reader)).toHaveLength(1);
  });
});
