export { hearInbox } from './prompt-hooks.ts';
export { startSession } from './session-hooks.ts';
export { mayEnd } from './stop-hooks.ts';
