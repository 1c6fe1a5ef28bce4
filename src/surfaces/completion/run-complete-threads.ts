import { homedir } from 'node:os';
import { StoredThreads } from '../engine/stored-threads.ts';
import { lostAsValue } from '../terminal/lost-as-value.ts';
import { print } from '../terminal/print.ts';
import { fit } from '../terminal/text-width.ts';
import { visibleLine } from '../terminal/visible-text.ts';

/** A shell shows no more than that on a screen, and the user waits for it. */
const mostThreads = 50;
const longestPreview = 50;

/** Names that no shell takes for anything but a word. A thread with another name is offered by its id. */
const plainName = /^\w[\w.@%+,/-]*$/;

/** `capstan complete-threads`. Reports no problem: the shell would show it in the middle of what the user types. */
export async function run(): Promise<number> {
  const stored = StoredThreads.in(process.env, homedir());
  if ('code' in stored) return 0;
  const page = await lostAsValue(async () => stored.list({ limit: mostThreads, sort: 'updated' }));
  if ('code' in page) return 0;
  const lines = page.threads.flatMap(({ id, name = '', preview }) => {
    const about = fit(visibleLine(preview), longestPreview);
    if (plainName.test(name)) return [`${name}\t${about}`, `${id}\t${name}`];
    return [`${id}\t${name === '' ? about : visibleLine(name)}`];
  });
  print(lines.map((line) => `${line}\n`).join(''), 'text');
  return 0;
}
