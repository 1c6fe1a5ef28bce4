/** `capstan/testing`: helpers for testing programs that use models. */
export { type ScriptedModel, type ScriptedModelOptions, startScriptedModel } from './scripted-model.ts';
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
  socketFault,
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
  SocketFault,
  SocketFaultStep,
  StreamStep,
} from './script.ts';
export { type ModelWindow, overflow, type OverflowForm, overflowForms } from './scripted-model.ts';
export type { UpgradeAnswer } from './scripted-socket.ts';
export type { ExchangeEnd, RecordedFrame, RecordedRequest } from './script.ts';
export { type DiskOperation, SimulatedDisk } from './simulated-disk.ts';
export { SimulatedLocks } from './simulated-disk.ts';
export type { CrashChoice } from './simulated-disk.ts';
export { createMemoryStore, type MemoryStoreOptions } from './memory-store.ts';
export { createFoldedDirectory, type FoldedDirectoryOptions, type KnownThread } from './folded-directory.ts';
export { rolloutStoreContract } from './contract/store-contract.ts';
export type { ContractCase, ContractStores } from './contract/contract-case.ts';
