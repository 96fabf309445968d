import { Transaction } from 'ethers/transaction';
import { z } from 'zod';
import { type BlockTransaction, isHex } from '../rpc/node-answers.ts';

const hex = z.string().regex(/^0x[0-9a-f]*$/i);

/** The signed fields of types 0 to 2 (EIP-155, EIP-2930, EIP-1559), as nodes answer them. */
const SIGNED = z.object({
  type: hex.optional(),
  chainId: hex.nullish(),
  nonce: z.number(),
  gas: hex,
  gasPrice: hex.nullish(),
  maxFeePerGas: hex.nullish(),
  maxPriorityFeePerGas: hex.nullish(),
  input: hex,
  accessList: z.array(z.object({ address: hex, storageKeys: z.array(hex) })).nullish(),
  v: hex.nullish(),
  yParity: hex.nullish(),
  r: hex,
  s: hex,
});

const NEWEST_TYPE = 2;
/** Longest calldata kept for a rebroadcast. */
const MAX_INPUT_LENGTH = 20_000;

/** Rebuilds the signed bytes for a rebroadcast; null when that is not possible exactly. */
export function rawTransaction(transaction: BlockTransaction): string | null {
  const fields = SIGNED.safeParse(transaction);
  if (!fields.success || fields.data.input.length > MAX_INPUT_LENGTH) return null;
  const { data } = fields;
  const type = Number(data.type ?? '0x0');
  if (type > NEWEST_TYPE) return null;
  try {
    const parity = data.yParity ?? data.v;
    const made = Transaction.from({
      type,
      chainId: data.chainId ?? 0,
      nonce: data.nonce,
      gasLimit: data.gas,
      to: transaction.to ?? null,
      value: transaction.value,
      data: data.input,
      ...(type < 2 ? { gasPrice: data.gasPrice ?? null } : {}),
      ...(type === 2
        ? { maxFeePerGas: data.maxFeePerGas ?? null, maxPriorityFeePerGas: data.maxPriorityFeePerGas ?? null }
        : {}),
      ...(type > 0 ? { accessList: data.accessList ?? [] } : {}),
      signature: {
        r: word(data.r),
        s: word(data.s),
        v: Number(type === 0 ? (data.v ?? '0x1b') : BigInt(parity ?? '0x0') % 2n),
      },
    });
    return made.hash === transaction.hash ? made.serialized : null;
  } catch {
    return null;
  }
}

/** Pads a value to 32 bytes: nodes omit leading zeros. */
function word(quantity: string): string {
  return `0x${quantity.slice(2).padStart(64, '0')}`;
}

/** Decodes signed bytes; null when they are not the transaction with this id. */
export function readSigned(txid: string, raw: string | null): Transaction | null {
  if (raw === null || !isHex(raw)) return null;
  try {
    const transaction = Transaction.from(raw);
    return transaction.hash === txid && transaction.from !== null ? transaction : null;
  } catch {
    return null;
  }
}
