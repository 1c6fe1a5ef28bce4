import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { InstructionRules } from '../../src/core/envelope/settings.ts';
import { InstructionFiles } from '../../src/adapters/gather/instruction-files.ts';
import type { ResolvedPolicy } from '../../src/protocol/permissions.ts';

/** A user folder and a repository on the disk, new for each test of a file. */
export class InstructionFolders {
  root = '';

  constructor() {
    beforeEach(() => {
      this.root = realpathSync(mkdtempSync(join(tmpdir(), 'capstan-instructions-')));
      mkdirSync(this.home);
      this.write('repo/.git/HEAD', 'ref: refs/heads/main\n');
    });
    afterEach(() => rmSync(this.root, { recursive: true, force: true }));
  }

  get home(): string {
    return join(this.root, 'home');
  }

  get repo(): string {
    return join(this.root, 'repo');
  }

  write(path: string, content: string | Buffer): void {
    mkdirSync(join(this.root, path, '..'), { recursive: true });
    writeFileSync(join(this.root, path), content);
  }

  rules(cwd: string, more: Partial<InstructionRules> = {}): InstructionRules {
    return {
      cwd: join(this.root, cwd),
      trusted: 'unknown',
      maxBytes: 32_768,
      fallbackFilenames: [],
      rootMarkers: ['.git'],
      ...more,
    };
  }

  /** Time stamps of status changes cannot be set back; files are old for a clock that runs ahead. */
  files(aheadMs = 0): InstructionFiles {
    return new InstructionFiles({ home: this.home, clock: { now: () => Date.now() + aheadMs, sleep: async () => {} } });
  }

  load(cwd: string, more: Partial<InstructionRules> = {}) {
    return this.files().load(this.rules(cwd, more), anyTurn);
  }
}

/** A policy that lets everything be read. */
const unrestricted: ResolvedPolicy = {
  enforcement: 'disabled',
  files: { kind: 'unrestricted' },
  network: 'enabled',
};

/** A turn that may read everything, in a large window. */
export const anyTurn = { policy: unrestricted, effectiveWindow: 1_000_000 };
