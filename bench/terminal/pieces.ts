/** The words of the model. They have no capital letters: those are typed, to be found on the screen. */
const words = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta', 'iota', 'kappa', 'lambda', 'mu'];

export const deltasPerSecond = 800;
const deltaCount = 3000;
const transcriptLines = 20_000;

/** A paragraph of a line for each line of the transcript: a renderer may join neither. */
export const fillText = Array.from({ length: transcriptLines }, (_, at) => `- ${at} ${words.join(' ')}`).join('\n');

export const streamText = Array.from({ length: deltaCount }, (_, at) => {
  const word = words[at % words.length]!;
  return at % 36 === 35 ? `${word}.\n\n` : word;
})
  .join(' ')
  .replaceAll('\n ', '\n');

/** The last words of each, by which the runner knows that all of it is on the screen. */
export const ends = { fill: 'omega-fill', stream: 'omega-stream' };
