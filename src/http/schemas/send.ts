import { z } from 'zod';
import { COINS } from '../../domain/coins.ts';
import { APPROVAL_REASONS } from '../../domain/send/spending-limits.ts';
import { SEND_REASONS, SEND_STATUSES } from '../../domain/send/types.ts';
import { HELD_STATUSES, type SendView } from '../../usecases/wallet/index.ts';
import { timestamp } from './answers.ts';
import { EXAMPLES } from './example-values.ts';

const output = z
  .object({
    destination: z.string().meta({ example: EXAMPLES.address }),
    amount: z.string().meta({ example: '0.01' }),
  })
  .meta({ id: 'SendOutput' });

/** The recipients of a send in an answer. */
export function outputsSchema() {
  return z.array(output).nullable().meta({
    description: 'Several recipients and what each receives; null if there is one',
    example: null,
  });
}

const send = z
  .object({
    id: z.string().meta({ example: EXAMPLES.sendId }),
    status: z.enum([...SEND_STATUSES, ...HELD_STATUSES]).meta({
      description:
        'preparing: BTC and LTC only; too many outputs for one transaction are consolidated first, then it is ' +
        'signed. queued: SOL only; signed, and broadcast once the earlier sends from the same address have landed. ' +
        'txHash changes if it is signed again. signed: not yet accepted by a node. pending_approval: above a limit, ' +
        'nothing is signed; then rejected or expired, or sent. awaiting_signature: from a watched account, whose wallet ' +
        'has to sign `psbt`',
      example: 'broadcast',
    }),
    coin: z.enum(COINS),
    sandbox: z.boolean(),
    from: z.string().meta({
      description: '`own`: the wallet of this server; else the id of the watched account that it is from',
      example: 'own',
    }),
    txHash: z.string().nullable().meta({
      description: 'Null while the send is `preparing`, `awaiting_signature` or waits for an approval',
      example: EXAMPLES.txid,
    }),
    fee: z.string().meta({
      description: 'Of all transactions of the send; an estimate while it is `preparing`',
      example: '0.00000282',
    }),
    amount: z.string().meta({
      description:
        'What the destination receives, or all of `outputs` together; while the send is `preparing` and the fee is taken from it, an estimate',
      example: '0.01',
    }),
    destination: z
      .string()
      .meta({ description: 'The first one if there are several', example: EXAMPLES.address }),
    outputs: outputsSchema(),
    subtractFee: z.boolean(),
    confirmations: z.int().meta({ example: 0 }),
    parts: z.object({ total: z.int(), confirmed: z.int() }).nullable().meta({
      description: 'The consolidation transactions before it; null if one transaction is enough',
      example: null,
    }),
    error: z.string().nullable().meta({ example: null }),
    note: z.string().nullable().meta({ example: 'Payout of January' }),
    reason: z.enum(SEND_REASONS).nullable().meta({
      description: 'forward: by the rule that forwards to cold storage; null: it was ordered',
      example: null,
    }),
    maxFee: z.string().meta({
      description:
        'Fee budget in the coin: as requested, else a share of the amount or the fee at the time. No fee bump, ' +
        'renewal or cancellation exceeds it',
      example: '0.00001',
    }),
    feeLimited: z.boolean().meta({
      description:
        'The fee bump is on hold because it would exceed `maxFee`; it continues once fees fall or a higher `maxFee` ' +
        'is set',
      example: false,
    }),
    cancelling: z.boolean().meta({
      description: 'Its newest transaction returns everything to the wallet; either transaction may be mined',
      example: false,
    }),
    psbt: z
      .string()
      .nullable()
      .meta({
        description:
          'The transaction to sign, with the signatures so far (BIP-174, base64), while the status is ' +
          '`awaiting_signature`; null in lists and events',
        example: null,
      }),
    signatures: z.object({ required: z.int(), collected: z.int() }).nullable().meta({
      description:
        'Signatures that each input needs, and those that the input with the fewest has; null if it waits for none',
      example: null,
    }),
    expiresAt: timestamp().nullable().meta({
      description: 'Until when it can be approved, or signed; null where it waits for neither',
      example: null,
    }),
    approvalReasons: z
      .array(z.enum(APPROVAL_REASONS))
      .meta({ description: 'Why it needs an approval', example: [] }),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: 'Send' });

/** A send in an answer. */
export function sendSchema() {
  return send;
}

/** Whether a request was accepted and its transaction is not signed yet: 202. */
export function isAccepted(status: SendView['status']): boolean {
  return status === 'preparing' || HELD_STATUSES.some((held) => held === status);
}
