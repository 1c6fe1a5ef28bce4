import { tokenize, type Token } from './tokens.ts';

/** The folders in which messages may be built, each with the reason. */
const builders: Readonly<Record<string, string>> = {
  'src/core/fragments/': 'the one home of text that is injected, and of the form of a user message',
  'src/core/world/': 'sections with their fragments',
  'src/core/compaction/requests/prompts.ts': 'what a compaction asks and what it leaves behind',
  'src/adapters/model/chat/': 'writes items in the form of another wire format, and its answers as items',
  'src/adapters/model/anthropic/': 'the same',
  'src/adapters/model/responses/functions-only.ts': 'the same, for servers with functions alone',
  'src/testing/': 'plays the model, whose messages it writes',
  'src/core/state/turns/turn-words.ts': 'says who spoke, for lists; no message comes of it',
  'src/adapters/rollout/index/': 'the same, for searches',
};

const made: Readonly<Record<string, readonly string[]>> = { role: ['user', 'developer'], type: ['message'] };

/** Object literals outside the builders that are messages of the user or of a developer: a file and a line each. */
export function strayMessages(sources: ReadonlyMap<string, string>): readonly string[] {
  return [...sources]
    .filter(([path]) => !path.endsWith('.test.ts') && !Object.keys(builders).some((home) => path.startsWith(home)))
    .flatMap(([path, source]) => strayLiterals(tokenize(source)).map((told) => `${path}:${told}`));
}

function strayLiterals(tokens: readonly Token[]): readonly string[] {
  return tokens.flatMap((key, i) => {
    const [before, colon, value] = [tokens[i - 1], tokens[i + 1], tokens[i + 2]];
    if (colon?.text !== ':' || value?.kind !== 'string' || !made[key.text]?.includes(value.text)) return [];
    // `readonly type: 'message'` declares a type and builds nothing.
    return before?.text === 'readonly' ? [] : [`${key.line} builds a message: { ${key.text}: '${value.text}' }`];
  });
}
