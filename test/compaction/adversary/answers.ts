import { answer, callTool, reason, say } from '../../../src/testing/index.ts';
import { checkpointText, saysCheckpoint } from '../summariser.ts';
import type { Doing } from './play.ts';
import type { Installed } from './told.ts';
import type { Transcript } from './transcripts.ts';

/** The answers of a model that is asked for a checkpoint, and the report to people. */
export interface Answers {
  readonly name: string;
  readonly does: Doing;
  readonly told: Installed;
  /** Texts that must not reach the model again as they are. */
  readonly never?: readonly string[];
}

const resume = 'RESUME_AT: write the loop of src/scan.ts';
export const summary = `The loop is half done, the tests have not been run.\n${resume}`;

export function good({ task }: Transcript): string {
  return checkpointText(task, [task]);
}

export function intentOf({ task }: Transcript): string {
  return (JSON.parse(good({ task } as Transcript)) as { intent_user_message: string }).intent_user_message;
}

export function always(text: string | ((about: Transcript) => string)): Doing {
  return (about) => [saysCheckpoint(typeof text === 'string' ? text : text(about))];
}

/** The JSON with something else in the place of some of it. */
export function but(change: (about: Transcript) => Readonly<Record<string, unknown>>): Doing {
  return always((about) => JSON.stringify({ intent_user_message: intentOf(about), summary, ...change(about) }));
}

export const structured = (...mended: readonly string[]): Installed => ({
  strategy: 'structured',
  requests: 1,
  mended,
});
export const onSecondTry = (fault: string): Installed => ({
  strategy: 'structured',
  requests: 2,
  mended: [`Capstan could not use the first answer and asked the model again: ${fault}`],
});
export const plain = { strategy: 'plain', requests: 3, mended: [], why: 'compaction-answer-unusable' } as const;
export const byCode = { strategy: 'mechanical', requests: 3, mended: [], why: 'compaction-answer-unusable' } as const;

export const cut = 'The model wrote more than there is space for, so Capstan cut out the middle.';

/** Answers in which no JSON object is whole. */
export const formless: readonly Answers[] = [
  { name: 'nothing', does: () => [answer({ items: [] })], told: byCode },
  { name: 'an empty message', does: always(''), told: byCode },
  { name: 'white space', does: always(' \n\t\u00a0\u2003\r\n '), told: byCode },
  { name: 'a byte order mark alone', does: always('\uFEFF'), told: byCode },
  { name: 'only thoughts', does: () => [answer({ items: [reason('The user wants a checkpoint.')] })], told: byCode },
  {
    name: 'a call in the place of text',
    does: () => [answer({ items: [callTool('exec_command', { cmd: 'rm -rf .' })] })],
    told: byCode,
    never: ['rm -rf .'],
  },
  {
    name: 'a call of a tool that is not there',
    does: () => [answer({ items: [callTool('write_checkpoint', '{"summary":')] })],
    told: byCode,
    never: ['write_checkpoint'],
  },
  {
    name: 'a refusal as a part of its own',
    does: () => [
      answer({
        items: [{ type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'I cannot do that.' }] }],
      }),
    ],
    told: byCode,
  },
  { name: 'a refusal in words', does: always('I am sorry, but I cannot help with that.'), told: plain },
  { name: 'prose', does: always('We ported half of the scanner. Next comes the loop.'), told: plain },
  { name: '"done" and nothing else', does: always('done'), told: byCode },
  { name: 'null', does: always('null'), told: byCode },
  { name: 'a list', does: always((about) => `[${JSON.stringify(intentOf(about))}, "done"]`), told: plain },
  { name: 'a number', does: always('42'), told: byCode },
  { name: 'an empty object', does: always('{}'), told: byCode },
  { name: 'other keys', does: always('{"intent":"the scanner","text":"half done"}'), told: plain },
  {
    name: 'JSON in single quotes',
    does: always((about) => `{'intent_user_message': '${intentOf(about)}', 'summary': 'half done'}`),
    told: plain,
  },
  { name: 'JSON cut off in the intent', does: always((about) => good(about).slice(0, 120)), told: plain },
  { name: 'JSON cut off in the summary', does: always((about) => good(about).slice(0, -20)), told: plain },
  { name: 'a page of the web', does: always('<!doctype html><title>502 Bad Gateway</title>'), told: byCode },
  { name: 'brackets without end', does: always('{"a":'.repeat(3000)), told: byCode },
];

const around = 'Capstan left out the text around the JSON object.';
const spelling = 'Capstan corrected mistakes in the JSON.';
const otherKeys = 'Text under keys that Capstan did not ask for became context for the task.';

