import { describe, expect, it } from 'vitest';
import { draftFromText } from '../draft/draft.ts';
import { UserActQueue } from './user-acts.ts';

/** An order of acts whose ends the test decides. */
function acts() {
  const order = new UserActQueue(() => {});
  const begun: string[] = [];
  const ends: Record<string, () => void> = {};
  const ask = (name: string): void =>
    order.do(draftFromText(name), () => {
      begun.push(name);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends[name] = resolve;
      return promise;
    });
  const settled = (): Promise<void> => new Promise((later) => setImmediate(later));
  return { order, begun, ends, ask, settled };
}

describe('what the user asks for', () => {
  it('begins in its order, each when the one before has taken effect', async () => {
    const { order, begun, ends, ask, settled } = acts();
    for (const name of ['/model', 'Hello.', 'More.']) ask(name);
    expect([begun, order.later.map(({ text }) => text)]).toEqual([['/model'], ['Hello.', 'More.']]);
    ends['/model']!();
    await settled();
    expect(begun).toEqual(['/model', 'Hello.']);
    ends['Hello.']!();
    await settled();
    expect([begun, order.later]).toEqual([['/model', 'Hello.', 'More.'], []]);
  });

  it('has keys in it, which wait their turn and leave nothing to take back', async () => {
    const { order, begun, ends, ask, settled } = acts();
    ask('/rewind');
    order.do(undefined, async () => void begun.push('shift+tab'));
    expect([begun, order.later, order.takeLast(), order.takeAll(), order.isActing]).toEqual([
      ['/rewind'],
      [],
      undefined,
      [],
      true,
    ]);
    ends['/rewind']!();
    await settled();
    expect([begun, order.isActing]).toEqual([['/rewind', 'shift+tab'], false]);
  });

  it('does not wait for the end of what shows itself', async () => {
    const { order, begun, ask, settled } = acts();
    ask('/review');
    ask('Hello.');
    order.tookEffect();
    await settled();
    expect(begun).toEqual(['/review', 'Hello.']);
  });

  it('may take effect while it is called', async () => {
    const { order, begun, ask, settled } = acts();
    order.do(draftFromText('/compact'), () => {
      order.tookEffect();
      return new Promise(() => {});
    });
    for (const name of ['One.', 'Two.']) ask(name);
    order.tookEffect();
    await settled();
    expect(begun).toEqual(['One.', 'Two.']);
  });

  it('goes on after something failed, and after work that was begun elsewhere', async () => {
    const { order, begun, ask, settled } = acts();
    order.during(Promise.reject(new Error('no')));
    ask('Hello.');
    expect(begun).toEqual([]);
    await settled();
    expect(begun).toEqual(['Hello.']);
  });

  it('can be taken back while it waits', async () => {
    const { order, begun, ends, ask, settled } = acts();
    for (const name of ['/model', 'One.', 'Two.', 'Three.']) ask(name);
    expect(order.takeLast()?.text).toBe('Three.');
    expect(order.takeAll().map(({ text }) => text)).toEqual(['One.', 'Two.']);
    expect(order.takeLast()).toBeUndefined();
    ends['/model']!();
    await settled();
    expect(begun).toEqual(['/model']);
  });
});
