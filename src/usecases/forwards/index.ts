/** Forwards to cold storage: their rules, the round that makes them, and how a change is undone. */
export { dropPendingForward, editForward, type EditForwardDeps, endForward } from './edit-forward.ts';
export type { ForwardDeps } from './forward-deps.ts';
export { sumPromised } from './forward-facts.ts';
export { runForwards } from './run-forwards.ts';
export { readPendingForward, undoForward, undoForwardUrl } from './undo-forward.ts';
export { readForwards } from './view-forward.ts';
