import type { Dice } from './dice.ts';

const nouns = ['order', 'session', 'packet', 'invoice', 'worker', 'cursor', 'region', 'ticket', 'bucket', 'sample'];
const verbs = ['load', 'merge', 'render', 'collect', 'validate', 'compare', 'publish', 'remove', 'schedule', 'parse'];
const states = ['pending', 'ready', 'failed', 'cancelled', 'archived'];
const title = (word: string): string => word[0]!.toUpperCase() + word.slice(1);

export const typescript = (dice: Dice, length: number): string =>
  dice.text(
    length,
    () => {
      const [verb, noun, other] = [dice.pick(verbs), dice.pick(nouns), dice.pick(nouns)];
      const Noun = title(noun);
      return `/** ${title(verb)}s every ${noun} that belongs to the ${other}, newest first. */
export async function ${verb}${Noun}s(${other}Id: string, options: ${Noun}Options = {}): Promise<readonly ${Noun}[]> {
  const { limit = ${dice.below(500)}, includeDeleted = false } = options;
  const found = await this.#store.query<${Noun}>('${noun}s', { ${other}Id, status: '${dice.pick(states)}' });
  if (found.length === 0) return [];
  const kept = found.filter((each) => includeDeleted || each.deletedAt === undefined);
  for (const [index, each] of kept.entries()) {
    if (index >= limit) break;
    this.#logger.debug(\`${verb} \${each.id} of \${${other}Id}\`, { attempt: index + 1 });
  }
  return kept.sort((a, b) => b.createdAt - a.createdAt).slice(0, limit);
}`;
    },
    '\n\n',
  );

export const python = (dice: Dice, length: number): string =>
  dice.text(
    length,
    () => {
      const [verb, noun, other] = [dice.pick(verbs), dice.pick(nouns), dice.pick(nouns)];
      return `class ${title(noun)}${title(verb)}r(Base${title(other)}):
    """Keeps track of each ${noun} until the ${other} is ${dice.pick(states)}."""

    def __init__(self, ${other}, timeout=${dice.below(90)}.0, *, strict=True):
        super().__init__(${other})
        self._${noun}s = {}
        self.timeout = timeout

    def ${verb}_${noun}(self, ${noun}_id, **kwargs):
        if ${noun}_id not in self._${noun}s:
            raise KeyError(f"unknown ${noun}: {${noun}_id!r}")
        with self._lock:
            result = [item for item in self._${noun}s.values() if item.state != "${dice.pick(states)}"]
            self.last_error = None
        return sorted(result, key=lambda item: (item.priority, -item.created_at))[:${1 + dice.below(30)}]
`;
    },
    '\n\n',
  );

export const json = (dice: Dice, length: number): string =>
  JSON.stringify(
    Array.from({ length: Math.ceil(length / 200) }, (_, index) => ({
      id: index + 1000,
      kind: dice.pick(nouns),
      name: `${dice.pick(verbs)}-${dice.pick(nouns)}`,
      status: dice.pick(states),
      tags: [dice.pick(nouns), dice.pick(states)],
      settings: { retries: dice.below(9), enabled: dice.below(2) === 0, ratio: dice.below(1000) / 1000 },
      path: `/srv/${dice.pick(nouns)}s/${dice.pick(nouns)}.json`,
    })),
    null,
    2,
  );

export const diff = (dice: Dice, length: number): string =>
  dice.text(
    length,
    () => {
      const [verb, noun] = [dice.pick(verbs), dice.pick(nouns)];
      const path = `src/${dice.pick(nouns)}s/${verb}-${noun}.ts`;
      const at = 1 + dice.below(300);
      return `diff --git a/${path} b/${path}
index ${dice.bytes(4).toString('hex')}..${dice.bytes(4).toString('hex')} 100644
--- a/${path}
+++ b/${path}
@@ -${at},6 +${at},8 @@ export class ${title(noun)}List {
   readonly #items = new Map<string, ${title(noun)}>();
 
-  ${verb}(id: string): ${title(noun)} | undefined {
-    return this.#items.get(id);
+  ${verb}(id: string): ${title(noun)} {
+    const found = this.#items.get(id);
+    if (found === undefined) throw new Error(\`no ${noun} ${'$'}{id}\`);
+    return found;
   }
 `;
    },
    '\n',
  );

export const log = (dice: Dice, length: number): string =>
  dice.text(
    length,
    () => {
      const time = `2026-${10 + dice.below(3)}-${10 + dice.below(19)}T${10 + dice.below(14)}:${10 + dice.below(50)}:${10 + dice.below(50)}.${100 + dice.below(900)}Z`;
      const what = dice.pick([
        `request completed method=GET path=/api/${dice.pick(nouns)}s/${dice.below(90_000)} status=200 duration=${dice.below(900)}ms`,
        `failed to ${dice.pick(verbs)} ${dice.pick(nouns)}: connection refused (attempt ${dice.below(5)} of 5)`,
        `${dice.pick(nouns)} ${dice.below(10_000)} is ${dice.pick(states)}, next check in ${dice.below(60)} seconds`,
        `GC pause ${dice.below(40)}.${dice.below(10)} ms, heap ${dice.below(512)} MB of 512 MB`,
      ]);
      return `${time} ${dice.pick(['INFO', 'WARN', 'ERROR', 'DEBUG'])} [${dice.pick(nouns)}-${dice.below(16)}] ${what}`;
    },
    '\n',
  );

const word = (dice: Dice): string => dice.pick([...nouns, ...verbs, ...states]);

/** The output of commands: names of files with sizes and dates. */
export const listing = (dice: Dice, length: number): string =>
  dice.text(
    length,
    () =>
      `-rw-r--r--  1 root root ${String(dice.below(999_999)).padStart(8)} Nov ${10 + dice.below(19)} 0${dice.below(9)}:${10 + dice.below(49)} ${word(dice)}-${word(dice)}.${dice.pick(['ts', 'json', 'md', 'test.ts'])}`,
    '\n',
  );

const stems = ['xml', 'gtk', 'ssl', 'krb', 'png', 'jpeg', 'curl', 'zstd', 'dbus', 'udev', 'ncurses', 'pthread', 'ldap'];

/** Names that are no words, as of packages. */
export const names = (dice: Dice, length: number): string =>
  dice.text(
    length,
    () =>
      `${dice.pick(['Unpacking', 'Setting up', 'Preparing to unpack'])} lib${dice.pick(stems)}${dice.below(9)}-${dice.pick(['dev', 'dbg', 'bin', 'common', 'utils'])}:arm64 (${dice.below(9)}.${dice.below(30)}.${dice.below(9)}-${dice.below(9)}) over ${dice.pick(stems)}-${dice.pick(stems)}fs ...`,
    '\n',
  );
