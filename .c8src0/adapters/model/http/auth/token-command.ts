import type { TokenCommand } from '../../../../core/config/providers/provider-config.ts';
import type { ProgramFinder } from '../../../../ports/system.ts';
import { BoundedBuffer } from '../../../../base/bounded-buffer.ts';
import type { EnvironmentVariables } from '../../../../protocol/shell.ts';
import type { Credentials, CredentialsWanted, ProviderOptions } from '../credentials-and-headers.ts';

export interface TokenCommandParts {
  readonly environment: EnvironmentVariables;
  /** Finds a command named without a path on the user's search path, outside the workspace. */
  readonly programs: ProgramFinder;
  /** Working folder unless the command sets one. Programs load code from it: commands must not write there. */
  readonly programFolder: () => string;
  readonly now: () => number;
}

const mostBytes = 64 * 1024;

/** Credentials printed by a user's command, used until too old or refused. Requests share a run. Never shown. */
export function tokenFromCommand(
  command: TokenCommand,
  provider: Pick<ProviderOptions, 'id' | 'name'>,
  { environment, programs, programFolder, now }: TokenCommandParts,
): (wanted: CredentialsWanted) => Promise<Credentials> {
  let kept: { readonly token: string; readonly at: number } | undefined;
  let running: Promise<Credentials> | undefined;
  const isOld = (at: number): boolean => command.refreshIntervalMs > 0 && now() - at >= command.refreshIntervalMs;
  const renew = async (): Promise<Credentials> => {
    const program = command.command.includes('/') ? command.command : programs.find(command.command);
    const { cwd = programFolder() } = command;
    const start = { ...command, cwd };
    const printed = program === undefined ? notFound : await run(start, program, environment).catch(notStarted);
    running = undefined;
    if (printed.kind === 'failed') {
      const message = `The command that prints the key for ${provider.name} ${printed.why}.`;
      const next = `Run the command in model_providers.${provider.id}.auth by hand to see why.`;
      return { kind: 'missing', message, next };
    }
    kept = { token: printed.token, at: now() };
    return asBearer(printed.token);
  };
  return async ({ rejected, asIs }) => {
    // A command may be slow, and its output is not needed to know how requests identify themselves.
    if (asIs === true) return asBearer(kept?.token ?? '');
    if (kept !== undefined && kept.token !== rejected && !isOld(kept.at)) return asBearer(kept.token);
    return (running ??= renew());
  };
}

const asBearer = (token: string): Credentials => ({ kind: 'bearer', mode: 'api-key', token, renewable: true });
type Printed = { readonly kind: 'token'; readonly token: string } | { readonly kind: 'failed'; readonly why: string };

function run(
  { args, timeoutMs, cwd }: TokenCommand,
  program: string,
  environment: EnvironmentVariables,
): Promise<Printed> {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const { isUtf8 } = process.getBuiltinModule('node:buffer');
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => resolve({ kind: 'failed', why });
    const child = spawn(program, args, { cwd, env: { ...environment }, stdio: ['ignore', 'pipe', 'ignore'] });
    const held = new BoundedBuffer(mostBytes);
    let isTooMuch = false;
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      // A surviving child must not keep this process from ending.
      child.stdout.destroy();
      fail(`did not end within ${timeoutMs / 1000} seconds`);
    }, timeoutMs);
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.stdout.on('data', (chunk: Buffer) => {
      isTooMuch ||= !held.add(chunk);
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (code !== 0) return fail(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`);
      if (isTooMuch) return fail('printed too much');
      const printed = held.take();
      if (!isUtf8(printed)) return fail('printed something that is not text');
      // `trim` also removes a byte order mark.
      const token = printed.toString('utf8').trim();
      if (token === '') return fail('printed nothing');
      resolve({ kind: 'token', token });
    });
  });
}

const notFound: Printed = {
  kind: 'failed',
  why: 'was not found on the PATH (Capstan skips folders that commands can write)',
};

const notStarted = (error: NodeJS.ErrnoException): Printed => ({
  kind: 'failed',
  why: `could not be started (${error.code ?? error.message})`,
});
