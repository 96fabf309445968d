import { AddressLookupTableAccount, PublicKey, VersionedTransaction } from '@solana/web3.js';
import { base58 } from '@scure/base';
import { invalidParams } from './rpc-error.ts';

/** A transaction off the wire, with the accounts it names itself and those its lookup tables add. */
export interface WireTransaction {
  readonly bytes: Uint8Array;
  readonly signature: string;
  readonly version: 'legacy' | number;
  readonly blockhash: string;
  readonly staticKeys: readonly string[];
  readonly loaded: { readonly writable: readonly string[]; readonly readonly: readonly string[] };
  /** In the order of pre- and postBalances. */
  readonly keys: readonly string[];
  readonly writableKeys: readonly string[];
  readonly message: VersionedTransaction['message'];
  readonly signatures: readonly string[];
}

/** @throws {RpcError} when the bytes are no transaction or name a table that is not there. */
export function readTransaction(
  bytes: Uint8Array,
  tableData: (address: string) => Uint8Array | null,
): WireTransaction {
  const transaction = deserialize(bytes);
  const { message } = transaction;
  const staticKeys = message.staticAccountKeys.map((key) => key.toBase58());
  const loaded = lookUp(message, tableData);
  const signatures = transaction.signatures.map((signature) => base58.encode(signature));
  return {
    bytes,
    signature: signatures[0] ?? '',
    version: message.version,
    blockhash: message.recentBlockhash,
    staticKeys,
    loaded,
    keys: [...staticKeys, ...loaded.writable, ...loaded.readonly],
    writableKeys: [...staticKeys.filter((_, index) => message.isAccountWritable(index)), ...loaded.writable],
    message,
    signatures,
  };
}

function deserialize(bytes: Uint8Array): VersionedTransaction {
  try {
    return VersionedTransaction.deserialize(bytes);
  } catch (error) {
    throw invalidParams(`failed to deserialize solana_transaction: ${(error as Error).message}`);
  }
}

function lookUp(
  message: VersionedTransaction['message'],
  tableData: (address: string) => Uint8Array | null,
): WireTransaction['loaded'] {
  const writable: string[] = [];
  const readonly: string[] = [];
  for (const lookup of message.addressTableLookups) {
    const data = tableData(lookup.accountKey.toBase58());
    if (data === null) throw invalidParams(`address lookup table ${lookup.accountKey.toBase58()} not found`);
    const { addresses } = AddressLookupTableAccount.deserialize(data);
    const at = (index: number): string => {
      const address = addresses[index];
      if (address === undefined) throw invalidParams(`address lookup index ${index} is beyond the table`);
      return address.toBase58();
    };
    writable.push(...lookup.writableIndexes.map(at));
    readonly.push(...lookup.readonlyIndexes.map(at));
  }
  return { writable, readonly };
}

/** The account data of an active lookup table without an authority. */
export function lookupTableData(addresses: readonly string[]): Uint8Array {
  const meta = Buffer.alloc(56);
  meta.writeUInt32LE(1, 0);
  meta.writeBigUInt64LE(0xffff_ffff_ffff_ffffn, 4);
  return Buffer.concat([meta, ...addresses.map((address) => new PublicKey(address).toBytes())]);
}
