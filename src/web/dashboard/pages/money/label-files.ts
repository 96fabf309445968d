import { api } from '../../api/client.ts';
import { download } from '../../api/download.ts';
import { fetchFile } from '../../api/fetch-file.ts';
import type { Mode } from '../../api/mode.ts';
import type { Coin } from '../../contract/types.ts';

/** One request takes at most this. */
const PART_LINES = 2_000;
const PART_LENGTH = 60_000;
/** Line numbers of a message. */
const SHOWN_LINES = 20;

/** What an import changed. */
export interface LabelImport {
  readonly labels: number;
  readonly frozen: number;
  readonly unfrozen: number;
  readonly unknown: number;
  /** Numbers of the first lines that are no records. */
  readonly unreadable: readonly number[];
}

/** Downloads the labels of a wallet as JSON lines (BIP 329). @throws {ApiError} */
export async function downloadLabels(of: {
  readonly merchantId: string;
  /** The shop's current one when undefined. */
  readonly mode: Mode | undefined;
  readonly coin: Coin;
}): Promise<void> {
  const { mode, ...query } = of;
  const search = new URLSearchParams({ ...query, ...(mode === undefined ? {} : { mode }), format: 'jsonl' });
  download(
    `tilld-labels-${of.coin.toLowerCase()}.jsonl`,
    await fetchFile(`/merchant/wallet/labels?${search}`),
  );
}

/** Imports the lines of a file, in parts. @throws {ApiError} when a part is refused; those before it are stored */
export async function importLabelLines(
  { merchantId, coin }: { readonly merchantId: string; readonly coin: Coin },
  text: string,
): Promise<LabelImport> {
  let result: LabelImport = { labels: 0, frozen: 0, unfrozen: 0, unknown: 0, unreadable: [] };
  for (const { lines, first } of splitLines(text)) {
    const labels = lines.join('\n');
    const part = await api('POST', '/merchant/wallet/labels', {
      query: { merchantId },
      body: { coin, labels },
    });
    const unreadable = part.unreadable.map(({ line }) => first + line);
    result = {
      labels: result.labels + part.labels,
      frozen: result.frozen + part.frozen,
      unfrozen: result.unfrozen + part.unfrozen,
      unknown: result.unknown + part.unknown,
      unreadable: [...result.unreadable, ...unreadable].slice(0, SHOWN_LINES),
    };
  }
  return result;
}

interface Part {
  readonly lines: readonly string[];
  /** Lines before it. */
  readonly first: number;
}

/** Parts that one request takes. */
function splitLines(text: string): Part[] {
  const parts: Part[] = [];
  let lines: string[] = [];
  let length = 0;
  let first = 0;
  for (const line of text.split(/\r?\n/)) {
    if (lines.length > 0 && (lines.length === PART_LINES || length + line.length + 1 > PART_LENGTH)) {
      parts.push({ lines, first });
      first += lines.length;
      lines = [];
      length = 0;
    }
    lines.push(line);
    length += line.length + 1;
  }
  if (lines.some((line) => line.trim() !== '')) parts.push({ lines, first });
  return parts;
}
