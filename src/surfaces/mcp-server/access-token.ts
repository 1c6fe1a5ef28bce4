import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { accessTokenVariable } from '../../policy/shell-environment-policy.ts';
import { shellWords } from '../../protocol/shell-words.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { isOwnMachine } from './wire/http-guard.ts';

export interface AccessToken {
  /** Undefined: none is asked for. */
  readonly token: string | undefined;
  /** Made for this run: it has to be shown. */
  readonly isNew: boolean;
}

interface TokenChoices {
  readonly host: string;
  readonly noToken: boolean;
  readonly file: string | undefined;
  readonly variable: string | undefined;
  readonly cwd: string;
}

const shortest = 16;

/** The token of a server over HTTP: from a file, from the environment, or a new one. */
export function accessToken({ host, noToken, file, variable, cwd }: TokenChoices): AccessToken | Outcome {
  if (noToken) {
    if (isOwnMachine(host)) return { token: undefined, isNew: false };
    const message = `mcp-server: without a token, ${host} would let everyone on the network run commands here.`;
    return { code: 'usage', message, next: 'Leave out --no-token, or listen on 127.0.0.1.' };
  }
  const given = file === undefined ? variable : readToken(resolve(cwd, file));
  if (typeof given === 'object') return given;
  if (given === undefined || given === '') return { token: randomBytes(24).toString('base64url'), isNew: true };
  if (given.length >= shortest && !/\s/.test(given)) return { token: given, isNew: false };
  const where = file === undefined ? accessTokenVariable : file;
  return {
    code: 'weak-token',
    message: `The token in ${where} has fewer than ${shortest} characters, or spaces.`,
    next: 'Make one with `openssl rand -hex 24`.',
  };
}

function openToOthers(path: string): Outcome {
  return {
    code: 'token-open',
    message: `Other users of this machine can read or change the token file ${path}.`,
    next: `Close it with \`chmod 600 ${shellWords([path])}\`.`,
  };
}

function readToken(path: string): string | Outcome {
  try {
    const file = openSync(path, 'r');
    try {
      // The commands of other users could use the server as this one.
      if ((fstatSync(file).mode & 0o077) !== 0) return openToOthers(path);
      return readFileSync(file, 'utf8').trim();
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { code: 'token-unreadable', message: `The token could not be read: ${why}.`, next: 'Check --token-file.' };
  }
}
