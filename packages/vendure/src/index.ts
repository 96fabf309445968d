export { TilldPlugin } from './plugin';
export { tilldPaymentHandler } from './handler';
export { tilldReconcileTask, TilldReconcileService } from './reconcile';
export type { NoteLanguage, TilldPluginOptions } from './options';
