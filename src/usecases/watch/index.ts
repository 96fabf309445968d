/** Watched accounts: public keys of another wallet whose addresses a shop gives out. */
export { confirmWatch, dropPendingWatch, endWatch } from './confirm-watch.ts';
export { proposeList } from './propose-list.ts';
export { LIST_MAX } from './read-list.ts';
export { proposeWatch } from './propose-watch.ts';
export { type PendingWatch, readPendingWatch, undoWatch, undoWatchUrl } from './undo-watch.ts';
export { listWatched, WATCH_STATES } from './view-watch.ts';
export type { WatchDeps } from './watch-deps.ts';