/** Answers whose form is wrong and can be put right without a doubt about what is meant. */
export const misshapen: readonly Answers[] = [
  { name: 'what it should', does: always(good), told: structured() },
  {
    name: 'a fence around it',
    does: always((about) => `\`\`\`json\n${good(about)}\n\`\`\``),
    told: structured(around),
  },
  {
    name: 'a fence and prose around it',
    does: always((about) => `Sure! Here {it} is:\n\n\`\`\`json\n${good(about)}\n\`\`\`\nAnything else?`),
    told: structured(around),
  },
  {
    name: 'text after it',
    does: always((about) => `${good(about)}\nI hope this helps {you}.`),
    told: structured(around),
  },
  { name: 'a byte order mark before it', does: always((about) => `\uFEFF${good(about)}`), told: structured() },
  { name: 'the object twice', does: always((about) => `${good(about)}\n${good(about)}`), told: structured(around) },
  {
    name: 'two objects',
    does: always((about) => `${JSON.stringify({ intent_user_message: 'a', summary: 'b' })}\n${good(about)}`),
    told: structured(around, 'There were several JSON objects; Capstan used the last complete one.'),
  },
  { name: 'the object in a string', does: always((about) => JSON.stringify(good(about))), told: structured() },
  { name: 'the object in a list', does: always((about) => `[${good(about)}]`), told: structured(around) },
  { name: 'the object in an object', does: always((about) => `{"checkpoint":${good(about)}}`), told: plain },
  { name: 'more keys', does: but(() => ({ status: 'done', tools: [] })), told: structured(otherKeys) },
  {
    name: 'raw line ends in strings',
    does: always((about) => good(about).replaceAll('\\n', '\n')),
    told: structured(spelling),
  },
  { name: 'a comma too many', does: always((about) => good(about).replace(/}$/, ',}')), told: structured(spelling) },
  {
    name: 'no brace at the end',
    does: always((about) => good(about).slice(0, -1)),
    told: structured('Capstan added the missing closing brace of the JSON object.'),
  },
  {
    name: 'pieces in several messages',
    does: (about) => [answer({ items: [say(good(about).slice(0, 200)), say(good(about).slice(200))] })],
    told: structured(spelling),
  },
  {
    name: 'thoughts, a call and the object',
    does: (about) => [
      answer({ items: [reason('Hm.'), callTool('exec_command', { cmd: 'rm -rf .' }), say(good(about))] }),
    ],
    told: structured(),
    never: ['rm -rf .'],
  },
];

/** Objects in which something is missing, or is not what it should be. */
export const incomplete: readonly Answers[] = [
  { name: 'null for the summary', does: but(() => ({ summary: null })), told: plain },
  { name: 'a list for the summary', does: but(() => ({ summary: ['a', 'b'] })), told: plain },
  { name: 'an object for the intent', does: but(() => ({ intent_user_message: { request: 'x' } })), told: plain },
  { name: 'numbers for both', does: but(() => ({ intent_user_message: 1, summary: 2 })), told: plain },
  { name: 'an empty intent', does: but(() => ({ intent_user_message: ' ' })), told: plain },
  { name: 'an empty summary', does: but(() => ({ summary: '\n' })), told: plain },
  { name: 'no tags', does: but(({ task }) => ({ intent_user_message: task })), told: plain },
  {
    name: 'one tag too few',
    does: but((about) => ({ intent_user_message: intentOf(about).replace('<VERBATIM_REQUEST_END>', '') })),
    told: plain,
  },
  {
    name: 'tags in the wrong order',
    does: but((about) => ({ intent_user_message: intentOf(about).split('\n').toReversed().join('\n') })),
    told: plain,
  },
  {
    name: 'tags twice',
    does: but((about) => ({ intent_user_message: intentOf(about).replace(/<[A-Z_]+>/g, '$&\n$&') })),
    told: structured(),
  },
  {
    name: 'tags that are indented',
    does: but((about) => ({ intent_user_message: intentOf(about).replace(/<[A-Z_]+>/g, '    $&   ') })),
    told: structured(),
  },
  {
    name: 'all tags on one line',
    does: but((about) => ({ intent_user_message: intentOf(about).replaceAll('\n', ' ') })),
    told: structured(),
  },
  { name: 'no resume line', does: but(() => ({ summary: 'Half of it is done.' })), told: plain },
  { name: 'an empty resume line', does: but(() => ({ summary: 'Half of it.\nRESUME_AT: …' })), told: plain },
  {
    name: 'a resume line that is not the last',
    does: but(() => ({ summary: `${resume}\nThat is all.` })),
    told: structured('Capstan moved the `RESUME_AT:` line to the end.'),
  },
  {
    name: 'a resume line in bold',
    does: but(() => ({ summary: 'Half of it.\n- **RESUME_AT:** the loop' })),
    told: structured('Capstan removed other characters from the `RESUME_AT:` line.'),
  },
  { name: 'only "done"', does: but(() => ({ summary: 'done\nRESUME_AT: done' })), told: structured() },
  {
    name: 'what it should on the second try',
    does: (about) => [saysCheckpoint('Here you go.'), saysCheckpoint(good(about))],
    told: onSecondTry('The answer is not one valid JSON object.'),
  },
  {
    name: 'less on the second try',
    does: (about) => [
      saysCheckpoint(good(about).slice(0, -20)),
      saysCheckpoint(''),
      saysCheckpoint('Half of the loop in src/scan.ts is done.'),
    ],
    told: plain,
  },
];
