import { utf8ToBytes } from '@noble/hashes/utils.js';
import { hex } from '@scure/base';
import { z } from 'zod';
import type { OutputRef, SendPlan, SignedTransaction } from '../../domain/chain.ts';
import { COINS, type Coin } from '../../domain/coins.ts';
import type { KeySource } from '../../domain/keys.ts';
import { receivedOutputs } from '../../domain/send/outputs.ts';
import type { SimulatedTransaction } from '../../domain/simulator.ts';
import { COIN_FORMATS } from './formats.ts';

/** Longest raw transaction the simulated node accepts, in characters. */
const MAX_RAW_LENGTH = 2_000_000;

const amount = z
  .string()
  .regex(/^\d{1,40}$/)
  .transform(BigInt);
const hexBytes = z.string().regex(/^(?:[0-9a-f]{2}){1,80}$/);
const reference = { txid: z.string().min(1).max(100), index: z.number().int().min(0) };

const signedSchema = z.strictObject({
  kind: z.literal('signed'),
  coin: z.enum(COINS),
  inputs: z.array(z.strictObject({ ...reference, amount })).min(1),
  outputs: z.array(z.strictObject({ address: z.string().min(1).max(120), amount })).min(1),
  fee: amount,
  witnesses: z.array(z.strictObject({ publicKey: hexBytes, signature: hexBytes })),
});
export type SignedSpend = z.infer<typeof signedSchema>;

interface Output {
  readonly address: string;
  readonly amount: bigint;
}

/** Signs a plan with one signature per input. Deterministic: the same plan gives the same bytes. */
export function signSpend(coin: Coin, plan: SendPlan, keys: KeySource): SignedTransaction {
  const format = COIN_FORMATS[coin];
  const paid = receivedOutputs(plan);
  const outputs: Output[] = paid.map(({ destination: address, amount }) => ({ address, amount }));
  if (plan.change !== null) outputs.push(plan.change);
  const inputs = plan.inputs.map((fund) => ({ ...fund.ref, amount: fund.amount }));
  const digest = format.digest(signedMessage({ coin, inputs, outputs, fee: plan.fee }));
  const witnesses = plan.inputs.map((fund) => {
    const privateKey = keys.privateKey(fund.keyPath);
    return {
      publicKey: hex.encode(format.publicKey(privateKey)),
      signature: hex.encode(format.sign(digest, privateKey)),
    };
  });
  const raw = writeJson({ kind: 'signed', ...body({ coin, inputs, outputs, fee: plan.fee }), witnesses });
  return { txid: transactionId(coin, raw), raw, outputs: outputs.map(({ address }) => address) };
}

/** Parses broadcast bytes; null when they are not a signed transaction of this coin. */
export function readSignedSpend(coin: Coin, raw: string): SignedSpend | null {
  if (raw.length > MAX_RAW_LENGTH) return null;
  const parsed = signedSchema.safeParse(readJson(raw));
  return parsed.success && parsed.data.coin === coin ? parsed.data : null;
}

/** Whether every input carries a signature of the key that owns the output it spends. */
export function isSignedByOwners(spend: SignedSpend, ownerWatchKeys: readonly string[]): boolean {
  const format = COIN_FORMATS[spend.coin];
  const digest = format.digest(signedMessage(spend));
  if (spend.witnesses.length !== spend.inputs.length) return false;
  return spend.witnesses.every((witness, position) => {
    const publicKey = hex.decode(witness.publicKey);
    try {
      const owner = format.canonical(format.addressOf(publicKey));
      const signature = hex.decode(witness.signature);
      return owner === ownerWatchKeys[position] && format.verify(signature, digest, publicKey);
    } catch {
      return false;
    }
  });
}

/** A transaction that needs no signature: faucet money, or a double spend by the simulator control. */
export function createFaucetTransaction(
  coin: Coin,
  inputs: readonly OutputRef[],
  outputs: readonly Output[],
  fee: bigint,
): Pick<SimulatedTransaction, 'txid' | 'inputs' | 'outputs' | 'fee' | 'raw'> {
  const raw = writeJson({ kind: 'conjured', ...body({ coin, inputs, outputs, fee }) });
  return { txid: transactionId(coin, raw), inputs, outputs: watchable(coin, outputs), fee, raw };
}

const inputsSchema = z.object({ inputs: z.array(z.object({ txid: z.string(), index: z.int() })) });

/** The outputs that a transaction spends, from its bytes; none when the bytes are not a transaction. */
export function decodeInputs(raw: string): readonly OutputRef[] {
  const parsed = inputsSchema.safeParse(readJson(raw));
  return parsed.success ? parsed.data.inputs : [];
}

/** Outputs with their watch keys. */
export function watchable(coin: Coin, outputs: readonly Output[]): SimulatedTransaction['outputs'] {
  return outputs.map(({ address, amount }) => ({
    watchKey: COIN_FORMATS[coin].canonical(address),
    address,
    amount,
  }));
}

export function transactionId(coin: Coin, raw: string): string {
  return COIN_FORMATS[coin].transactionId(utf8ToBytes(raw));
}

interface SpendBody {
  readonly coin: Coin;
  readonly inputs: readonly (OutputRef & { readonly amount?: bigint })[];
  readonly outputs: readonly Output[];
  readonly fee: bigint;
}

function signedMessage(spend: SpendBody): Uint8Array {
  return utf8ToBytes(writeJson(body(spend)));
}

/** The signed part, rebuilt field by field so that the key order is deterministic. */
function body({ coin, inputs, outputs, fee }: SpendBody) {
  return {
    coin,
    inputs: inputs.map(({ txid, index, amount }) => ({ txid, index, amount })),
    outputs: outputs.map(({ address, amount }) => ({ address, amount })),
    fee,
  };
}

function writeJson(value: unknown): string {
  return JSON.stringify(value, (_key, field: unknown) =>
    typeof field === 'bigint' ? field.toString() : field,
  );
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
