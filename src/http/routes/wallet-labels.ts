import { z } from 'zod';
import { merchantMode } from '../../usecases/access/index.ts';
import {
  exportLabels,
  importLabels,
  type ImportLabelsDeps,
  LABEL_LINES_MAX,
  type LabelView,
} from '../../usecases/labels/index.ts';
import { coin } from '../schemas/codes.ts';
import { EXAMPLES } from '../schemas/example-values.ts';
import { modeQuery } from '../schemas/query.ts';
import { text } from '../schemas/text.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { jsonLines, listInEnvelope, StreamReply } from '../server/stream-reply.ts';

const TAGS = ['Wallet'];
/** Below the default limit of a request body. */
const TEXT_MAX = 60_000;

const EXAMPLE: LabelView = {
  type: 'output',
  ref: `${EXAMPLES.txid}:0`,
  label: 'Order 1001',
  spendable: false,
};
const LINE = JSON.stringify(EXAMPLE);

const label = z
  .object({
    type: z.enum(['tx', 'addr', 'output', 'xpub']),
    ref: z.string().meta({
      description: 'Transaction id, address, `txid:index` or extended public key',
      example: EXAMPLE.ref,
    }),
    label: z.string().optional().meta({ example: EXAMPLE.label }),
    origin: z.string().optional().meta({
      description: 'Key origins of a watched account',
      example: "wpkh([d34db33f/84'/0'/0'])",
    }),
    spendable: z.boolean().optional().meta({ description: 'Of an unspent output: false if it is frozen' }),
  })
  .meta({ id: 'WalletLabel' });

/** Labels in the format of BIP 329. */
export function walletLabelRoutes(deps: ImportLabelsDeps): Route[] {
  return [exportRoute(deps), importRoute(deps)];
}

function exportRoute(deps: ImportLabelsDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/wallet/labels',
    auth: 'merchant',
    scope: ['wallet:read', 'payments:read'],
    notFor: ['clerk'],
    summary: 'Export labels',
    description:
      'Labels of the transactions, addresses and outputs of a BTC or LTC wallet as BIP 329 defines them: orders and ' +
      'notes of payments, notes of sends, refunds, forwards, and imported labels, which replace these. Streamed; with ' +
      '`format=jsonl` it is the file that other wallets import.',
    tags: TAGS,
    status: 200,
    streamsAs: { 'application/jsonl': LINE },
    errors: [],
    query: z.object({
      mode: modeQuery().meta({ example: 'sandbox' }),
      coin: coin(),
      format: z.enum(['json', 'jsonl']).default('json').meta({ description: 'Format of the response' }),
    }),
    example: { query: { coin: 'BTC', format: 'json' }, data: { labels: [EXAMPLE] } },
    data: z.object({ labels: z.array(label) }),
    handler: async ({ auth, query: { mode: requestedMode, coin: of, format } }) => {
      const mode = merchantMode(auth.merchant, requestedMode);
      const pages = exportLabels(deps, { merchantId: auth.merchantId, mode, coin: of });
      if (format === 'json') return new StreamReply('application/json', listInEnvelope('labels', pages));
      return new StreamReply('application/jsonl', jsonLines(pages), {
        'Content-Disposition': `attachment; filename="tilld-${mode}-labels-${of.toLowerCase()}.jsonl"`,
      });
    },
  });
}

function importRoute(deps: ImportLabelsDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/wallet/labels',
    movesMoney: false,
    auth: 'merchant',
    scope: 'wallet:send',
    summary: 'Import labels',
    description:
      'Stores labels of the BTC or LTC wallet in the current mode from JSON lines as BIP 329 defines them, such as ' +
      'Sparrow exports. `spendable: false` freezes an unspent output, `true` unfreezes it; omitted fields are ' +
      'unchanged, an empty label deletes the imported one. Lines about transactions, addresses and outputs of other ' +
      'wallets are counted and not stored. Send longer files in parts.',
    tags: TAGS,
    status: 200,
    errors: ['COIN_UNAVAILABLE'],
    body: z.object({
      coin: coin(),
      labels: text({ max: TEXT_MAX, trim: false }).meta({
        description: `At most ${LABEL_LINES_MAX} lines`,
        example: LINE,
      }),
    }),
    example: { body: { coin: 'BTC', labels: LINE } },
    data: z.object({
      labels: z.int().meta({ description: 'Stored or deleted labels', example: 1 }),
      frozen: z.int().meta({ example: 1 }),
      unfrozen: z.int().meta({ example: 0 }),
      unknown: z.int().meta({ description: 'Lines about other wallets', example: 0 }),
      ignored: z.int().meta({ description: 'Lines of other types, or without a change', example: 0 }),
      truncated: z.int().meta({ description: 'Labels of more than 255 characters', example: 0 }),
      unreadable: z
        .array(
          z.object({
            line: z.int().meta({ example: 3 }),
            message: z.string().meta({ example: 'is not JSON' }),
          }),
        )
        .meta({ description: 'Lines that are not records, by their number from 1', example: [] }),
    }),
    handler: async ({ auth: { merchant }, body }) =>
      importLabels(deps, { merchant, coin: body.coin, text: body.labels }),
  });
}
