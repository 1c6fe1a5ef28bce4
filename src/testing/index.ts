/** `capstan/testing`: what tests of programs that use models need. */
export { type ScriptedModel, type ScriptedModelOptions, startScriptedModel } from './server.ts';
export {
  answer,
  callTool,
  compacted,
  cutAfter,
  failed,
  hang,
  httpError,
  incomplete,
  malformed,
  reason,
  say,
} from './script.ts';
export type {
  AnswerOptions,
  AnswerStep,
  CompactedStep,
  CutStep,
  FailedStep,
  HangStep,
  HttpErrorStep,
  IncompleteStep,
  ItemDraft,
  MalformedStep,
  Script,
  ScriptedUsage,
  ScriptStep,
  ScriptStepOf,
  StreamStep,
} from './script.ts';
export { type ModelWindow, overflow, type OverflowForm, overflowForms } from './overflow.ts';
export type { ExchangeEnd, RecordedRequest } from './recorded-request.ts';
export { SimulatedDisk, SimulatedLocks } from './simulated-disk.ts';
export type { CrashChoice, DiskOperation } from './simulated-disk.ts';
export { createMemoryStore, type MemoryStoreOptions } from './memory-store.ts';
export { createFoldedDirectory, type FoldedDirectoryOptions, type KnownThread } from './folded-directory.ts';
export { rolloutStoreContract } from './contract/store-contract.ts';
export type { ContractCase, ContractStores } from './contract/kit.ts';
