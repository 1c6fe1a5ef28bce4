import { hash } from 'node:crypto';
import type { ProgramFinder } from '../../ports/system.ts';
import { parseJsonObject } from '../../protocol/json.ts';
import { quoteShellCommand, type EnvironmentVariables } from '../../protocol/shell.ts';
import { realPath } from '../disk/file-system.ts';
import { type LoginStorage, documentWithTokens } from './login-file.ts';

/** Codex uses this name in keyrings. */
const service = 'Codex Auth';
/** The user may have to unlock the keyring first. */
const patienceMs = 60_000;
const mostBytes = 256 * 1024;
/** `security` limits its command lines to this many bytes. */
const longestMacCommand = 4096;
/** A system program that reads and writes the keyring. Secrets are never passed as arguments, which others can see. */
export type KeyringTool = { readonly kind: 'secret-tool' | 'security'; readonly path: string };

export interface KeyringOptions {
  readonly home: string;
  readonly tool: KeyringTool;
  readonly env: EnvironmentVariables;
  /** A folder that commands cannot write. */
  readonly cwd: string;
}

export function keyringTool(platform: NodeJS.Platform, find: ProgramFinder['find']): KeyringTool | undefined {
  if (platform === 'darwin') return { kind: 'security', path: '/usr/bin/security' };
  const path = platform === 'linux' ? find('secret-tool') : undefined;
  return path === undefined ? undefined : { kind: 'secret-tool', path };
}

/** The keyring entry of a home. Each home has its own, under a name that does not reveal its folder. */
export function loginKeyringStorage({ home, tool, ...start }: KeyringOptions): LoginStorage {
  const digest = hash('sha256', realPath(home) ?? home);
  const account = `cli|${digest.slice(0, 16)}`;
  const run = (use: ToolUse): Promise<ToolResult> => runTool(tool.path, use, start);
  const uses = tool.kind === 'security' ? macUses(account) : linuxUses(account);
  const name = 'the keyring of this system';
  const lookUp = async (): Promise<string | undefined> => {
    const result = await run(uses.read);
    if (result.code === 0) return result.stdout;
    if (uses.isMissing(result)) return undefined;
    throw cannotUse(result.stderr);
  };
  const write: LoginStorage['write'] = async (document) => {
    const { code, stderr } = await run(uses.write(JSON.stringify(document)));
    if (code !== 0) throw cannotUse(stderr);
  };
  return {
    name,
    write,
    async read() {
      const unread = (why: string) => {
        const next = 'Unlock the keyring, or set cli_auth_credentials_store = "file" and sign in again.';
        return { kind: 'unread', message: `The login in ${name} cannot be read: ${why}.`, next } as const;
      };
      try {
        const text = await lookUp();
        if (text === undefined || text.trim() === '') return { kind: 'none' };
        const document = parseJsonObject(text);
        return document === undefined ? unread('it is not a JSON object') : { kind: 'found', document };
      } catch (error) {
        return unread(error instanceof Error ? error.message : String(error));
      }
    },
    async remove() {
      if ((await lookUp()) === undefined) return false;
      const { code, stderr } = await run(uses.remove);
      if (code !== 0) throw cannotUse(stderr);
      return true;
    },
    // A readable, unlocked keyring has space: there is nothing to reserve.
    async reserve() {
      if ((await lookUp()) === undefined) throw new Error('the login is no longer in the keyring');
      return {
        async keep(tokens, at) {
          const text = await lookUp();
          if (text === undefined) throw new Error('it disappeared');
          await write(documentWithTokens(parseJsonObject(text) ?? {}, tokens, at));
        },
        discard: () => {},
      };
    },
  };
}

type ToolUse = { readonly args: readonly string[]; readonly input: string };
type ToolResult = { readonly code: number; readonly stdout: string; readonly stderr: string };

interface ToolUses extends Readonly<Record<'read' | 'remove', ToolUse>> {
  write(text: string): ToolUse;
  /** True if the keyring works and has no entry. */
  isMissing(result: ToolResult): boolean;
}

function linuxUses(account: string): ToolUses {
  const entry = ['service', service, 'username', account];
  return {
    read: { args: ['lookup', ...entry], input: '' },
    remove: { args: ['clear', ...entry], input: '' },
    write: (text) => ({ args: ['store', `--label=${service}`, ...entry], input: text }),
    isMissing: ({ code, stderr }) => code === 1 && stderr.trim() === '',
  };
}

function macUses(account: string): ToolUses {
  const entry = ['-s', service, '-a', account];
  const notFound = 44;
  return {
    read: { args: ['find-generic-password', ...entry, '-w'], input: '' },
    remove: { args: ['delete-generic-password', ...entry], input: '' },
    write(text) {
      const command = `${quoteShellCommand(['add-generic-password', '-U', ...entry, '-w', text])}\n`;
      if (Buffer.byteLength(command) > longestMacCommand) throw new Error('the login is too long for the keyring');
      return { args: ['-i'], input: command };
    },
    isMissing: ({ code }) => code === notFound,
  };
}

function runTool(path: string, { args, input }: ToolUse, { env, cwd }: Pick<KeyringOptions, 'env' | 'cwd'>) {
  const { spawn } = process.getBuiltinModule('node:child_process');
  return new Promise<ToolResult>((resolve, reject) => {
    const child = spawn(path, args, { cwd, env, stdio: 'pipe', timeout: patienceMs, killSignal: 'SIGKILL' });
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        said[name] += text;
        if (said[name].length > mostBytes) child.kill('SIGKILL');
      });
    }
    // A program that does not read its input has ended; its exit code says why.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.on('error', (error: NodeJS.ErrnoException) => reject(new Error(`${path} cannot be started (${error.code})`)));
    child.on('close', (code) => {
      if (code === null) reject(new Error(`${path} did not answer`));
      else resolve({ code, ...said });
    });
  });
}

/** The program's output is worded for users and holds no secret: it gets those on its input only. */
function cannotUse(stderr: string): Error {
  const [line = ''] = stderr.trim().split('\n');
  return new Error(line === '' ? 'it cannot be used' : `it cannot be used (${line.slice(0, 200)})`);
}
