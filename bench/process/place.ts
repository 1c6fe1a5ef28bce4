import { spawnSync } from 'node:child_process';
import { closeSync, cpSync, fsyncSync, mkdirSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The folders of one contender in one scenario. Every run finds the same home: the one that the contender itself left
 * behind after its first run, which is not measured.
 */
export class Place {
  readonly root: string;
  /** Holds everything that the contender keeps: configuration, threads, indexes. */
  readonly home: string;
  /** The user's home folder: empty, so that a login shell reads the system's profile only. */
  readonly osHome: string;
  /** An empty repository, so that no program looks for instructions above it. */
  readonly workspace: string;

  constructor(root: string) {
    this.root = root;
    this.home = join(root, 'home');
    this.osHome = join(root, 'os-home');
    this.workspace = join(root, 'workspace');
    rmSync(root, { recursive: true, force: true });
    mkdirSync(this.home, { recursive: true });
    mkdirSync(this.osHome);
    mkdirSync(this.workspace);
    spawnSync('git', ['init', '-q', this.workspace]);
  }

  write(name: string, text: string): void {
    const path = join(this.home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  snapshot(): void {
    rmSync(this.#snapshot, { recursive: true, force: true });
    cpSync(this.home, this.#snapshot, { recursive: true, verbatimSymlinks: true });
  }

  /** On the disk before it returns: a contender that syncs must not pay for our copy. */
  restore(): void {
    // A child that outlived its contender for a moment may still write there.
    rmSync(this.home, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 });
    cpSync(this.#snapshot, this.home, { recursive: true, verbatimSymlinks: true });
    for (const entry of readdirSync(this.home, { recursive: true, withFileTypes: true })) {
      if (entry.isFile() || entry.isDirectory()) sync(join(entry.parentPath, entry.name));
    }
    sync(this.home);
  }

  get #snapshot(): string {
    return join(this.root, 'snapshot');
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
