import { createInterface } from 'node:readline';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * A server of tools that does what its plan says, over standard input and output. Started as a program; the plan is a
 * JSON file that is read anew for every request, so that a test can change it.
 */
interface Plan {
  readonly tools?: readonly object[];
  readonly instructions?: string;
  readonly capabilities?: object;
  /** Milliseconds before the first answer. */
  readonly startDelay?: number;
  /** By the name of the tool. */
  readonly calls?: Readonly<Record<string, CallPlan>>;
  readonly resources?: readonly object[];
  /** Ends as soon as it is started. */
  readonly exitAtStart?: number;
  /** In the place of what a server answers to its first request. */
  readonly greeting?: unknown;
  /** In the place of the list. */
  readonly list?: unknown;
  /** Every page of the list names another one. */
  readonly endlessList?: boolean;
}

interface CallPlan {
  readonly result?: object;
  readonly error?: object;
  readonly delay?: number;
  readonly die?: boolean;
  readonly dieOnce?: boolean;
  readonly silent?: boolean;
  readonly raw?: string;
  readonly flood?: number;
  readonly repeat?: { readonly text: string; readonly times: number };
  readonly progress?: number;
  readonly changed?: boolean;
  /** Says this often that its list is another one. */
  readonly changes?: number;
  /** Reads nothing any more, and does not answer. */
  readonly deaf?: boolean;
  /** Asks this often, and answers with how often the user said yes. */
  readonly asks?: number;
  readonly ask?: { readonly method: string; readonly params: object };
  readonly environment?: boolean;
  /** Writes these files, and answers with what came of each. */
  readonly write?: readonly string[];
}

const [, , planFile = '', logFile = ''] = process.argv;
const plan = (): Plan => JSON.parse(readFileSync(planFile, 'utf8')) as Plan;
const log = (entry: object): void => appendFileSync(logFile, `${JSON.stringify(entry)}\n`);
const send = (message: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const waiting = new Map<unknown, (answer: object) => void>();
let asked = 0;

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Record<string, never>;
}

log({ started: process.pid, cwd: process.cwd() });

const { exitAtStart } = plan();
if (exitAtStart !== undefined) process.exit(exitAtStart);

const lines = createInterface({ input: process.stdin }).on('line', (line) => void handle(JSON.parse(line) as Message));

async function handle(message: Message): Promise<void> {
  const { id, method, params = {} } = message;
  log({ got: method ?? 'answer', ...(method === undefined ? message : { params }) });
  if (method === undefined) return waiting.get(id)?.(message);
  if (id === undefined) return;
  const now = plan();
  switch (method) {
    case 'initialize':
      await pause(now.startDelay ?? 0);
      if (now.greeting !== undefined) return send({ id, result: now.greeting });
      return send({
        id,
        result: {
          protocolVersion: params['protocolVersion'],
          capabilities: now.capabilities ?? {
            tools: { listChanged: true },
            ...(now.resources ? { resources: {} } : {}),
          },
          serverInfo: { name: 'scripted', version: '1' },
          ...(now.instructions === undefined ? {} : { instructions: now.instructions }),
        },
      });
    case 'tools/list':
      if (now.list !== undefined) return send({ id, result: now.list });
      return send({ id, result: { tools: now.tools ?? [], ...(now.endlessList ? { nextCursor: `${++asked}` } : {}) } });
    case 'resources/list':
      return send({ id, result: { resources: now.resources ?? [] } });
    case 'resources/read':
      return send({ id, result: { contents: [{ uri: params['uri'], text: 'the content' }] } });
    case 'tools/call':
      return call(id, params as unknown as { name: string; _meta?: { progressToken?: number } }, now);
    default:
      return send({ id, error: { code: -32601, message: `no ${method}` } });
  }
}

async function call(id: number | string, params: { name: string; _meta?: { progressToken?: number } }, now: Plan) {
  const todo = now.calls?.[params.name] ?? {};
  if (todo.dieOnce === true && !existsSync(`${planFile}.died`)) {
    appendFileSync(`${planFile}.died`, '');
    process.exit(7);
  }
  if (todo.die === true) {
    process.stderr.write('out of luck\n');
    process.exit(7);
  }
  if (todo.raw !== undefined) return void process.stdout.write(todo.raw.replace('"id":ID', `"id":${id}`));
  if (todo.flood !== undefined) {
    for (let sent = 0; sent < todo.flood; sent += 65_536) {
      if (!process.stdout.write('x'.repeat(65_536)))
        await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
    return;
  }
  for (let step = 1; step <= (todo.progress ?? 0); step++) {
    const progressToken = params._meta?.progressToken;
    send({
      method: 'notifications/progress',
      params: { progressToken, progress: step, total: todo.progress, message: 'working' },
    });
  }
  await pause(todo.delay ?? 0);
  if (todo.silent === true) return;
  if (todo.deaf === true) {
    lines.close();
    process.stdin.pause();
    setInterval(() => {}, 1000);
    return;
  }
  for (let time = 0; time < (todo.changes ?? 0); time++) send({ method: 'notifications/tools/list_changed' });
  if (todo.changed === true) send({ method: 'notifications/tools/list_changed' });
  if (todo.ask !== undefined && todo.asks !== undefined) {
    let accepted = 0;
    for (let time = 0; time < todo.asks; time++) {
      const { result } = await answerTo(todo.ask);
      if (JSON.stringify(result).includes('"accept"')) accepted += 1;
    }
    return send({ id, result: { content: [{ type: 'text', text: `${accepted} times yes` }] } });
  }
  if (todo.ask !== undefined) {
    const { result, error } = await answerTo(todo.ask);
    return send({ id, result: { content: [{ type: 'text', text: JSON.stringify(result ?? error) }] } });
  }
  if (todo.environment === true) {
    return send({ id, result: { content: [{ type: 'text', text: JSON.stringify(process.env) }] } });
  }
  if (todo.write !== undefined) {
    return send({ id, result: { content: [{ type: 'text', text: todo.write.map(written).join(', ') }] } });
  }
  if (todo.error !== undefined) return send({ id, error: todo.error });
  const text = todo.repeat === undefined ? `called ${params.name}` : todo.repeat.text.repeat(todo.repeat.times);
  log({ answered: params.name });
  send({ id, result: todo.result ?? { content: [{ type: 'text', text }] } });
}

function written(path: string): string {
  try {
    writeFileSync(path, 'by the server');
    return 'written';
  } catch (error) {
    return String(Object(error).code);
  }
}

function answerTo(ask: NonNullable<CallPlan['ask']>): Promise<{ readonly result?: object; readonly error?: object }> {
  const question = `ask-${++asked}`;
  const answer = new Promise<object>((resolve) => waiting.set(question, resolve));
  send({ id: question, ...ask });
  return answer;
}
