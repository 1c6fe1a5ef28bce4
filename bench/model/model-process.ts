import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { FromModel, Performance, Piece, ToModel } from './piece.ts';

/** The runner's end of the model: one piece at a time. */
export class ModelProcess {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start(): Promise<ModelProcess> {
    const child = fork(join(import.meta.dirname, 'play.ts'), { stdio: 'inherit' });
    const { url } = await next(child, 'listening');
    return new ModelProcess(child, url);
  }

  async play(piece: Piece): Promise<void> {
    this.#send({ kind: 'play', piece });
    await next(this.#child, 'ready');
  }

  /** Resolves when the last request of the piece is there and waits for its answer. */
  async held(): Promise<void> {
    await next(this.#child, 'held');
  }

  goOn(): void {
    this.#send({ kind: 'go-on' });
  }

  async report(): Promise<Performance> {
    this.#send({ kind: 'report' });
    return (await next(this.#child, 'report')).performance;
  }

  close(): void {
    this.#child.disconnect();
  }

  #send(message: ToModel): void {
    this.#child.send(message);
  }
}

function next<Kind extends FromModel['kind']>(
  child: ChildProcess,
  kind: Kind,
): Promise<Extract<FromModel, { kind: Kind }>> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: FromModel): void => {
      if (message.kind !== kind) return;
      forget();
      resolve(message as Extract<FromModel, { kind: Kind }>);
    };
    const onExit = (): void => {
      forget();
      reject(new Error('The process of the scripted model ended.'));
    };
    const forget = (): void => {
      child.off('message', onMessage);
      child.off('exit', onExit);
    };
    child.on('message', onMessage);
    child.on('exit', onExit);
  });
}
