import { arrayAt, type JsonObject, stringAt } from '../../protocol/json.ts';
import { asItem, isMessage, type Item, messageText } from '../../protocol/item.ts';
import { answer, callTool, type RecordedRequest, say, type ScriptStep } from '../../testing/index.ts';
import { releaseLog, releaseSteps } from './project.ts';

/** What the demo asks for, in order. */
export const demoWords = {
  fix: 'The check fails: fix it. Then install it as a git pre-commit hook.',
  release: 'Now release 1.0.1.',
  goOn: 'You were cut off. Please finish.',
  look: 'From here on, only look. Can you still change a file? Try.',
} as const;

/** What a model would see in a request. */
interface Seen {
  /** Answers to the calls since the user's last words. */
  readonly outputs: readonly string[];
  /** The newest of them. */
  readonly last: string;
  /** Whether the command behind it succeeded. */
  readonly ok: boolean;
  /** All calls' answers, from the start of the thread. */
  readonly everyOutput: readonly string[];
}

type Sent = Pick<RecordedRequest, 'body'>;
type Move = (seen: Seen) => ScriptStep;

const moves: Readonly<Record<keyof typeof demoWords, readonly Move[]>> = {
  fix: [
    () => run('cat largest.mjs'),
    () => run('sh check'),
    ({ ok }) =>
      ok
        ? tell('The check passes. There is nothing to fix.')
        : run("sed 's/()/((a, b) => a - b)/' largest.mjs > new && mv new largest.mjs"),
    () => run('sh check'),
    ({ ok }) =>
      ok
        ? run("mkdir -p .git/hooks && echo 'sh check' > .git/hooks/pre-commit")
        : tell('My change did not help: the check still fails.'),
    ({ ok }) =>
      tell(
        ok
          ? 'Fixed, and the hook is installed.'
          : 'Fixed: the numbers were sorted as text, and the check passes now. The hook is not installed, because the sandbox keeps .git read-only.',
      ),
  ],
  release: [() => run(`sh release ${releaseSteps.join(' ')}`), () => tell('Released.')],
  goOn: [
    ({ everyOutput }) =>
      everyOutput.at(-1)?.startsWith('Outcome unknown') === true
        ? run(`cat ${releaseLog}`)
        : tell('I was not told that something was cut off.'),
    ({ last }) => {
      const missing = releaseSteps.filter((step) => !isLogged(step, last));
      return missing.length === 0 ? tell('Everything had been done.') : run(`sh release ${missing.join(' ')}`);
    },
    ({ outputs, ok }) => {
      const found = releaseSteps.filter((step) => isLogged(step, outputs[0] ?? ''));
      return ok
        ? tell(`Released. I did not repeat what the log shows as done: ${found.join(', ')}.`)
        : tell('The rest of the release failed.');
    },
  ],
  look: [
    () => run("echo '// changed' >> largest.mjs"),
    ({ ok }) => tell(ok ? 'Yes: I just changed largest.mjs.' : 'No. Nothing can be written any more.'),
  ],
};

/** The scripted model: its answer depends on the request and on nothing else, like that of a real one. */
export function answerTo(request: Sent): ScriptStep {
  const input = sentItems(request);
  const asked = input.findLastIndex((item) => askedIn(item) !== undefined);
  const name = asked < 0 ? undefined : askedIn(input[asked]!);
  if (name === undefined) return tell('I was asked for something that is not in my script.');
  const outputs = outputsIn(input.slice(asked));
  const last = outputs.at(-1) ?? '';
  if (last.startsWith('Not run:')) return tell('I cannot run commands here.');
  const move = moves[name][outputs.length];
  const ok = /^Process exited with code 0$/m.test(last);
  return move === undefined ? tell('My script ends here.') : move({ outputs, last, ok, everyOutput: outputsIn(input) });
}

export function sentItems({ body }: Sent): readonly Item[] {
  return (arrayAt(body, 'input') ?? []).map(asItem).filter((item) => item !== undefined);
}

function askedIn(item: Item): keyof typeof demoWords | undefined {
  if (!isMessage(item) || item.role !== 'user') return undefined;
  const text = messageText(item);
  return (Object.keys(demoWords) as (keyof typeof demoWords)[]).find((name) => demoWords[name] === text);
}

function outputsIn(items: readonly Item[]): readonly string[] {
  return items.filter(isCallOutput).map((item) => stringAt(item, 'output') ?? '');
}

export function isCallOutput(item: JsonObject): boolean {
  return item['type'] === 'function_call_output';
}

function isLogged(step: string, log: string): boolean {
  return log.split('\n').some((line) => line.startsWith(`${step} `));
}

function run(command: string): ScriptStep {
  return answer({ items: [callTool('exec_command', { cmd: command })] });
}

function tell(text: string): ScriptStep {
  return answer({ items: [say(text)] });
}
