/** Labels of a wallet in the format of BIP 329: their export, and the import of those of another wallet. */
export { exportLabels, type LabelView } from './export-labels.ts';
export { importLabels, type ImportLabelsDeps } from './import-labels.ts';
export { LABEL_LINES_MAX } from './label-lines.ts';
