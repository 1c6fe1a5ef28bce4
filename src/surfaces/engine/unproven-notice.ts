import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { LeftOutForNow, Unproven } from '../../thread/branch/unproven.ts';

/** What the user should know about messages and notes that do not count, if there are any. */
export function unprovenNotice(
  id: ThreadId,
  { messages, pins, forNow }: Unproven,
): Outcome<'user-lines-unproven'> | undefined {
  const [some, notes] = [counted(messages.length, 'waiting message'), counted(pins.length, 'pinned note')];
  const what = [...some, ...notes].join(' and ');
  if (what === '') return undefined;
  const isOne = messages.length + pins.length === 1;
  const [are, them, theySay, theyAre] = isOne
    ? ['is', 'it', 'it says', 'it is']
    : ['are', 'them', 'they say', 'they are'];
  if (forNow !== undefined) {
    const { why, next } = whyForNow(forNow);
    const message = `${what} of thread ${id} ${are} ignored for now: ${why}.`;
    return { code: 'user-lines-unproven', message, next };
  }
  const again = [
    ...(messages.length === 0 ? [] : [`send the ${nounOf(messages.length, 'message')} again`]),
    ...(pins.length === 0 ? [] : [`pin the ${nounOf(pins.length, 'note')} again (see \`capstan threads pin --help\`)`]),
  ];
  return {
    code: 'user-lines-unproven',
    message: `${what} of thread ${id} ${are} ignored: Capstan cannot verify that it wrote ${them} in this home folder.`,
    next: `Read what ${theySay} with \`capstan threads show ${id}\`. If ${theyAre} yours, ${again.join(', and ')}.`,
  };
}

function whyForNow(forNow: LeftOutForNow): { readonly why: string; readonly next: string } {
  if (forNow.kind === 'key-unusable') {
    const next = 'Nothing was deleted. Fix the key, and they are used when you next open the thread.';
    return { why: forNow.problem, next };
  }
  return {
    why: 'they are not signed with the key of this engine, and other engines may use other keys',
    next: 'Nothing was deleted. Give all engines of the store the same `seals`, so that each can verify what the others wrote.',
  };
}

function counted(count: number, noun: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${nounOf(count, noun)}`];
}

function nounOf(count: number, noun: string): string {
  return count === 1 ? noun : `${noun}s`;
}
