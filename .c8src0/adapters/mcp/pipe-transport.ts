import { BoundedBuffer } from '../../base/bounded-buffer.ts';
import type { ServerProcess, StartServerProcess } from '../../ports/mcp-servers.ts';
import type { PlainCommand } from '../../ports/sandbox.ts';
import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

/** A longer message ends the connection: no useful answer is this long. */
const mostMessageBytes = 32_000_000;
/** Limit of lines that are not messages: some programs greet their terminal; one that only prints is no server. */
const mostOddLines = 1000;

export class PipeTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  /** Why it closed. Absent: it is open, or we closed it. */
  ended: string | undefined;
  readonly #odd: (line: string) => void;
  readonly #command: PlainCommand;
  readonly #startProcess: StartServerProcess;
  #process: ServerProcess | undefined;
  readonly #held = new BoundedBuffer(mostMessageBytes);
  #oddLines = 0;
  #isClosed = false;

  /** `odd`: receives the first line that is not a message. */
  constructor(command: PlainCommand, startProcess: StartServerProcess, odd: (line: string) => void) {
    this.#odd = odd;
    this.#command = command;
    this.#startProcess = startProcess;
  }

  async start(): Promise<void> {
    const started = await this.#startProcess(this.#command, {
      output: (bytes) => this.#receive(bytes),
      ended: ({ exitCode, errors }) => this.end(`it ended with code ${exitCode}${quotedEnd(errors)}`),
    });
    if (started.kind === 'not-started') {
      this.ended = started.reason;
      throw new Error(started.reason);
    }
    this.#process = started;
    if (this.#isClosed) await started.close();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#process === undefined || this.#isClosed) throw new Error('the server has ended');
    await this.#process.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    const wasOpen = !this.#isClosed;
    this.#isClosed = true;
    this.#held.clear();
    await this.#process?.close();
    if (wasOpen) this.onclose?.();
  }

  /** Closes the transport, for a reason shown to the user. */
  end(why: string): void {
    if (this.#isClosed) return;
    this.ended = why;
    void this.close();
  }

  #receive(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    let rest = bytes;
    for (let at = rest.indexOf(10); at >= 0 && !this.#isClosed; at = rest.indexOf(10)) {
      if (!this.#hold(rest.subarray(0, at))) return;
      rest = rest.subarray(at + 1);
      const line = this.#held.take().toString('utf8').trim();
      if (line !== '') this.#line(line);
    }
    if (!this.#isClosed) this.#hold(rest);
  }

  #hold(piece: Uint8Array): boolean {
    const fits = this.#held.add(piece);
    if (!fits) this.end(`it sent a message of more than ${mostMessageBytes} bytes`);
    return fits;
  }

  #line(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      message = undefined;
    }
    if (isJsonObject(message) && message['jsonrpc'] === '2.0') {
      if (isUnheard(message)) return;
      this.onmessage?.(withoutHugeSchemas(message, line.length) as unknown as JSONRPCMessage);
      return;
    }
    this.#oddLines += 1;
    if (this.#oddLines === 1) this.#odd(line);
    if (this.#oddLines > mostOddLines) this.end('it writes lines that are not messages of the protocol');
  }
}

/** A notification that nothing here handles, such as a log line. The library would queue even a flood of them. */
const isUnheard = ({ id, method }: JsonObject): boolean =>
  id === undefined && typeof method === 'string' && !heard.test(method);
const heard = /^notifications\/(?:cancelled$|progress$|tools\/|tasks\/|elicitation\/)/;

function quotedEnd(errors: string): string {
  const line = finalErrorLine(errors);
  return line === '' ? '' : `, and wrote ${JSON.stringify(line.length > 300 ? `${line.slice(0, 300)}…` : line)}`;
}

/** Size of a schema as text. The model gets only a small part of it, and reducing it takes time. */
const mostCharacters = 256 * 1024;
/** Replaces a schema that is too large before the library visits every member of it. */
const leftOut: JsonObject = { type: 'object', capstan_too_large: true };

export function hasHugeSchema({ inputSchema = null, outputSchema = null }: JsonObject): boolean {
  if (isJsonObject(inputSchema) && inputSchema['capstan_too_large'] === true) return true;
  return [inputSchema, outputSchema].some((schema) => JSON.stringify(schema).length > mostCharacters);
}

/** The message without schemas that are too large, if it is a list of tools. `characters`: its length. */
function withoutHugeSchemas(message: JsonObject, characters: number): JsonObject {
  const { result } = message;
  if (characters <= mostCharacters || !isJsonObject(result) || !Array.isArray(result['tools'])) return message;
  const tools = result['tools'].map((tool: Json) => {
    if (!isJsonObject(tool) || !hasHugeSchema(tool)) return tool;
    const { outputSchema: _large, ...others } = tool;
    return { ...others, inputSchema: leftOut };
  });
  return { ...message, result: { ...result, tools } };
}

/** Noise around errors of Node and other runtimes: stack frames, the rest of an object, carets, hints. */
const noise = /^(?:at |[\^~{}[\]\s]*$|Node\.js v\d|\(?Use `node |note: run with `RUST_BACKTRACE|exit status \d+$)/;
/** Node ends with its version, and prints the error's fields before that. */
const nodesEnd = /^Node\.js v\d/;
const nodesError = /^\[?(?:Uncaught )?\w*(?:Error|Exception|Rejection)\b/;

/** The line of a program's last output that gives the reason; empty if it printed nothing. */
export function finalErrorLine(errors: string): string {
  const lines = errors.split('\n').flatMap((line) => line.trim() || []);
  const byNode = nodesEnd.test(lines.at(-1) ?? '') ? lines.findLast((line) => nodesError.test(line)) : undefined;
  return byNode ?? lines.findLast((line) => !noise.test(line)) ?? lines.at(-1) ?? '';
}
