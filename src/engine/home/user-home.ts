import type { ThemeFile } from '../../adapters/gather/files/theme-files.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { CustomPrompts, PromptHistory } from './custom-prompts.ts';
import type { EngineParts } from '../engine-parts.ts';
import type { HomeMemory } from '../memory/home-memory.ts';
import type { HomeModels } from '../models/home-models.ts';
import type { HomeRules } from './command-rules.ts';
import type { HookRegistry } from './user-hooks.ts';
import type { LocalServerFound } from '../models/local-servers.ts';
import type { Logins } from './logins.ts';
import type { McpRegistry } from './mcp-registry.ts';
import { QueuedMessages } from '../store/home-store.ts';
import { programVariables } from '../sandbox/user-program-variables.ts';
import type { ClipboardContent } from './clipboard.ts';
import type { SkillRegistry } from './skill-registry.ts';

/** The user's data in a home and on this machine, to show and change it. Each part is loaded on use. */
export class UserHome {
  readonly #parts: EngineParts;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  async logins(): Promise<Logins> {
    const { Logins } = await import('./logins.ts');
    return new Logins(this.#parts);
  }

  async mcpServers(): Promise<McpRegistry> {
    const { McpRegistry } = await import('./mcp-registry.ts');
    return new McpRegistry(this.#parts);
  }

  async skills(): Promise<SkillRegistry> {
    const { SkillRegistry } = await import('./skill-registry.ts');
    return new SkillRegistry(this.#parts);
  }

  async hooks(): Promise<HookRegistry> {
    const { HookRegistry } = await import('./user-hooks.ts');
    return new HookRegistry(this.#parts);
  }

  async memory(): Promise<HomeMemory | Outcome> {
    const { loadHomeMemory } = await import('../memory/home-memory.ts');
    return loadHomeMemory(this.#parts.options.env, this.#parts.options.osHome);
  }

  async customPrompts(): Promise<CustomPrompts> {
    const { customPrompts } = await import('./custom-prompts.ts');
    return customPrompts(`${this.#parts.base.home}/prompts`);
  }

  async rules(): Promise<HomeRules> {
    const { HomeRules } = await import('./command-rules.ts');
    return new HomeRules(this.#parts);
  }

  async models(): Promise<HomeModels> {
    const { HomeModels } = await import('../models/home-models.ts');
    return new HomeModels(this.#parts);
  }

  async themeFiles(): Promise<readonly ThemeFile[]> {
    const { themeFiles } = await import('../../adapters/gather/files/theme-files.ts');
    return themeFiles(this.#parts.base.home);
  }

  async localServers(patienceMs: number): Promise<readonly LocalServerFound[]> {
    const { findLocalServers } = await import('../models/local-servers.ts');
    return findLocalServers(this.#parts, patienceMs);
  }

  async openPromptHistory(): Promise<PromptHistory> {
    const { openPromptHistory } = await import('./custom-prompts.ts');
    return openPromptHistory(this.#parts);
  }

  /** Messages that wait in the terminal for turns of their own. */
  queuedMessages(): QueuedMessages {
    return new QueuedMessages(this.#parts.base.home);
  }

  async readClipboard(): Promise<ClipboardContent | Outcome> {
    const { readClipboard } = await import('./clipboard.ts');
    return readClipboard(this.#parts);
  }

  async feedClipboard(words: readonly string[], text: string): Promise<boolean> {
    const { feedClipboard } = await import('./clipboard.ts');
    return feedClipboard(this.#parts, words, text);
  }

  /** Variables for a user's program that a surface starts outside of the sandbox, such as an editor. */
  programVariables(): Readonly<Record<string, string>> {
    return programVariables(this.#parts);
  }
}
