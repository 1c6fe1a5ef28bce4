/** One turn of a prepared thread: what the user said, commands and what they printed, what the model answered. */
export interface Exchange {
  readonly words: string;
  readonly calls: readonly { readonly command: string; readonly output: string }[];
  readonly answer: string;
}

/** Model-visible bytes of one exchange. */
const exchangeBytes = 10_000;
const shares = { words: 0.05, command: 0.01, answer: 0.1 };

/** So many bytes of history, in exchanges of ten thousand: a thread grows by turns, not by longer turns. */
export function exchangesOf(bytes: number): readonly Exchange[] {
  const count = Math.max(1, Math.round(bytes / exchangeBytes));
  return Array.from({ length: count }, (_, index) => exchange(index));
}

function exchange(index: number): Exchange {
  const text = textSource(index + 1);
  const words = text(exchangeBytes * shares.words);
  const command = `printf '%s\\n' ${text(exchangeBytes * shares.command).replaceAll(/[^a-z]+/g, '-')}`;
  const answer = text(exchangeBytes * shares.answer);
  const output = text(exchangeBytes - words.length - command.length - answer.length);
  return { words, calls: [{ command, output }], answer };
}

/** One turn of many commands that print much: what a thread looks like whose model works alone for long. */
export function longTurn({ calls, outputBytes }: { readonly calls: number; readonly outputBytes: number }): Exchange {
  const text = textSource(calls);
  return {
    words: text(exchangeBytes * shares.words),
    calls: Array.from({ length: calls }, (_, index) => ({ command: `cat part-${index}`, output: text(outputBytes) })),
    answer: text(exchangeBytes * shares.answer),
  };
}

const vocabulary =
  'const return await value lines readonly thread of the a in request state "name": => { } (); // error: at 12 0x1f src/index.ts naïve …'.split(
    ' ',
  );

/** Text as tools print it: words and code, with the quotes and line breaks that an encoder must escape. Same seed, same text. */
function textSource(seed: number): (length: number) => string {
  let state = seed;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return (length) => {
    let text = '';
    while (text.length < length) text += `${vocabulary[next(vocabulary.length)]}${next(9) === 0 ? '\n' : ' '}`;
    return text.slice(0, length);
  };
}
